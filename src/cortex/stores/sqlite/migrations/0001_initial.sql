-- Schema 1. Times are microseconds since 1970 UTC. A statement ends with a semicolon at the end of a line.

CREATE TABLE store (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

INSERT INTO store (key, value) VALUES ('change', '0');

CREATE TABLE signatures (
    signature_id INTEGER PRIMARY KEY,
    model        TEXT NOT NULL,
    dim          INTEGER NOT NULL,
    revision     TEXT NOT NULL,
    UNIQUE (model, dim, revision)
);

CREATE TABLE scopes (
    scope_id  INTEGER PRIMARY KEY,
    org_id    TEXT NOT NULL,
    scope_key TEXT NOT NULL,
    UNIQUE (org_id, scope_key)
);

-- Small columns come first, content last: reading the others never touches the pages of a long text.
CREATE TABLE memories (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    scope_id         INTEGER NOT NULL REFERENCES scopes,
    change           INTEGER NOT NULL,
    identity         BLOB NOT NULL,
    status           TEXT NOT NULL,
    kind             TEXT NOT NULL,
    tier             TEXT NOT NULL,
    author           TEXT NOT NULL,
    agent            TEXT,
    session          TEXT,
    position         INTEGER,
    speaker          TEXT,
    role             TEXT,
    fingerprint      BLOB NOT NULL,
    language         TEXT,
    importance       INTEGER NOT NULL,
    emotion          REAL,
    confidence       REAL NOT NULL,
    clearance_min    INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    event_time       INTEGER,
    valid_from       INTEGER,
    valid_to         INTEGER,
    expires_at       INTEGER,
    working_until    INTEGER,
    last_accessed_at INTEGER,
    access_count     INTEGER NOT NULL,
    superseded_by    TEXT,
    version          INTEGER NOT NULL,
    signature_id     INTEGER REFERENCES signatures,
    embedded_chars   INTEGER NOT NULL,
    tags             TEXT NOT NULL,
    metadata         TEXT NOT NULL,
    source           TEXT NOT NULL,
    content          TEXT NOT NULL
);

-- One active memory for each identity (text, scope, kind, session, speaker, position, event time).
CREATE UNIQUE INDEX memories_identity ON memories (scope_id, identity) WHERE status = 'active';
CREATE INDEX memories_change ON memories (scope_id, change);
CREATE INDEX memories_created ON memories (scope_id, created_at);
CREATE INDEX memories_event ON memories (scope_id, event_time) WHERE event_time IS NOT NULL;
CREATE INDEX memories_pending ON memories (scope_id) WHERE signature_id IS NULL;

-- Analysed tokens in order, joined by a space.
CREATE TABLE lexical (
    seq   INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    terms TEXT NOT NULL
);

-- float32 [pieces, dim], little endian.
CREATE TABLE vectors (
    seq          INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    signature_id INTEGER NOT NULL REFERENCES signatures,
    pieces       BLOB NOT NULL,
    PRIMARY KEY (seq, signature_id)
);

-- [tokens, dim] of the given type ('f4' or 'i1'; an int8 value times scale is the float), little endian.
CREATE TABLE token_vectors (
    seq          INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    signature_id INTEGER NOT NULL REFERENCES signatures,
    dim          INTEGER NOT NULL,
    dtype        TEXT NOT NULL,
    scale        REAL NOT NULL,
    tokens       BLOB NOT NULL,
    PRIMARY KEY (seq, signature_id)
);

CREATE TABLE links (
    seq      INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    relation TEXT NOT NULL,
    target   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    PRIMARY KEY (seq, relation, target)
) WITHOUT ROWID;

CREATE INDEX links_target ON links (target);

-- Which seqs were erased, so that every process drops them from its cache; no content.
CREATE TABLE erased (
    scope_id INTEGER NOT NULL REFERENCES scopes,
    change   INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (scope_id, change, seq)
) WITHOUT ROWID;

CREATE TABLE idempotency (
    org_id  TEXT NOT NULL,
    owner   TEXT NOT NULL,
    key     TEXT NOT NULL,
    request BLOB NOT NULL,
    id      TEXT NOT NULL,
    applied INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (org_id, owner, key)
) WITHOUT ROWID;

CREATE INDEX idempotency_id ON idempotency (id);

CREATE TABLE jobs (
    job_id      INTEGER PRIMARY KEY AUTOINCREMENT,
    kind        TEXT NOT NULL,
    seq         INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    payload     TEXT NOT NULL,
    run_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    lease_owner TEXT,
    lease_until INTEGER,
    error       TEXT
);

CREATE INDEX jobs_due ON jobs (run_at);
CREATE INDEX jobs_seq ON jobs (seq);
