-- Whoever copies the ledger without its key learns nothing of the people in it: the snapshot is
-- a keyed digest, and plan and explanation are encrypted, as are the files beside the catalog.
ALTER TABLE release RENAME TO plain_release;

CREATE TABLE release (
    number       INTEGER PRIMARY KEY,
    snapshot     TEXT NOT NULL,
    told         TEXT NOT NULL,
    files        TEXT NOT NULL,
    place        TEXT NOT NULL,
    state        TEXT,
    committed_at TEXT NOT NULL,
    chain        TEXT NOT NULL,
    exposed      TEXT           -- null, or the chain once the folder has its final name
);
