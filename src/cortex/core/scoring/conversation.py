"""The ranking `conversation`: what the turns of a conversation know of each other, added to their own evidence.

Each signal is scaled to [0, 1] over the candidates of the question (min-max) and weighted. Then come priors, which
move and never filter, and what the best turns of a session lend the others. The weights were chosen by leaving one
conversation out at a time; docs/evaluation.md has the figures, and what did not help.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cortex.model.embedding import FloatArray
from cortex.model.ranking import ConversationWeights

SESSION_TURNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Priors:
    """What is known of each candidate, whatever the question: bool [candidates] each.

    ``said_by_named``: by somebody whom the question names. ``by_user``: by the user of an assistant. ``asks``: ends
    with a question, in a talk among people.
    """

    said_by_named: npt.NDArray[np.bool_]
    by_user: npt.NDArray[np.bool_]
    asks: npt.NDArray[np.bool_]


def scored(
    weights: ConversationWeights,
    signals: Mapping[str, FloatArray],
    *,
    priors: Priors,
    session: npt.NDArray[np.int64],
) -> FloatArray:
    """The score of every candidate, from 0 to 1."""
    own = with_priors(weights, fused(weights, signals), priors)
    scores = own + np.float32(weights.session) * session_share(own, session)
    least, most = -weights.asking, 1 + weights.named_speaker + weights.by_user
    span = (most - least) * (1 + weights.session)
    return ((scores - np.float32(least * (1 + weights.session))) / np.float32(span)).astype(np.float32)


def best(
    weights: ConversationWeights, signals: Mapping[str, FloatArray], seqs: npt.NDArray[np.int64], most: int
) -> npt.NDArray[np.intp]:
    """The places of the best by these signals, in rising order; ties at the cut fall to the smaller seq."""
    if len(seqs) <= most:
        return np.arange(len(seqs))
    return np.sort(np.lexsort((seqs, -fused(weights, signals)))[:most])


def fused(weights: ConversationWeights, signals: Mapping[str, FloatArray]) -> FloatArray:
    """The weighted mean of the signals of all candidates, each scaled to [0, 1], scaled so again.

    Signals that are not there leave their share to the others.
    """
    shares = {name: weights.signals.get(name, 0.0) for name in signals}
    total = sum(shares.values()) or 1.0
    parts = (np.float32(share / total) * scaled(signals[name]) for name, share in shares.items())
    return scaled(np.asarray(sum(parts, np.float32(0)), dtype=np.float32))


def scaled(values: FloatArray) -> FloatArray:
    """Min-max: the lowest is 0 and the highest 1; equals are all 1. What is not finite counts as the lowest."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    if np.isfinite(low) and np.isfinite(high):
        span = high - low
        return (values - low) / span if span > 0 else np.ones_like(values)
    known, moved = np.isfinite(values), np.zeros_like(values)
    if known.any():
        moved[known] = scaled(values[known])
    return moved


def with_priors(weights: ConversationWeights, scores: FloatArray, priors: Priors) -> FloatArray:
    """What somebody said whom the question names is likelier meant, and so is what a user told an assistant.

    Among people, a turn that asks seldom answers.
    """
    moved = scores + np.float32(weights.named_speaker) * priors.said_by_named
    moved = moved + np.float32(weights.by_user) * priors.by_user
    return (moved - np.float32(weights.asking) * priors.asks).astype(np.float32)


def session_share(scores: FloatArray, session: npt.NDArray[np.int64]) -> FloatArray:
    """What each candidate has from its session: the mean of the session's three best scores.

    A session with fewer candidates has nothing in the other places. A candidate without a session (-1) gets its own
    score, so that it stands where it stood.
    """
    shares = scores.copy()
    rows = np.flatnonzero(session >= 0)
    if len(rows):
        order = rows[np.lexsort((-scores[rows], session[rows]))]
        own = session[order]
        firsts = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
        sizes = np.diff(firsts, append=len(own))
        best = np.arange(len(own)) - np.repeat(firsts, sizes) < SESSION_TURNS
        sums = np.add.reduceat(np.where(best, scores[order], 0.0), firsts, dtype=np.float64)
        shares[order] = np.repeat(sums / SESSION_TURNS, sizes)
    return shares


def lent_cosines(
    weights: ConversationWeights,
    own: FloatArray,
    before: FloatArray,
    after: FloatArray,
    answers: npt.NDArray[np.bool_],
) -> FloatArray:
    """The best cosine of each token of the question, be it with a neighbour's token, which counts less.

    All float32 [rows, tokens]. ``answers``: which rows follow a question.
    """
    plain, answering = np.float32(weights.neighbour_tokens), np.float32(weights.answer_tokens)
    share = np.where(answers, answering, plain)[:, np.newaxis]
    lent: FloatArray = np.maximum(own, np.maximum(before * share, after * plain))
    return lent
