-- How people are known: 'folded', by keyed digests of their folded names, whatever the spelling; or
-- null, as they are written: in ledgers of before, and where the plan says that spelling is exact.
-- The seal covers it where it is not null.
ALTER TABLE ledger ADD COLUMN people TEXT;
