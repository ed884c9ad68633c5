"""A language model that remembers: it is asked nothing twice, in whichever process or run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace

from cortex.errors import ProviderError
from cortex.model.generation import GenResult, check_request
from cortex.ports import LLMProvider
from cortex.providers.cache_file import Remembers, Transaction, digest


class CachedProvider(Remembers):
    """``inner``, asked once for each prompt, temperature and number of tokens; by its name.

    ``path``: a `cortex.providers.cache_file.CacheFile`, which may be that of a `CachedEmbedder`. What is kept of a call
    has the memories as owners that `about` names, and goes when one of them is erased (`cortex.ports.TextTraces`); what
    has no owner goes with any erasure, since it may tell of what is erased. A copy costs nothing: its tokens are 0.
    Where the file cannot be used any more, ``inner`` answers and a log record says why. Raises `ForeignStore` for a
    file that is something else, `ProviderError` for one that cannot be opened. Threads and processes may share it.
    """

    def __init__(self, inner: LLMProvider, path: str | os.PathLike[str]) -> None:
        super().__init__(path, ProviderError)
        self.inner = inner
        self.owners: Sequence[str] = ()

    @property
    def name(self) -> str:
        """That of ``inner``."""
        return self.inner.name

    def generate(self, prompt: str, *, temperature: float = 0.0, max_output_tokens: int = 512) -> GenResult:
        """What ``inner`` gives or gave."""
        check_request(prompt, temperature, max_output_tokens)
        key = digest(json.dumps([self.name, prompt, float(temperature), max_output_tokens]))
        known = self._file.guarded(lambda: self._get(key), None)
        if known is not None:
            return known
        made = self.inner.generate(prompt, temperature=temperature, max_output_tokens=max_output_tokens)
        self._file.guarded(lambda: self._put(key, made), None)
        return made

    def about(self, *memory_ids: str) -> CachedProvider:
        """The same for prompts with the texts of these memories, who own what is kept."""
        other = copy(self)
        other.owners = memory_ids
        return other

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Nothing to do: who asks says whose it is."""

    def _get(self, key: bytes) -> GenResult | None:
        found = self._file.connection.execute("SELECT answer FROM generations WHERE digest = ?", [key]).fetchone()
        known = _result(found[0]) if found else None
        if known is not None and self.owners:
            with Transaction(self._file.connection) as connection:
                connection.executemany(_OWN, [(owner, key) for owner in self.owners])
        return known

    def _put(self, key: bytes, made: GenResult) -> None:
        with Transaction(self._file.connection) as connection:
            connection.execute(_PUT, [key, json.dumps(asdict(made))])
            connection.executemany(_OWN, [(owner, key) for owner in self.owners])


_PUT = (
    "INSERT INTO generations (digest, answer) VALUES (?, ?) ON CONFLICT (digest) DO UPDATE SET answer = excluded.answer"
)
_OWN = (
    "INSERT OR IGNORE INTO generation_owners (memory_id, generation_id) "
    "SELECT ?, generation_id FROM generations WHERE digest = ?"
)


def _result(text: str) -> GenResult | None:
    """What was kept, for nothing; None for a damaged entry, which is made anew."""
    try:
        kept = GenResult(**json.loads(text))
        sound = bool(kept.text.strip()) and isinstance(kept.model, str)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return replace(kept, input_tokens=0, output_tokens=0) if sound else None
