"""The memories beside a text: the best of hybrid retrieval, and those about the same things."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from cortex.core.moments import microseconds
from cortex.core.scoring.fusion import fuse, pool
from cortex.core.scoring.turns import NOBODY
from cortex.core.settle import Neighbour
from cortex.core.text import analyse_query
from cortex.engine.deps import Deps
from cortex.engine.legs import Mask, Search, legs
from cortex.engine.shelf import ROLES, View
from cortex.engine.vectors import EmbeddedQuery
from cortex.model.embedding import Embedding, FloatArray
from cortex.model.memory import Memory, Status
from cortex.model.policy import Grant
from cortex.model.query import Fusion, Selection
from cortex.model.understanding import SELF, Reading

MOST = 20
_ABOUT = 10  # memories about the same things, besides
_QUERY_CHARS = 1_000  # what a text is about shows at its beginning, and every word costs


def beside(
    deps: Deps, grant: Grant, memory: Memory, embedding: Embedding | None, reading: Reading | None
) -> list[Neighbour]:
    """Up to 20 active memories of the same scope that are near, best first, then some about the same things.

    ``embedding``: that of a text that is not kept yet; a memory that is there has its own.
    """
    now = deps.clock.now()
    (view,) = deps.index.views([memory.scope])
    vector = _own(view, memory.seq) if embedding is None else embedding.pieces[0]
    mask = _said_alike(view, memory, view.visible(int(grant.clearance), microseconds(now)))
    terms = analyse_query(memory.content[:_QUERY_CHARS])
    query = EmbeddedQuery(vector)
    found = legs(Search(memory.content, terms, query, [view], [mask], pool(MOST, Fusion.RRF)))
    seqs = [seq for seq, _ in fuse(found, Fusion.RRF)][: MOST + 1]
    about = _about(deps, grant, memory, reading)
    chosen = [seq for seq in dict.fromkeys([*seqs[:MOST], *about]) if seq != memory.seq]
    cosines = _cosines(view, vector, chosen)
    rows = deps.store.read(chosen)
    return [Neighbour(row, cosines.get(row.seq)) for row in rows if row.status is Status.ACTIVE]


def _said_alike(view: View, memory: Memory, mask: Mask) -> Mask:
    """What is said in the same role: what an assistant answers is near to everything, and outranks what was said."""
    if memory.role is None:
        return mask
    roles = view.columns["role"]
    alike: npt.NDArray[np.bool_] = (roles == ROLES[memory.role.value]) | (roles == NOBODY)
    return alike if mask is None else alike & mask


def _about(deps: Deps, grant: Grant, memory: Memory, reading: Reading | None) -> list[int]:
    """The newest memories that mention the same: contradictions need not be near by meaning."""
    norms = [] if reading is None else [mention.norm for mention in reading.mentions if mention.norm != SELF]
    if not norms:
        return []
    selection = Selection(scopes=(memory.scope,), clearance=grant.clearance, now=deps.clock.now())
    found: dict[int, None] = {}
    for name in norms:
        found |= dict.fromkeys(deps.store.knowledge.mentioning(selection, name, _ABOUT))
    return sorted(found, reverse=True)[:_ABOUT]


def _own(view: View, seq: int) -> FloatArray | None:
    """The vector of a memory that is there already; None where it has none yet."""
    rows = np.flatnonzero(view.alive() & (view.seqs == seq))
    return view.pieces.first_of(int(rows[0])) if seq and len(rows) else None


def _cosines(view: View, vector: FloatArray | None, seqs: Sequence[int]) -> dict[int, float]:
    """The exact cosine with each of these memories; none for those without vectors."""
    if vector is None:
        return {}
    rows = np.flatnonzero(view.alive() & np.isin(view.seqs, np.array(seqs, dtype=np.int64)))
    values = view.pieces.of_rows(vector, rows)
    return {
        seq: value
        for seq, value in zip(view.seqs[rows].tolist(), values.tolist(), strict=True)
        if value > float("-inf")
    }
