"""What cannot be done without: for recall the matrix product with its top-k and BM25 over postings, for a
write the insert and commit of its rows.

Written for this measurement alone, as fast as numpy and SQLite make it; no gate, no rows, no errors.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pysqlite3 import dbapi2 as sqlite

from cortex_bench.synthetic import Collection

_K1, _B = 1.5, 0.75


class Floor:
    """The arrays of one collection."""

    def __init__(self, collection: Collection) -> None:
        self._vectors = collection.vectors
        tokens = [text.split() for text in collection.texts]
        self._lengths = np.array([len(document) for document in tokens], dtype=np.float32)
        places: dict[str, list[tuple[int, int]]] = {}
        for row, document in enumerate(tokens):
            for term, count in Counter(document).items():
                places.setdefault(term, []).append((row, count))
        self._postings = {
            term: (np.array([row for row, _ in found]), np.array([count for _, count in found], dtype=np.float32))
            for term, found in places.items()
        }

    def dense(self, vector: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.intp]:
        """The rows of the ``k`` nearest vectors, best first."""
        return _top(np.vecdot(self._vectors, vector), k)

    def lexical(self, question: str, k: int) -> npt.NDArray[np.intp]:
        """The rows of the ``k`` best BM25 scores, best first."""
        scores = np.zeros(len(self._lengths), dtype=np.float32)
        mean = float(self._lengths.mean())
        for term in dict.fromkeys(question.split()):
            if term in self._postings:
                rows, counts = self._postings[term]
                weight = log(1 + (len(scores) - len(rows) + 0.5) / (len(rows) + 0.5))
                norm = _K1 * (1 - _B + _B * self._lengths[rows] / mean)
                scores[rows] += weight * (_K1 + 1) * counts / (counts + norm)
        found = np.flatnonzero(scores)
        return found[_top(scores[found], k)]


def _top(scores: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.intp]:
    best = np.argpartition(scores, len(scores) - k)[len(scores) - k :] if len(scores) > k else np.arange(len(scores))
    return best[np.argsort(-scores[best])]


class BareWriter:
    """Puts rows that Cortex wrote into the same tables of a copy, one commit a memory, as durably as Cortex does."""

    _TABLES = ("memories", "lexical", "vectors")

    def __init__(self, path: Path) -> None:
        self._connection = sqlite.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._statements: list[str] = []

    def take(self, source: Path, number: int) -> list[tuple[tuple[object, ...], ...]]:
        """The rows of the last ``number`` memories of a store, oldest first, a tuple a memory."""
        with closing(sqlite.connect(source)) as connection:
            found = [
                connection.execute(f"SELECT * FROM {table} ORDER BY seq DESC LIMIT ?", [number]).fetchall()  # noqa: S608 - our names
                for table in self._TABLES
            ]
        self._statements = [
            f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})"  # noqa: S608 - our names
            for table, rows in zip(self._TABLES, found, strict=True)
        ]
        return list(zip(*found, strict=True))[::-1]

    def insert(self, rows: tuple[tuple[object, ...], ...]) -> None:
        """Insert the rows of one memory and commit."""
        self._connection.execute("BEGIN IMMEDIATE")
        for statement, row in zip(self._statements, rows, strict=True):
            self._connection.execute(statement, row)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
