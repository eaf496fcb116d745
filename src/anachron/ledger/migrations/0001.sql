-- One row: which ledger this is, and where its history ends.
CREATE TABLE ledger (
    id        TEXT NOT NULL,
    key_check TEXT NOT NULL,   -- tells the right key from any other
    releases  INTEGER NOT NULL,
    head      TEXT NOT NULL,   -- the chain of the newest release, or the id
    seal      TEXT NOT NULL    -- keyed digest of all of the above
);

-- No index: each reader goes through all rows and checks the chain, so that a damaged
-- index cannot hide a release.
CREATE TABLE release (
    number       INTEGER PRIMARY KEY,
    snapshot     TEXT NOT NULL,
    plan         TEXT NOT NULL,
    files        TEXT NOT NULL,
    place        TEXT NOT NULL,
    state        TEXT,
    explanation  TEXT NOT NULL,
    committed_at TEXT NOT NULL,
    chain        TEXT NOT NULL,
    exposed      TEXT           -- null, or the chain once the folder has its final name
);

-- Every folder that releases were ever staged in, so that recovery finds leftovers.
CREATE TABLE place (
    path TEXT NOT NULL,
    seal TEXT NOT NULL
);
