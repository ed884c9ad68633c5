-- Schema 2: what a memory said before. A version is a row as it stood until replaced_at, with its tokens and
-- vectors; it is searched only for an instant in the past and dies with the memory.

CREATE TABLE versions (
    seq              INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    version          INTEGER NOT NULL,
    replaced_at      INTEGER NOT NULL,
    id               TEXT NOT NULL,
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
    signature_id     INTEGER REFERENCES signatures,
    embedded_chars   INTEGER NOT NULL,
    tags             TEXT NOT NULL,
    metadata         TEXT NOT NULL,
    source           TEXT NOT NULL,
    terms            TEXT NOT NULL,
    content          TEXT NOT NULL,
    PRIMARY KEY (seq, version)
);

CREATE INDEX versions_scope ON versions (scope_id, replaced_at);

CREATE TABLE version_vectors (
    seq          INTEGER NOT NULL,
    version      INTEGER NOT NULL,
    signature_id INTEGER NOT NULL REFERENCES signatures,
    pieces       BLOB NOT NULL,
    PRIMARY KEY (seq, version, signature_id),
    FOREIGN KEY (seq, version) REFERENCES versions ON DELETE CASCADE
);
