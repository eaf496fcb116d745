"""A long campaign: random tables are published by the local engine and by Spark, and compared.

``python -m tests.engines.spark.campaign --tables 200 --method events --master local[2] --log FILE``

Without a method, all take turns. ``--master sail`` starts a server of Spark Connect that is not
Spark (``pip install pysail 'pyspark[connect]'``). What is compared, byte by byte: files of
releases, digests and states in the ledger, explanations, and the words of refusals. Each history is
a line of the log, with its seed; who begins again with the same log goes on after its last one. The
exit is 1 if any line of the log has a difference.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.engines.spark.parity import different, drawn
from tests.engines.spark.sessions import ROOT, missing, session
from tests.engines.spark.tables import METHODS, case

_EACH = 16
"""After so many histories it is said how far it is."""


def main() -> None:
    """Compare many tables, and tell of every difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="of each method")
    parser.add_argument("--method", choices=METHODS)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--seconds", type=int, default=10**9, help="stop then")
    parser.add_argument("--log", type=Path, help="a line of JSON for each history")
    asked = parser.parse_args()
    if why := missing(asked.master):
        raise SystemExit(why)
    until = time.monotonic() + asked.seconds
    spark = session(asked.master)
    place = {"spark": f"{spark.version} {asked.master}", "commit": _commit()}
    print(place, flush=True)
    done = [json.loads(line) for line in _lines(asked.log)]
    methods = [asked.method] if asked.method else list(METHODS)
    while min((tables := _told(done, "tables"))[one] for one in methods) < asked.tables:
        if time.monotonic() > until:
            break
        method = min(methods, key=lambda one: tables[one])
        told = place | _history(spark, method, _next(done, method, asked.first))
        done.append(told)
        if asked.log:
            with asked.log.open("a") as log:
                log.write(json.dumps(told) + "\n")
        if told["different"]:
            print(told, flush=True)
        if len(done) % _EACH == 0:
            print(dict(_told(done, "tables")), f"{told['seconds']} s for the last", flush=True)
    for method, count in _told(done, "tables").items():
        wrong = _told(done, "wrong")[method]
        print(f"{method}: {count} tables, {wrong} histories different")
    raise SystemExit(any(one["different"] for one in done))


def _history(spark: Any, method: str, seed: int) -> dict[str, Any]:
    begin = time.monotonic()
    found = different(spark, method, seed)
    return {
        "method": method,
        "seed": seed,
        "tables": len(case(method, seed).tables),
        "drawn": drawn(method, seed)._asdict(),
        "seconds": round(time.monotonic() - begin, 1),
        "different": found,
        "wrong": int(bool(found)),
    }


def _told(done: Iterable[dict[str, Any]], what: str) -> Counter[str]:
    """Sums by method."""
    told: Counter[str] = Counter()
    for one in done:
        told[one["method"]] += one[what]
    return told


def _next(done: Iterable[dict[str, Any]], method: str, first: int) -> int:
    return max([first, *(one["seed"] + 1 for one in done if one["method"] == method)])


def _lines(log: Path | None) -> list[str]:
    return log.read_text().splitlines() if log and log.exists() else []


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
