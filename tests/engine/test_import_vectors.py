"""Vectors that come with an import: of length 1 whatever they were, or refused with their line."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from cortex.core import portable
from cortex.model.embedding import Embedding, EmbeddingSignature
from tests.engine.support import Bench, kept

Change = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.float32]]

LONG: dict[str, Change] = {
    "a thousand times, shifted": lambda row: row * np.float32(1000) + np.float32(5),
    "long": lambda row: row * np.float32(3),
    "short": lambda row: row * np.float32(0.3),
    "tiny": lambda row: row * np.float32(1e-30),
    "huge": lambda row: row * np.float32(1e30),
    "a little long": lambda row: row * np.float32(1.001),
}
IMPOSSIBLE: dict[str, Change] = {
    "zero": lambda row: row * 0,
    "not a number": lambda row: row * np.float32(np.nan),
    "infinite": lambda row: row + np.float32(np.inf),
    "one short": lambda row: row[:-1],
    "none": lambda row: row[:0],
}
WHERE = ["current", "earlier"]


def a_line() -> dict[str, Any]:
    """A memory with vectors now and in an earlier version."""
    engine = Bench().engine()
    engine.update(kept(engine.memorize("green tea").id), content="green tea and milk")
    line: dict[str, Any] = json.loads(list(engine.admin.export_lines())[1])
    return line


def changed(line: dict[str, Any], where: str, change: Change) -> dict[str, Any]:
    """The line with its vectors, or those of its earlier version, changed."""
    line = deepcopy(line)
    form = line if where == "current" else line["earlier"][0]
    row = np.frombuffer(base64.b64decode(form["embedding"]["pieces"]), dtype="<f4")
    form["embedding"]["pieces"] = base64.b64encode(change(row).astype("<f4").tobytes()).decode()
    return line


def lengths(line: str) -> list[float]:
    """The length of every vector of a line."""
    record = portable.from_line(line)
    found = [form.embedding for form in (record.current, *record.earlier)]
    return [float(np.linalg.norm(row)) for each in found if isinstance(each, Embedding) for row in each.pieces]


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", LONG)
def test_vectors_are_scaled(name: str, where: str) -> None:
    """Similarities are cosines again, now and in the past, and the next export is stable."""
    engine = Bench().engine()
    line = changed(a_line(), where, LONG[name])
    assert engine.admin.import_lines([portable.header(), json.dumps(line)]).added == 1
    exported = list(engine.admin.export_lines())
    assert lengths(exported[1]) == pytest.approx([1.0, 1.0], abs=1e-5)
    for as_of in (None, line["updated_at"]):
        (hit,) = engine.recall("green tea", as_of=as_of).hits
        assert hit.parts["dense"].score <= 1.0 + 1e-5
    again = Bench().engine()
    again.admin.import_lines(exported)
    assert list(again.admin.export_lines()) == exported


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_has_no_direction_is_refused(name: str, where: str) -> None:
    """A vector that cannot be compared is an error of its line."""
    line = changed(a_line(), where, IMPOSSIBLE[name])
    done = Bench().engine().admin.import_lines([portable.header(), json.dumps(line)])
    assert ([refused.line for refused in done.refused], done.added) == ([2], 0)


def test_unit_vectors_stay_as_they_are() -> None:
    """Vectors of length 1, as any embedder makes them, come out to the bit."""
    engine = Bench().engine()
    line = json.dumps(a_line(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    engine.admin.import_lines([portable.header(), line])
    assert list(engine.admin.export_lines()) == [portable.header(), line]


def test_many_directions_stay_too() -> None:
    """Whatever rounding a normalised float32 vector has, it is not scaled again."""
    numbers = np.random.default_rng(5)
    for dim in (1, 3, 384, 1024):
        rows = numbers.standard_normal((50, dim)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        record = portable.from_line(json.dumps(a_line()))
        form = record.current
        vectors = Embedding(EmbeddingSignature("m", dim), rows)
        given = type(record)(type(form)(form.memory, form.identity, form.terms, vectors), ())
        back = portable.from_line(portable.to_line(given)).current.embedding
        assert back is not None
        assert back.pieces.tobytes() == rows.tobytes()
