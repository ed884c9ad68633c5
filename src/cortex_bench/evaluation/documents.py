"""Plain document sets with relevance judgements, as BEIR and TREC write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from cortex_bench.evaluation.parts import DataSet, Part, Question, digest

GROUP = "judged"
SCOPE = "project:documents"


def read(corpus: Path, queries: Path, qrels: Path) -> DataSet:
    """Documents, queries and judgements; `ValueError` says what is wrong in which file.

    ``corpus`` and ``queries``: JSON lines with _id and text, documents also with title. ``qrels``: query, document and
    score in columns after a header, or TREC's four columns. A query without a document above 0 is asked nothing.
    """
    documents = dict(_texts(corpus))
    asked = dict(_texts(queries))
    judged: dict[str, dict[str, float]] = {}
    for query, document, gain in _judgements(qrels):
        if query in asked and document in documents and gain > 0:
            judged.setdefault(query, {})[document] = gain
    if not judged:
        raise ValueError(f"{qrels} judges no document of {corpus} for any query of {queries}")
    items = tuple({"content": text, "scope": SCOPE} for text in documents.values())
    questions = tuple(Question(id=id_, text=text, group=GROUP, gold=judged.get(id_, {})) for id_, text in asked.items())
    part = Part(SCOPE, items, tuple(documents), questions)
    return DataSet(name="qrels", parts=lambda: [part], digest=digest(corpus, queries, qrels))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_lines(path), start=1):
        try:
            entry: Mapping[str, Any] = json.loads(line)
            parts = (str(entry.get("title") or ""), str(entry["text"]))
            id_ = str(entry["_id"])
        except (json.JSONDecodeError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f'{path}, line {number}: expected {{"_id": …, "text": …}} ({type(error).__name__}: {error})'
            ) from error
        text = "\n".join(part for part in parts if part.strip())
        if text:
            yield id_, text


def _judgements(path: Path) -> Iterator[tuple[str, str, float]]:
    for number, line in enumerate(_lines(path), start=1):
        columns = line.split("\t") if "\t" in line else line.split()
        match columns:
            case ["query-id", "corpus-id", "score"]:
                continue
            case [query, _, document, gain] | [query, document, gain]:
                try:
                    yield query, document, _finite(gain)
                except ValueError as error:
                    raise _misread(path, number, str(error)) from error
            case _:
                raise _misread(path, number, f"{len(columns)} columns")


def _finite(gain: str) -> float:
    value = float(gain)
    if not isfinite(value):
        raise ValueError(f"{gain} is no gain")
    return value


def _misread(path: Path, number: int, why: str) -> ValueError:
    return ValueError(f"{path}, line {number}: expected query-id, corpus-id and score, or TREC's four columns ({why})")


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from (line.strip("\r\n") for line in file if line.strip())
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 ({error.reason} at byte {error.start})") from error
