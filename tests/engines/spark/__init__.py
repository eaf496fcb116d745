"""The engine on Spark: needs pyspark and Java, and is skipped in words without."""
