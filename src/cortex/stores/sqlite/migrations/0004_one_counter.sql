-- Schema 4: one counter instead of two. Each change of the store has a number, and the seq of a new memory is the number
-- of the change that brought it. SQLite keeps the counter itself, on a page that every new memory writes anyway.
INSERT INTO sqlite_sequence (name, seq)
SELECT 'memories', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'memories');

UPDATE sqlite_sequence
SET seq = max(seq, coalesce((SELECT CAST(value AS INTEGER) FROM store WHERE key = 'change'), 0))
WHERE name = 'memories';

DELETE FROM store WHERE key = 'change'
