"""Whether standard errors hold: of a feed by anatomy, learned and even, and of a register.

The commands are ``learned`` and ``covered`` of ``benchmarks.asking``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
            told = _within(2, found.lines, inside)
            outside = int(((inside < found.low - 1e-9) | (inside > found.high + 1e-9)).sum())
            print(f"| {length} | {errors[0]:.1%} | {errors[1]:.1%} "
                  f"| {np.mean(told):.1%} of {len(told):,} | {outside} |", flush=True)  # fmt: skip
        rows.close()


def covered(options: argparse.Namespace) -> None:
    """Publish a register again and again, and ask some of its releases."""
    from benchmarks.replacing import registers

    print("| sensitive | release | theta | median error | within 1 | within 2 |")
    print("|" + "---|" * 6)
    for sensitive in options.sensitive:
        schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=sensitive)
        drawn_from = argparse.Namespace(**{**vars(options), "sensitive": sensitive})
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            for table in registers(drawn_from):
                release = an.publish(
                    table, schema, an.MInvariance(m=options.m), ledger=place / "l", to=place / "r"
                )
                if (release.number - 1) % options.every:
                    continue
                rows, way = read(table, schema), opened([release])
                columns = _columns(way.catalogue, rows, _shown([release], rows))
                for theta in (0.02, 0.1):
                    draw = workload_of(way.catalogue, columns, None, theta, None).draw
                    some = drawn(draw, lambda asked, columns=columns: counted(columns, asked, None),
                                 options.questions, release.number)  # fmt: skip
                    found = way.figures(some.conditions, Aggregate("count"))
                    error = np.median(np.abs(found.estimate - some.truth) / some.truth)
                    shares = [np.mean(_within(many, found.lines, some.truth)) for many in (1, 2)]
                    print(f"| {sensitive} | {release.number} | {theta:.0%} | {error:.1%} "
                          f"| {shares[0]:.1%} | {shares[1]:.1%} |", flush=True)  # fmt: skip
                rows.close()


def _within(many: int, lines: Sequence[Any], truth: np.ndarray) -> list[bool]:
    """Whether each truth is within so many standard errors, of the answers that have one."""
    return [
        abs(line.estimate - one) <= many * line.error + 1e-9
        for line, one in zip(lines, truth.tolist(), strict=True)
        if line.error is not None
    ]
