"""One session of Spark for all tests, which take seconds to start it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

__all__ = ["missing", "session"]

ROOT = Path(__file__).parents[3]
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "America/St_Johns",
}
"""Quick to start, on this machine alone, and in a zone that is not ours."""


def missing() -> str:
    """What the machine lacks, in words; nothing if it has all."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed: pip install 'anachron[spark]'"
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        return "there is no Java: Spark needs 17"
    return ""


def session(master: str = "local[2]", **settings: str) -> Any:
    """Start Spark, or give the session that was started."""
    if why := missing():
        pytest.skip(why)
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(master)
    for name, value in {**_SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started
