"""The engine on Spark asks for what Spark 3.5 and 4, classic and Connect, all have, and no more."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "src" / "anachron" / "engines" / "spark"
FORBIDDEN = {
    "sparkContext", "rdd", "_jvm", "_jdf", "_sc", "broadcast", "accumulator", "addPyFile",
    "applyInArrow", "applyInPandas", "toArrow", "toPandas", "over", "Window", "conf", "sql_ctx",
    "monotonically_increasing_id", "spark_partition_id", "rand", "randn", "uuid", "orderBy", "expr",
    "repartitionById", "udf", "pandas_udf", "createTempView", "createOrReplaceTempView",
}  # fmt: skip
"""What one of them lacks, what depends on how rows are parted, and what would put values into
plans or settings, which are shown and logged."""
BEHIND = ROOM.parents[1] / "behind" / "spark.py"
FILES = [*sorted(ROOM.glob("*.py")), BEHIND]


def words(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyspark"):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_spark_is_asked_for_what_all_versions_have(file: Path) -> None:
    assert not FORBIDDEN & set(words(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_rows_are_never_dealt_round_robin(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr == "repartition":
            assert isinstance(node, ast.Call)
            assert len(node.args) > 1, "which row goes where would depend on the order of arrival"


def test_the_rule_sees_what_it_forbids() -> None:
    assert FORBIDDEN & set(words("frame.rdd.map(1)"))
    assert FORBIDDEN & set(words("from pyspark.sql import Window"))
