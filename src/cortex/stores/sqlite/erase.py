"""Removing every row of memories that are erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cortex.stores.sqlite.free_space import OWE_A_SCRUB

if TYPE_CHECKING:
    from sqlite3 import Connection


# Everything that holds words of a memory beside its row, or something made of them.
_WORDS = "vectors token_vectors lexical jobs version_vectors versions understood events mentions relations".split()


def words_of(db: Connection, seq: int, id_: str) -> None:
    """Remove every trace of the words of one memory, which is about to get others."""
    db.execute("UPDATE idempotency SET request = x'' WHERE id = ?", [id_])
    db.execute(OWE_A_SCRUB)
    for table in _WORDS:
        db.execute(f"DELETE FROM {table} WHERE seq = ?", [seq])
    db.execute("DELETE FROM conflicts WHERE older = ?1 OR newer = ?1", [seq])
    db.execute("UPDATE links SET reason = '' WHERE seq = ? OR target = ?", [seq, id_])


def versions_of(db: Connection, scope_id: int) -> dict[str, int]:
    """Remove every old version that lived in a scope; how many rows went from each table."""
    which = "(seq, version) IN (SELECT seq, version FROM versions WHERE scope_id = ?)"
    vectors = db.execute(f"DELETE FROM version_vectors WHERE {which}", [scope_id]).rowcount
    versions = db.execute("DELETE FROM versions WHERE scope_id = ?", [scope_id]).rowcount
    return {"version_vectors": vectors, "versions": versions}


def rows_of(db: Connection, which: str, bound: list[int | str]) -> dict[str, int]:
    """Remove the chosen memories from every table; how many rows went from each. ``which`` is a condition of ours."""
    seqs = f"SELECT seq FROM memories WHERE {which}"
    ids = f"SELECT id FROM memories WHERE {which}"
    # The digest of an erased text is a trace of it, that of an earlier version too; the key stays taken.
    earlier = f"SELECT id FROM versions WHERE {which}"
    db.execute(f"UPDATE idempotency SET request = x'' WHERE id IN ({ids} UNION {earlier})", [*bound, *bound])
    db.execute(OWE_A_SCRUB)
    counts = {
        name: db.execute(f"DELETE FROM {table} WHERE {column} IN ({chosen})", bound).rowcount
        for name, table, column, chosen in (
            ("vectors", "vectors", "seq", seqs),
            ("token_vectors", "token_vectors", "seq", seqs),
            ("text_index", "lexical", "seq", seqs),
            ("links", "links", "seq", seqs),
            ("links_to_it", "links", "target", ids),
            ("jobs", "jobs", "seq", seqs),
            ("version_vectors", "version_vectors", "seq", seqs),
            ("versions", "versions", "seq", seqs),
            ("events", "events", "seq", seqs),
            ("mentions", "mentions", "seq", seqs),
            ("relations", "relations", "seq", seqs),
        )
    }
    conflicts = f"DELETE FROM conflicts WHERE older IN ({seqs}) OR newer IN ({seqs})"
    counts["conflicts"] = db.execute(conflicts, [*bound, *bound]).rowcount
    counts["memories"] = db.execute(f"DELETE FROM memories WHERE {which}", bound).rowcount
    return counts
