-- From when to when a release shows anybody, so that later ones need not read the states of
-- releases of other times. A row that is not there is found again in the state.
CREATE TABLE span (
    number INTEGER PRIMARY KEY,
    first  INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    seal   TEXT NOT NULL        -- keyed digest of the row and the chain of the release
);
