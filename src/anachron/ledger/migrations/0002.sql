-- At most one row: what a feed remembers between two pushes. From the first push on, the
-- seal of the ledger covers this row too: it cannot be altered, lost or taken from another
-- time without notice, and it always belongs to the newest release.
CREATE TABLE feed (
    push   INTEGER NOT NULL,   -- how many pushes the feed has had
    digest TEXT NOT NULL       -- of the file feed/NNNN.parquet, NNNN being the push
);
