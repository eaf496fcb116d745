-- From when to when a release shows anybody, so that later ones need not read the states of
-- releases of other times. A row that is not there is found again in the state.
CREATE TABLE span (
    number INTEGER PRIMARY KEY,
    first  INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    seal   TEXT NOT NULL        -- keyed digest of the row and the chain of the release
);

-- CSV files that were written beside a release later. What the chain records of the release
-- stays; these are its files from then on.
CREATE TABLE copies (
    number     INTEGER PRIMARY KEY,
    files      TEXT NOT NULL,      -- all files of the release, with their digests
    releases   INTEGER NOT NULL,   -- how many releases there were at that time
    written_at TEXT NOT NULL,
    seal       TEXT NOT NULL,      -- keyed digest of the row
    exposed    TEXT                -- null, or the seal once the files are in their place
);
