"""Sessions of Spark for tests, which take seconds to start: one for a process."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

__all__ = ["CONNECT", "ROOT", "missing", "session"]

ROOT = Path(__file__).parents[3]
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.session.timeZone": "America/St_Johns",
    # For many small tables, to compile plans takes longer than to run them.
    "spark.sql.shuffle.partitions": "3",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Quick to start, on this machine alone, and in a zone that is not ours."""
SAIL = "sail"
"""A master of tests alone: a server of Spark Connect that is not Spark, in this process."""

CONNECT = "connect"
"""The same: a server of Spark Connect that Spark starts in a process of its own."""


def missing(master: str = "local[2]") -> str:
    """What the machine lacks, in words; nothing if it has all."""
    try:
        import pyspark
    except ImportError:
        return "pyspark is not installed: pip install 'anachron[spark]'"
    if master == SAIL:
        try:
            import pysail.spark  # noqa: F401
            import pyspark.sql.connect.session  # noqa: F401
        except ImportError:
            return "Sail is not installed: pip install pysail 'pyspark[connect]'"
    elif master == CONNECT and find_spec("grpc") is None:
        return "Spark Connect is not installed: pip install 'pyspark[connect]'"
    elif not (master.startswith("sc://") or shutil.which("java") or os.environ.get("JAVA_HOME")):
        return "there is no Java: Spark needs 17"
    return ""


def session(master: str = "local[2]", **settings: str) -> Any:
    """Start Spark, or give the session that was started."""
    if why := missing(master):
        pytest.skip(why)
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if master == SAIL:
        master = _sail()
    if master.startswith("sc://"):
        return SparkSession.builder.remote(master).getOrCreate()
    remote = master == CONNECT
    builder = SparkSession.builder
    builder = builder.remote("local[2]") if remote else builder.master(master)
    on_workers = {
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.executor.memory": "512m",
        "spark.executor.extraJavaOptions": _SETTINGS["spark.driver.extraJavaOptions"],
    }
    level = settings.pop("log level", "OFF")
    for name, value in {**_SETTINGS, **on_workers, **settings}.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    if remote:
        return started
    # A level that is that of the root already would be set nowhere else.
    for one in ("OFF", level):
        started.sparkContext.setLogLevel(one)
    return started


def _sail() -> str:
    os.environ.setdefault("RUST_LOG", "error")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    atexit.register(server.stop)
    return f"sc://127.0.0.1:{server.listening_address[1]}"
