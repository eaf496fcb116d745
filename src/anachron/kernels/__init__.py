"""Numbers in, numbers out: arrays in the papers' notation, no tables and no files."""
