"""The same few calls to every real service that is set up: ``make live``. Without one it says what to set.

It is no test of the suite: it needs the network and somebody's key.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cortex import Cortex, configured_embedder, configured_llm
from cortex.app.settings import load
from cortex.errors import CortexError


@dataclass(frozen=True, slots=True)
class Target:
    """A service: the variables of which one must be set, and what chooses it for text and for vectors.

    ``own``: with the settings of whoever runs this; the others are asked for their usual models.
    """

    name: str
    any_of: tuple[str, ...]
    llm: Mapping[str, str]
    embedder: Mapping[str, str] | None = None
    own: bool = False


TARGETS = (
    Target("openai", ("OPENAI_API_KEY",), {"CORTEX_LLM_BACKEND": "openai"}, {"CORTEX_EMBED_PROVIDER": "openai"}),
    Target("openrouter", ("OPENROUTER_API_KEY",), {"CORTEX_LLM_BACKEND": "openrouter"},
           {"CORTEX_EMBED_PROVIDER": "openrouter"}),
    Target("gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), {"CORTEX_LLM_BACKEND": "gemini"},
           {"CORTEX_EMBED_PROVIDER": "gemini"}),
    Target("anthropic", ("ANTHROPIC_API_KEY",), {"CORTEX_LLM_BACKEND": "anthropic"}),
    Target("ollama", ("OLLAMA_URL",), {"CORTEX_LLM_BACKEND": "ollama"}, {"CORTEX_EMBED_PROVIDER": "ollama"}),
    Target("a server of your own", ("CORTEX_LLM_BASE_URL",), {"CORTEX_LLM_BACKEND": "openai"},
           own=True),
)  # fmt: skip


def generation() -> str:
    """A short answer, one that is cut off, and characters of everywhere."""
    llm = configured_llm()
    assert llm is not None
    result = llm.generate("Answer with the single word Paris. What is the capital of France?", max_output_tokens=512)
    assert "paris" in result.text.casefold(), result
    assert llm.generate("Count from 1 to 500 in words.", max_output_tokens=64).truncated
    assert llm.generate("Repeat exactly: 東京 🧡 naïve", temperature=0.5).text
    return f"{llm.name}: {result.model}, {result.input_tokens} tokens read, {result.output_tokens} written"


def embedding() -> str:
    """Vectors that mean something, in their order, and a store on them."""
    embedder = configured_embedder()
    texts = ["Ada drinks green tea", "green tea is what Ada drinks", "error in line 12"]
    vectors = embedder.embed(texts).vectors
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    with tempfile.TemporaryDirectory() as folder, Cortex(Path(folder) / "memory.db", embedder=embedder) as cortex:
        assert not cortex.memorize(texts[0]).pending
        assert cortex.recall("what does Ada drink?").degraded == ()
    return f"{embedder.signature}"


@contextmanager
def variables(values: Mapping[str, str], *, own: bool) -> Iterator[None]:
    """These in the environment, beside our other settings or instead of them."""
    before = dict(os.environ)
    for name in () if own else [name for name in before if name.startswith("CORTEX_")]:
        del os.environ[name]
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run(target: Target) -> bool:
    """Whether every call to the service went well."""
    calls: list[tuple[Callable[[], str], Mapping[str, str]]] = [(generation, target.llm)]
    if target.embedder is not None:
        calls.append((embedding, {**target.embedder, "CORTEX_LLM_BACKEND": "none"}))
    well = True
    for call, values in calls:
        try:
            with variables(values, own=target.own):
                said = call()
        except (CortexError, AssertionError) as error:
            said, well = f"FAILED: {type(error).__name__}: {error}", False
        sys.stdout.write(f"{target.name}: {call.__name__}: {said}\n")
    return well


def main() -> int:
    """The exit code: 0 where nothing failed, also where nothing could be asked."""
    given = load().given
    found = [target for target in TARGETS if given & {name.lower().removeprefix("cortex_") for name in target.any_of}]
    for target in TARGETS:
        if target not in found:
            sys.stdout.write(f"{target.name}: not asked; set {' or '.join(target.any_of)}\n")
    failed = [target.name for target in found if not run(target)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
