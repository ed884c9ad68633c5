"""Gathering what the ranking `conversation` looks at: the candidates of each view, and their signals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from cortex.core.lexical import bm25, bm25_in_context
from cortex.core.scoring import conversation
from cortex.core.scoring.late import Asked, Tokens, asked, best_cosines
from cortex.core.scoring.rank import best_rows, said_of
from cortex.core.scoring.similarity import NOTHING, distinct
from cortex.core.scoring.turns import NOBODY, Turns, named
from cortex.core.text import analyse_query
from cortex.engine.legs import Candidates, Search
from cortex.engine.shelf import USER, View
from cortex.model.embedding import FloatArray

Rows = npt.NDArray[np.intp]

POOL = 80  # candidates a leg, at least
SHORTLIST = 100  # candidates, at least, whose tokens are compared: the best by the signals that cost little


@dataclass(frozen=True, slots=True)
class _Found:
    """The candidates of one view: rows, and what each signal says of them."""

    view: View
    rows: Rows
    signals: Mapping[str, FloatArray]


def converse(search: Search) -> Candidates | None:
    """Every candidate with a score from 0 to 1, and what each signal says of it.

    None where no memory is a turn among others: then there is nothing to add to `relevance`.
    """
    turns = [view.turns.among(mask) for view, mask in zip(search.views, search.masks, strict=True)]
    if not any(each.any for each in turns):
        return None
    question = _asked(search)
    found = [_look(search, place, own, question) for place, own in enumerate(turns)]
    names = tuple(name for name in search.weigh.signals if all(name in each.signals for each in found))
    signals = {name: np.concatenate([each.signals[name] for each in found]) for name in names}
    seqs = np.concatenate([each.view.seqs[each.rows] for each in found])
    if len(seqs) == 0:
        return Candidates([], names, lambda _: {})
    scores = conversation.scored(
        search.weigh,
        signals,
        priors=_priors(search, found),
        session=_sessions(found),
    )
    order = np.lexsort((seqs, -scores))
    ranked = list(zip(seqs[order].tolist(), scores[order].tolist(), strict=True))
    return Candidates(ranked, names, partial(said_of, seqs, signals))


def _asked(search: Search) -> Asked | None:
    query = search.query
    if "late_context" not in search.weigh.signals or query.tokens is None:
        return None
    if all(view.tokens is None for view in search.views):
        return None
    weights = dict(zip(search.terms, search.weights, strict=True))

    def idf_of(word: str) -> float:
        return max((weights.get(term, 0.0) for term in _terms_of(word)), default=0.0)

    return asked(search.text, query.tokens, query.spans, idf_of)


@lru_cache(maxsize=4096)  # the same few words ask again and again
def _terms_of(word: str) -> tuple[str, ...]:
    return tuple(analyse_query(word))


def _look(search: Search, place: int, turns: Turns, question: Asked | None) -> _Found:
    view, mask, weigh = search.views[place], search.masks[place], search.weigh
    terms, size, most = search.terms_in(place), max(POOL, search.size), max(SHORTLIST, search.size)
    lexical = bm25(terms, view.columns["length"], search.corpus)
    scores = {"lexical": (lexical if mask is None else lexical * mask, 0.0)}
    vector = search.query.vector
    if vector is not None:
        scores["dense"] = (view.pieces.near(vector, mask), float(NOTHING))
    best = [_best(view, values, above, size) for values, above in scores.values()]
    rows = _candidates(turns, weigh.neighbours, best)
    before, after = turns.before.take(rows), turns.after.take(rows)
    context = bm25_in_context(
        terms, (rows, before, after), view.columns["length"], search.corpus, weigh.neighbour_words
    )
    cheap = {name: values[0].take(rows) for name, values in scores.items() if name == "dense"}
    short = conversation.best(weigh, {**cheap, "lexical_context": context}, view.seqs.take(rows), most)
    rows, before, after = rows.take(short), before.take(short), after.take(short)
    signals = {} if vector is None else {"dense": view.pieces.of_rows(vector, rows)}
    signals["lexical_context"] = context.take(short)
    if question is not None:
        signals["late_context"] = _late(search, view, question, (rows, before, after))
    return _Found(view, rows, signals)


def _best(view: View, scores: FloatArray, above: float, size: int) -> Rows:
    """The best rows, best first; ties, at the cut too, fall to the memory that was written first."""
    rows = best_rows(scores, size, above)
    return rows[np.lexsort((view.seqs[rows], -scores[rows]))[:size]]


def _candidates(turns: Turns, neighbours: int, best: list[Rows]) -> Rows:
    """The best rows of each leg, and the neighbours of the very best."""
    first = np.concatenate([rows[:neighbours] for rows in best])
    beside = np.concatenate([turns.before[first], turns.after[first]])
    return distinct(np.concatenate([*best, beside[beside != NOBODY]]))


def _late(search: Search, view: View, question: Asked, places: tuple[Rows, Rows, Rows]) -> FloatArray:
    rows, before, _ = places
    if view.tokens is None or view.tokens.values.shape[1] != question.values.shape[1]:
        return np.zeros(len(rows), dtype=np.float32)
    answers = (before != NOBODY) & view.columns["asks"][before]
    own, earlier, later = _cosines(question, view.tokens, *places)
    lent = conversation.lent_cosines(search.weigh, own, earlier, later, answers)
    # A row at a time: a product of matrices gives a row other last digits beside other rows.
    scores: FloatArray = np.vecdot(lent, question.weights)
    return scores


def _cosines(question: Asked, tokens: Tokens, *places: Rows) -> list[FloatArray]:
    """The best cosines at each place; a row that stands at several is compared once."""
    everywhere = np.concatenate(places)
    unique = distinct(everywhere)
    best = best_cosines(question, tokens, unique)
    return list(best[unique.searchsorted(everywhere)].reshape(len(places), -1, len(question.values)))


def _priors(search: Search, found: list[_Found]) -> conversation.Priors:
    by_named, by_user, asks = [], [], []
    for each in found:
        speaker, role, asking = (each.view.columns[name][each.rows] for name in ("speaker", "role", "asks"))
        by_named.append(np.append(named(each.view.speakers, search.text), [False])[speaker])  # the last for nobody
        by_user.append(role == USER)
        asks.append(asking & (role == NOBODY))
    return conversation.Priors(*map(np.concatenate, (by_named, by_user, asks)))


def _sessions(found: list[_Found]) -> npt.NDArray[np.int64]:
    """A number for the session of each candidate that no other view has; -1 for none."""
    lists, first = [], 0
    for each in found:
        own = each.view.columns["session"][each.rows].astype(np.int64)
        lists.append(np.where(own == NOBODY, own, own + first))
        first += int(own.max(initial=NOBODY)) + 1
    return np.concatenate(lists)
