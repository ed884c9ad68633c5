-- Schema 3: what memories say, taken apart, and what became of those that contradict each other. Everything here
-- belongs to memories and goes with the last of them; recall reads none of it. Entities and edges are not rows of
-- their own: they are what mentions and relations of the memories that count say together.

-- Which of kind, importance, tags and emotion the caller said: names in JSON. Of what is there, the defaults were not.
ALTER TABLE memories ADD COLUMN said TEXT NOT NULL DEFAULT '[]';
ALTER TABLE versions ADD COLUMN said TEXT NOT NULL DEFAULT '[]';

UPDATE memories SET said = (
    SELECT json_group_array(name) FROM (
        SELECT 'kind' AS name WHERE kind <> 'fact' UNION ALL SELECT 'importance' WHERE importance <> 5
        UNION ALL SELECT 'tags' WHERE tags <> '[]' UNION ALL SELECT 'emotion' WHERE emotion IS NOT NULL
    )
) WHERE kind <> 'fact' OR importance <> 5 OR tags <> '[]' OR emotion IS NOT NULL;

UPDATE versions SET said = (
    SELECT json_group_array(name) FROM (
        SELECT 'kind' AS name WHERE kind <> 'fact' UNION ALL SELECT 'importance' WHERE importance <> 5
        UNION ALL SELECT 'tags' WHERE tags <> '[]' UNION ALL SELECT 'emotion' WHERE emotion IS NOT NULL
    )
) WHERE kind <> 'fact' OR importance <> 5 OR tags <> '[]' OR emotion IS NOT NULL;

CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- Which layers have read this version of a memory, and by what.
CREATE TABLE understood (
    seq      INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    layers   TEXT NOT NULL,
    maker    TEXT NOT NULL
);

CREATE TABLE events (
    seq        INTEGER PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    event_time INTEGER,
    actor      TEXT,
    location   TEXT,
    event_type TEXT
);

-- A name as the memory writes it, and (norm) as names are compared.
CREATE TABLE mentions (
    seq  INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    norm TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    PRIMARY KEY (seq, norm)
) WITHOUT ROWID;

CREATE INDEX mentions_norm ON mentions (norm);

-- source and target are norms of mentions of the same memory.
CREATE TABLE relations (
    seq         INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    source      TEXT NOT NULL,
    label       TEXT NOT NULL,
    target      TEXT NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (seq, source, label, target)
) WITHOUT ROWID;

CREATE INDEX relations_source ON relations (source);
CREATE INDEX relations_target ON relations (target);

CREATE TABLE conflicts (
    id         TEXT PRIMARY KEY,
    older      INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    newer      INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
    similarity REAL,
    detector   TEXT NOT NULL,
    confidence REAL NOT NULL,
    reason     TEXT NOT NULL,
    state      TEXT NOT NULL,
    resolution TEXT,
    decided_by TEXT,
    found_at   INTEGER NOT NULL,
    decided_at INTEGER,
    UNIQUE (older, newer)
);

CREATE INDEX conflicts_newer ON conflicts (newer);
CREATE INDEX conflicts_state ON conflicts (state);
