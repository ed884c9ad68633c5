"""Files as released versions wrote them."""

from __future__ import annotations

from pathlib import Path

from cortex.stores.sqlite import migrate, schema
from cortex.stores.sqlite.driver import sqlite3
from cortex.testing import FakeEmbedder

TEXTS = ["Ada likes green tea", "Bob likes milk in the morning", "an aardvark sleeps", "forty two", "put away"]
WRITTEN = 1_767_225_600_000_001  # 2026-01-01 and a microsecond


def make_released(path: Path) -> Path:
    """Write a file as schema 1 made it: only the first migration, and rows put in by SQL."""
    connection = sqlite3.connect(path)
    connection.executescript(dict(schema.migrations())[1])
    connection.execute(f"PRAGMA application_id = {migrate.APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.executescript(
        "INSERT INTO signatures VALUES (1, 'fake', 64, '1');\n"
        "INSERT INTO scopes VALUES (1, 'local', 'user:ada');\n"
        "INSERT INTO scopes VALUES (2, 'local', 'project:x');\n"
        "INSERT INTO store VALUES ('signature', '1');\n"
        f"UPDATE store SET value = '{len(TEXTS)}' WHERE key = 'change';\n"
    )
    vectors = FakeEmbedder().embed(TEXTS).vectors
    for seq, (text, vector) in enumerate(zip(TEXTS, vectors, strict=True), 1):
        put(connection, seq, text, vector.astype("<f4").tobytes() if seq != 4 else None)
    connection.execute("INSERT INTO links VALUES (1, 'about', ?, 'both drink')", [f"{2:032x}"])
    connection.execute("INSERT INTO jobs (kind, seq, payload, run_at, attempts) VALUES ('embed', 4, '{}', 0, 2)")
    connection.execute(
        "INSERT INTO idempotency VALUES ('local', 'ada', 'k', x'00', ?, 1, ?, ?)",
        [f"{1:032x}", '{"scope": "user:ada", "version": 1}', WRITTEN],
    )
    connection.execute("INSERT INTO erased VALUES (1, 3, 77)")
    connection.commit()
    connection.close()
    return path


def put(connection: sqlite3.Connection, seq: int, text: str, vector: bytes | None) -> None:
    """A memory as version 1 of the program wrote it."""
    row = {
        "seq": seq, "id": f"{seq:032x}", "scope_id": 2 if seq == 3 else 1, "change": seq,
        "identity": seq.to_bytes(16, "big"), "status": "archived" if seq == 5 else "active", "kind": "fact",
        "tier": "long_term", "author": "ada", "fingerprint": b"f" * 16, "importance": seq, "confidence": 0.5,
        "clearance_min": 1, "created_at": WRITTEN + seq, "updated_at": WRITTEN + seq, "access_count": 0,
        "event_time": -WRITTEN, "version": 1, "signature_id": None if vector is None else 1,
        "embedded_chars": len(text), "tags": '["a"]', "metadata": '{"k":[1]}', "source": "{}", "content": text,
    }  # fmt: skip
    marks = ", ".join(f":{name}" for name in row)
    connection.execute(f"INSERT INTO memories ({', '.join(row)}) VALUES ({marks})", row)
    connection.execute("INSERT INTO lexical VALUES (?, ?)", [seq, text.lower()])
    if vector is not None:
        connection.execute("INSERT INTO vectors VALUES (?, 1, ?)", [seq, vector])
