"""The engine inside this process: DuckDB reads and sorts, numpy counts."""
