"""A driver of its own that publishes by all methods, and keeps what the pages of Spark showed.

``python -m tests.engines.spark.leaking FOLDER MASTER``; the master ``connect`` is a server of Spark
Connect that Spark itself starts.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sys
import threading
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch
from urllib.request import urlopen

import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.engines.spark import rows
from anachron.guarantees import Guarantee
from tests.engines.spark.cluster import free
from tests.engines.spark.sessions import session

__all__ = ["KEY", "canaries"]

KEY = hashlib.sha256(b"a key that is looked for").digest()
_VALUES = [f"{73110 + 17 * number}.4375" for number in range(60)]
"""Of series: fractions of which each text is one of a kind."""
_ILL = [f"secret-{number}" for number in range(5)]
_DAYS = [f"2024-01-0{1 + number}" for number in range(6)]
_PAGES = ["jobs", "stages?details=true", "executors", "environment", "storage/rdd",
          "sql?details=true&planDescription=true&length=10000", "logs"]  # fmt: skip
_SHOWN = ["jobs/", "stages/", "storage/", "environment/", "executors/", "SQL/", "connect/"]


def _cases() -> Iterator[tuple[str, an.Schema, Guarantee, pa.Table]]:
    yield (
        "events",
        an.Schema(subject="who", time="day", quasi="ward", sensitive="ill"),
        an.TimeGranularity(k=2, granularities=["day", "week"]),
        pa.table({
            "who": [f"canary-{n % 9}" for n in range(60)], "day": [_DAYS[n % 3] for n in range(60)],
            "ward": ["w"] * 60, "ill": [_ILL[n % 5] for n in range(60)],
        }),
    )  # fmt: skip
    yield (
        "register",
        an.Schema(subject="who", quasi="age", sensitive="ill"),
        an.MInvariance(m=2, mode="paper"),
        pa.table({"who": [f"canary-{n}" for n in range(60)], "age": list(range(60)),
                  "ill": [_ILL[n % 5] for n in range(60)]}),
    )  # fmt: skip
    yield (
        "feed",
        an.Schema(subject="who", time="day", quasi="age", sensitive="ill"),
        an.Reposition(l=2, window=3),
        pa.table({
            "who": [f"canary-{n}" for n in range(60)], "day": [_DAYS[n // 10] for n in range(60)],
            "age": list(range(60)), "ill": [_ILL[n % 5] for n in range(60)],
        }),
    )  # fmt: skip
    yield (
        "series",
        an.Schema(subject="who", series=["first", "second", "third"]),
        an.KPAnonymity(k=3, P=2, precision="0.5"),
        pa.table({
            "who": [f"canary-{n}" for n in range(60)],
            **{name: [float(_VALUES[(n + shift) % 60]) for n in range(60)]
               for shift, name in enumerate(["first", "second", "third"])},
        }),
    )  # fmt: skip


def canaries() -> list[bytes]:
    """What nobody may find: people, values, and the key in the ways in which bytes are written."""
    keys = []
    for part in (KEY, KEY[:16], KEY[16:]):
        keys += [part, part.hex().encode(), part.hex().upper().encode(), repr(part)[2:-1].encode(),
                 ", ".join(map(str, part)).encode(), ",".join(map(str, part)).encode()]  # fmt: skip
        # Within other bytes, it begins at any of three places of base64.
        for before in range(3):
            shifted = bytes(before) + part
            end = len(shifted) - len(shifted) % 3
            keys += [
                way(shifted[3 if before else 0 : end]) for way in (b64encode, urlsafe_b64encode)
            ]
    return [b"canary-", b"secret-", *(value.encode() for value in _VALUES), *keys]


def main() -> None:
    """Publish, watched."""
    folder, master, port = Path(sys.argv[1]), sys.argv[2], free()
    spark = session(master, **{
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.eventLog.compress": "false", "spark.local.dir": str(folder / "local"),
        "spark.sql.maxPlanStringLength": "10000000", "spark.sql.debug.maxToStringFields": "1000",
        "spark.ui.enabled": "true", "spark.ui.port": str(port), "log level": "INFO",
    })  # fmt: skip
    rows.FEW = 20
    one_key = SimpleNamespace(token_bytes=lambda n: KEY[:n], token_hex=secrets.token_hex)
    over = threading.Event()
    watching = threading.Thread(target=_watch, args=(folder / "ui", port, over))
    watching.start()
    try:
        with patch("anachron.ledger.keys.secrets", one_key):
            for name, schema, promise, table in _cases():
                pq.write_table(table, folder / f"{name}.parquet")
                frame = spark.read.parquet(str(folder / f"{name}.parquet")).repartition(3)
                release = an.publish(frame, schema, promise, ledger=folder / f"{name} ledger",
                                     to=folder / f"{name} releases")  # fmt: skip
                print(name, release.path is not None, flush=True)
    finally:
        over.set()
        watching.join()
    spark.stop()


def _watch(folder: Path, port: int, over: threading.Event) -> None:
    """Keep what pages show while tables are published, and once more in the end."""
    folder.mkdir()
    number = 0
    while True:
        last = over.wait(2)
        number += 1
        with suppress(OSError):
            _look(folder, f"http://127.0.0.1:{port}", number, every=last)
        if last:
            return


def _look(folder: Path, address: str, number: int, *, every: bool) -> None:
    [one] = json.loads(_read(f"{address}/api/v1/applications"))
    there = [f"{address}/api/v1/applications/{one['id']}/{page}" for page in _PAGES]
    there += [f"{address}/{page}" for page in _SHOWN]
    if every:
        plans = json.loads(_read(f"{there[5]}"))
        there += [f"{address}/SQL/execution/?id={plan['id']}" for plan in plans]
    for at, page in enumerate(there):
        with suppress(OSError):
            (folder / f"{number} {at}").write_bytes(_read(page))


def _read(address: str) -> bytes:
    with urlopen(address, timeout=30) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    main()
