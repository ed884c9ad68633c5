"""An embedder that remembers: no text is embedded twice, in whichever process or run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np

from cortex.errors import EmbedderError
from cortex.model.embedding import EmbeddingSignature, EmbedResult, FloatArray
from cortex.ports import Embedder, PatientEmbedder
from cortex.providers.cache_file import CHUNK, Remembers, Transaction, digest, marks

_Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True, eq=False)
class _Entry:
    """What is kept of one text: float32 [dim], and float32 [tokens, width] with int32 [tokens, 2] where given."""

    vector: FloatArray
    tokens: FloatArray | None
    spans: list[tuple[int, int]] | None


class CachedEmbedder(Remembers):
    """``inner``, asked once for each text: vectors, token vectors and spans come back exactly as it gave them.

    ``path``: a `cortex.providers.cache_file.CacheFile`; it holds digests of texts and no text. It knows which
    memories have which texts (`cortex.ports.TextTraces`), and what nobody has any more is erased with the last of
    them; what was asked for and never kept, as questions are, stays until `clear`. The copies in the file cost no
    tokens: ``tokens`` of a result counts those that ``inner`` read. Where the file cannot be used any more, ``inner``
    answers and a log record says why. Raises `ForeignStore` for a file that is something else, `EmbedderError` for
    one that cannot be opened. One object may serve many threads, and any number of processes one file.
    """

    def __init__(self, inner: Embedder, path: str | os.PathLike[str]) -> None:
        super().__init__(path, EmbedderError)
        self.inner = inner

    @property
    def signature(self) -> EmbeddingSignature:
        """That of ``inner``."""
        return self.inner.signature

    @property
    def ready(self) -> bool:
        """Whether ``inner`` would answer at once."""
        return bool(getattr(self.inner, "ready", True))

    @property
    def gives_tokens(self) -> bool:
        """Whether ``inner`` was told to give vectors of tokens: what it gives with and without is kept apart."""
        return bool(getattr(self.inner, "gives_tokens", True))

    @property
    def patient(self) -> Embedder:
        """The same file before the one of ``inner`` that tries longer, where it has one."""
        if not isinstance(self.inner, PatientEmbedder):
            return self
        other = copy(self)
        other.inner = self.inner.patient
        return other

    def embed(self, texts: Sequence[str]) -> EmbedResult:
        """One unit vector a text, in order; ``inner`` is asked in one call for those that are new."""
        signature = self.inner.signature
        digests = [digest(text) for text in texts]
        nothing: dict[bytes, _Entry] = {}
        key = _key(signature, tokens=self.gives_tokens)
        known = self._file.guarded(lambda: self._get(key, signature.dim, dict.fromkeys(digests)), nothing)
        new = {key_: text for key_, text in zip(digests, texts, strict=True) if key_ not in known}
        tokens = 0
        if new or not texts:
            answer = self.inner.embed(list(new.values()))
            made = _entries(list(new), answer, signature.dim)
            if made is None:
                if len(new) == len(texts):
                    return answer  # the caller judges what it is, as without a cache
                raise EmbedderError(f"the embedder gave unusable vectors for {len(new)} texts")
            self._file.guarded(lambda: self._put(key, made), None)
            known = known | made
            tokens = answer.tokens
        return _result([known[each] for each in digests], tokens, signature.dim)

    def own(self, texts: Mapping[str, Sequence[str]]) -> None:
        """These memories, by id, were kept with these texts."""
        rows = [(digest(text), memory_id) for memory_id, group in texts.items() for text in group]
        if rows:
            self._file.guarded(lambda: self._own(rows), None)

    def _get(self, key: _Key, dim: int, digests: Iterable[bytes]) -> dict[bytes, _Entry]:
        found: dict[bytes, _Entry] = {}
        wanted = list(digests)
        for start in range(0, len(wanted), CHUNK):
            chunk = wanted[start : start + CHUNK]
            bound = [*key, *chunk]
            for own, *columns in self._file.connection.execute(_GET.format(marks=marks(chunk)), bound):
                entry = _entry(dim, *columns)
                if entry is not None:
                    found[own] = entry
        return found

    def _put(self, key: _Key, made: Mapping[bytes, _Entry]) -> None:
        with Transaction(self._file.connection) as connection:
            connection.execute("INSERT OR IGNORE INTO signatures (model, dim, revision) VALUES (?, ?, ?)", key)
            connection.executemany(_PUT, [(own, *_columns(entry), *key) for own, entry in made.items()])

    def _own(self, rows: Sequence[tuple[bytes, str]]) -> None:
        with Transaction(self._file.connection) as connection:
            connection.executemany("INSERT OR IGNORE INTO owners (digest, memory_id) VALUES (?, ?)", rows)


_GET = (
    "SELECT e.digest, e.vector, e.width, e.token_vectors, e.spans FROM entries e JOIN signatures USING (signature_id) "
    "WHERE model = ? AND dim = ? AND revision = ? AND e.digest IN ({marks})"
)
_PUT = (
    "INSERT OR REPLACE INTO entries (digest, vector, width, token_vectors, spans, signature_id) "
    "SELECT ?, ?, ?, ?, ?, signature_id FROM signatures WHERE model = ? AND dim = ? AND revision = ?"
)


def _key(signature: EmbeddingSignature, *, tokens: bool) -> _Key:
    return signature.model, signature.dim, signature.revision if tokens else f"{signature.revision} without tokens"


def _entries(digests: Sequence[bytes], answer: EmbedResult, dim: int) -> dict[bytes, _Entry] | None:
    """What to keep of an answer; None for one that is not what an embedder promises."""
    vectors = np.asarray(answer.vectors)
    if vectors.dtype != np.float32 or vectors.shape != (len(digests), dim) or not np.isfinite(vectors).all():
        return None
    tokens, spans = answer.token_vectors, answer.token_spans
    if any(given is not None and len(given) != len(digests) for given in (tokens, spans)):
        return None
    made = {}
    for row, key in enumerate(digests):
        own = None if tokens is None else np.asarray(tokens[row], dtype=np.float32)
        if own is not None and own.ndim != 2:
            return None
        made[key] = _Entry(vectors[row], own, None if spans is None else [(int(a), int(b)) for a, b in spans[row]])
    return made


def _columns(entry: _Entry) -> tuple[bytes, int | None, bytes | None, bytes | None]:
    vector = np.ascontiguousarray(entry.vector, dtype="<f4").tobytes()
    tokens = None if entry.tokens is None else np.ascontiguousarray(entry.tokens, dtype="<f4").tobytes()
    spans = None if entry.spans is None else np.array(entry.spans, dtype="<i4").tobytes()
    return vector, None if entry.tokens is None else entry.tokens.shape[1], tokens, spans


def _entry(dim: int, vector: bytes, width: int | None, tokens: bytes | None, spans: bytes | None) -> _Entry | None:
    """The entry of a row; None for a damaged one, which is made anew."""
    if len(vector) != 4 * dim or (width and tokens is not None and len(tokens) % (4 * width)):
        return None
    own = None if tokens is None or not width else _floats(tokens).reshape(-1, width)
    if spans is not None and own is not None and len(spans) != 8 * len(own):
        return None
    pairs = None if spans is None else np.frombuffer(spans, dtype="<i4").reshape(-1, 2).tolist()
    numbers = _floats(vector)
    if not (numbers.any() and np.isfinite(numbers).all() and (own is None or np.isfinite(own).all())):
        return None
    return _Entry(numbers, own, None if pairs is None else [(start, end) for start, end in pairs])


def _floats(raw: bytes) -> FloatArray:
    return np.frombuffer(raw, dtype="<f4").astype(np.float32)


def _result(entries: Sequence[_Entry], tokens: int, dim: int) -> EmbedResult:
    vectors = np.stack([entry.vector for entry in entries]) if entries else np.zeros((0, dim), dtype=np.float32)
    arrays = [entry.tokens for entry in entries if entry.tokens is not None]
    spans = [entry.spans for entry in entries if entry.spans is not None]
    whole = bool(entries) and len(arrays) == len(spans) == len(entries)
    return EmbedResult(vectors, tokens, arrays if whole else None, spans if whole else None)
