"""Writing the vectors of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex.model.embedding import Embedding

if TYPE_CHECKING:
    from sqlite3 import Connection


def put(db: Connection, seq: int, signature_id: int, embedding: Embedding) -> None:
    """Keep the vectors of a memory that has none of this signature."""
    db.execute(
        "INSERT INTO vectors (seq, signature_id, pieces) VALUES (?, ?, ?)",
        [seq, signature_id, embedding.pieces.astype("<f4", copy=False).tobytes()],
    )
    if embedding.token_vectors is not None:
        tokens = embedding.token_vectors
        db.execute(
            "INSERT INTO token_vectors (seq, signature_id, dim, dtype, scale, tokens) "
            "VALUES (?, ?, ?, 'i1', 1.0 / 127, ?)",
            [seq, signature_id, tokens.shape[1], tokens.tobytes()],
        )
