"""A few sentences that stand for several texts, taken from them word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from cortex.core.text.analyser import analyse
from cortex.core.text.preview import preview
from cortex.core.understanding.contradiction.sentences import sentences as sentences_of
from cortex.model.understanding import Summary

_MOST_SENTENCES = 400  # of all texts together
_ASKING = 0.5  # what asks tells less than what states
_FEW_TERMS = 4  # a sentence with fewer is central by chance
_LONGEST = 600  # characters of a sentence
_ENDS: Final = (".", "!", "?", "…", "]", ":", ";", "。", "！", "？")

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Sentence:
    source: int
    text: str
    terms: tuple[str, ...]


def summarise(texts: Sequence[str], *, sentences: int = 3) -> Summary:
    """At most so many sentences of the texts, in their order, and the positions of the texts they are taken from.

    Chosen are those that share most weight of words with all others, each less what the chosen ones say already
    (centroid and maximal marginal relevance: Radev et al., 2004; Carbonell and Goldstein, 1998). The same texts give
    the same summary. One text of no more sentences is its own summary; no text gives an empty one. `ValueError` for
    fewer than one sentence.
    """
    if sentences < 1:
        raise ValueError(f"sentences is {sentences}; expected 1 or more")
    told = [place for place, text in enumerate(texts) if text.strip()]
    found = _sentences(texts)
    if len(told) == 1 and len(found) <= sentences and len(texts[told[0]]) <= _LONGEST * sentences:
        return Summary(texts[told[0]].strip(), (told[0],))
    kept = found if len(found) <= sentences else _central(found, sentences)
    return Summary(_joined([each.text for each in kept]), tuple(dict.fromkeys(each.source for each in kept)))


def _sentences(texts: Sequence[str]) -> list[_Sentence]:
    """The different sentences of the texts in order: of many texts some of each."""
    found: list[_Sentence] = []
    known: set[tuple[str, ...]] = set()
    most = max(1, _MOST_SENTENCES // max(1, len(texts)))
    for source, text in enumerate(texts):
        if len(found) >= _MOST_SENTENCES:
            break
        for sentence in (sentences_of(text) or text.strip().splitlines()[:1])[:most]:
            terms = tuple(analyse(sentence[:_LONGEST]))
            if terms and terms not in known:
                known.add(terms)
                found.append(_Sentence(source, preview(sentence, _LONGEST), terms))
    return found


def _central(found: Sequence[_Sentence], number: int) -> list[_Sentence]:
    vectors = _vectors(found)
    centroid: Counter[str] = Counter()
    for vector in vectors:
        centroid.update(vector)
    size = _norm(centroid)
    worth = [_dot(vector, centroid) / size * _fitness(each) for vector, each in zip(vectors, found, strict=True)]
    said = [0.0] * len(found)
    chosen: list[int] = []
    for _ in range(number):
        left = [place for place in range(len(found)) if place not in chosen]
        best = max(left, key=lambda place: (round(worth[place] * (1 - said[place]), 9), -place))
        chosen.append(best)
        said = [max(old, _dot(vector, vectors[best])) for old, vector in zip(said, vectors, strict=True)]
    return [found[place] for place in sorted(chosen)]


def _vectors(found: Sequence[_Sentence]) -> list[Vector]:
    """Unit vectors: each term of a sentence once, weighted by how few sentences have it."""
    having = Counter(term for each in found for term in set(each.terms))
    vectors: list[Vector] = []
    for each in found:
        weights = {term: log(1 + len(found) / having[term]) for term in each.terms}
        norm = _norm(weights)
        vectors.append({term: weight / norm for term, weight in weights.items()})
    return vectors


def _fitness(sentence: _Sentence) -> float:
    fit = min(1.0, len(set(sentence.terms)) / _FEW_TERMS)
    return fit * _ASKING if sentence.text.endswith(("?", "？")) else fit


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return sum(weight * other[term] for term, weight in one.items() if term in other)


def _norm(weights: Mapping[str, float]) -> float:
    return sqrt(sum(weight * weight for weight in weights.values())) or 1.0


def _joined(parts: Sequence[str]) -> str:
    ended = [part if part.endswith(_ENDS) else f"{part}." for part in parts[:-1]]
    return " ".join([*ended, *parts[-1:]])
