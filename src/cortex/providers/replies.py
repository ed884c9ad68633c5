"""Taking answers of services apart: what is missing or wrong is told, and nothing is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from cortex.errors import EmbedderError, ProviderError, ProviderRefused, ProviderReplyInvalid
from cortex.model.embedding import FloatArray, comparable
from cortex.model.generation import GenResult
from cortex.providers.wire import Poster, Reply

BATCH: Final = 100
_MOST_TOKENS: Final = 10**9
_SHOWN: Final = 120


class Missing(Exception):
    """An answer is not of the shape that it should have; the message says what is missing."""


class Tempered:
    """Asks with a temperature, and from the first refusal of one on without: some models only know their own."""

    def __init__(self, wire: Poster) -> None:
        self._wire = wire
        self._refused = False

    def post(self, path: str, body: Mapping[str, Any]) -> Reply:
        """The answer of the wire."""
        bare = {name: value for name, value in body.items() if name != "temperature"}
        if self._refused:
            return self._wire.post(path, bare)
        try:
            return self._wire.post(path, body)
        except ProviderRefused as error:
            if error.status != 400 or "temperature" not in str(error):
                raise
        answer = self._wire.post(path, bare)
        self._refused = True
        return answer


@contextmanager
def expecting(service: str, otherwise: str) -> Iterator[None]:
    """Turn `Missing` into `ProviderReplyInvalid`; ``otherwise`` says what the answer is then."""
    try:
        yield
    except Missing as problem:
        raise ProviderReplyInvalid(f"{service}: its answer is {otherwise}: {problem}") from problem


@contextmanager
def embedding(service: str) -> Iterator[None]:
    """Turn what goes wrong into `EmbedderError`, which is what the port of embedding knows."""
    try:
        yield
    except ProviderError as error:
        raise EmbedderError(str(error)) from error
    except Missing as problem:
        raise EmbedderError(f"{service}: its answer has no vectors: {problem}") from problem


def at(reply: object, *path: str | int) -> Any:
    """What stands at a path of keys and places; `Missing` where there is nothing."""
    found = reply
    for number, step in enumerate(path):
        try:
            found = found[step]  # type: ignore[index]
        except (LookupError, TypeError) as error:
            raise Missing(f"there is no {'.'.join(map(str, path[: number + 1]))}") from error
    return found


def object_at(reply: object, *path: str | int) -> Mapping[str, Any]:
    """The object at a path; `Missing` for anything else."""
    found = at(reply, *path)
    if not isinstance(found, dict):
        raise Missing(f"{'.'.join(map(str, path))} is no object")
    return found


def text_at(reply: object, *path: str | int) -> str:
    """The text at a path; `Missing` for anything else, but nothing for null."""
    found = at(reply, *path)
    if found is not None and not isinstance(found, str):
        raise Missing(f"{'.'.join(map(str, path))} is no text")
    return found or ""


def tokens(counts: object, *names: str) -> int | None:
    """The sum of these numbers of tokens, of which the first must be there; None for what can be none."""
    found = counts if isinstance(counts, Mapping) else {}
    total = 0
    for number in (found.get(names[0]), *(found.get(name) or 0 for name in names[1:])):
        if type(number) is not int or not 0 <= number <= _MOST_TOKENS:
            return None
        total += number
    return total


def generated(text: str, read: int | None, written: int | None, model: object, *, truncated: bool) -> GenResult:
    """The result of a generation; `Missing` for an empty text."""
    if not text.strip():
        cut = ", and was cut off: a model that thinks first needs a greater max_output_tokens" if truncated else ""
        raise Missing(f"it wrote nothing{cut}")
    counted = read is not None and written is not None
    name = model if isinstance(model, str) else ""
    return GenResult(text, read or 0 if counted else 0, written or 0 if counted else 0, name, truncated, counted)


def most_bytes(texts: Sequence[str], dim: int) -> int:
    """How long an answer with a vector for each text may be: a number takes 25 characters at the most."""
    return 2**16 + len(texts) * (2**10 + 32 * dim)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in the numbers that services take at once."""
    return (list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH))


def unit_vectors(service: str, rows: Sequence[object], count: int, dim: int) -> FloatArray:
    """Float32 [count, dim] of unit length; `EmbedderError` for another number, another dimension, NaN and zero."""
    if len(rows) != count:
        raise EmbedderError(f"{service} gave {len(rows)} vectors for {count} texts")
    for row in rows:
        if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != dim:
            got = f"{len(row)} dimensions" if isinstance(row, list) else repr(row)[:_SHOWN]
            raise EmbedderError(f"{service} gave a vector of {got}, expected {dim}: set CORTEX_EMBED_DIM or the model")
    try:
        vectors = np.asarray(rows, dtype=np.float64).reshape(count, dim)
    except (ValueError, TypeError, OverflowError):
        raise EmbedderError(f"{service} gave vectors that are no numbers") from None
    with np.errstate(over="ignore"):
        sound = comparable(vectors.astype(np.float32)).all()
    if not sound:
        raise EmbedderError(f"{service} gave a vector that is zero or not finite")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: FloatArray = (vectors / norms).astype(np.float32)
    return found


def words(texts: Sequence[str]) -> int:
    """A number of tokens for services that tell none: words, and a token for every four characters of a long one."""
    return sum(max(1, len(word) // 4) for text in texts for word in text.split() or [text])


def rows_of(reply: Reply, name: str) -> list[Any]:
    """The list under a name; `Missing` for anything else."""
    found = at(reply, name)
    if not isinstance(found, list):
        raise Missing(f"{name} is no list")
    return found
