"""A long campaign: random tables are published by the local engine and by Spark, and compared.

``python -m tests.engines.spark.campaign --tables 200 --method events --master local[2]``

Without a method, all take turns. ``--master sail`` starts a server of Spark Connect that is not
Spark (``pip install pysail 'pyspark[connect]'``). What is compared, byte by byte: files of
releases, digests and states in the ledger, explanations, and the words of refusals. A line for each
difference names the seed, with which ``--first`` begins again.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.engines.spark.parity import different
from tests.engines.spark.sessions import missing, session
from tests.engines.spark.tables import METHODS, case


def main() -> None:
    """Compare many tables, and tell of every difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200, help="of each method")
    parser.add_argument("--method", choices=METHODS)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=10**9, help="stop then")
    asked = parser.parse_args()
    if why := missing(asked.master):
        raise SystemExit(why)
    spark, begin = session(asked.master), time.monotonic()
    print(f"Spark {spark.version}, {asked.master}", flush=True)
    done: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    seed = dict.fromkeys([asked.method] if asked.method else METHODS, asked.first)
    while min(done[one] for one in seed) < asked.tables:
        if time.monotonic() - begin > asked.seconds:
            break
        method = min(seed, key=lambda one: done[one])
        found = different(spark, method, seed[method])
        if found:
            wrong[method] += 1
            print(f"{method} {seed[method]}: {found}", flush=True)
        done[method] += len(case(method, seed[method]).tables)
        seed[method] += 1
        if sum(seed.values()) % 8 == 0:
            print(f"{dict(done)} in {time.monotonic() - begin:.0f} s", flush=True)
    for method, tables in done.items():
        print(f"{method}: {tables} tables, {wrong[method]} histories different")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
