"""What groups teach: answers of a feed by anatomy, learned and even, and whether errors hold.

The command is ``learned`` of ``benchmarks.asking``.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import anachron as an
from anachron.asking.published import opened
from anachron.asking.question import Aggregate
from anachron.auditing.history import remembered
from anachron.behind import read
from anachron.ledger import Ledger
from anachron.measuring.asked import drawn
from anachron.measuring.tables import _columns, _shown, _times
from anachron.measuring.truth import counted
from anachron.measuring.workloads import workload_of
from anachron.placing import rows_of

LENGTHS = (1, 7, 30)


def learned(options: argparse.Namespace) -> None:
    """Publish a feed, ask it the same questions in both ways, and compare with the truth."""
    from benchmarks.usefulness import table_of

    table, schema = table_of(options)
    promise = an.Reposition(l=options.l, window=7, snapshot=options.snapshot)
    print("| window asked | median error, even | learned | within 2 | outside |")
    print("|" + "---|" * 5)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        release = an.publish(table, schema, promise, ledger=place / "l", to=place / "r")
        ledger = Ledger.open(place / "l", create=False)
        rows = read(table, schema)
        there = rows_of(release, rows, remembered(ledger, ledger.entries()))
        ways = [opened([release], estimate) for estimate in ("even", "learned")]
        columns = _columns(ways[0].catalogue, rows, _shown([release], rows))
        for length in LENGTHS:
            times = _times([release], ways[0].catalogue, length)
            draw = workload_of(ways[0].catalogue, columns, times, options.theta, None).draw
            some = drawn(draw, lambda asked: counted(columns, asked, None),
                         options.questions, length)  # fmt: skip
            inside = counted(columns, some.conditions, there)
            even, found = (way.figures(some.conditions, Aggregate("count")) for way in ways)
            errors = [
                float(np.median(np.abs(one.estimate - some.truth) / some.truth))
                for one in (even, found)
            ]
            told = [
                abs(line.estimate - truth) <= 2 * line.error + 1e-9
                for line, truth in zip(found.lines, inside.tolist(), strict=True)
                if line.error is not None
            ]
            outside = int(((inside < found.low - 1e-9) | (inside > found.high + 1e-9)).sum())
            print(f"| {length} | {errors[0]:.1%} | {errors[1]:.1%} "
                  f"| {np.mean(told):.1%} of {len(told):,} | {outside} |", flush=True)  # fmt: skip
        rows.close()
