"""The engine on Apache Spark: many machines, the same release.

*Spark shuffles, joins, adds and sorts; our kernels and DuckDB see values, inside its Python
workers, on Arrow batches; the driver sees dictionaries, counts and thresholds, never rows.* Nothing
depends on how rows are parted, on the order in which they arrive, or on settings of the session, of
which none is changed. Only what Spark 3.5 and 4, classic and Connect, all have is used.
"""
