"""Where the error of a register's answers comes from: the same questions, answered in four ways.

The command is ``causes`` of ``benchmarks.asking``. One release is made with margins, one without.
*Exact* are the groups of the first with everybody's quasi values as they are: its error is that
which no narrower interval and no margin would cure, since every member of a group is taken to have
each of its values as likely. *Shuffled*: the values are dealt anew to the people before anything is
published, so that they have nothing to do with quasi columns.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from anachron.auditing.history import remembered
from anachron.behind import read
from anachron.ledger import Ledger
from anachron.placing import members_of


def causes(options: argparse.Namespace) -> None:
    print("| sensitive | people | even in boxes | margins | exact quasi values | shuffled | sets |")
    print("|" + "---|" * 7)
    columns = [options.subject, *options.quasi, *options.sensitive]
    whole = pq.read_table(options.table, columns=columns)
    rng = np.random.default_rng(options.seed)
    table = whole.take(rng.permutation(whole.num_rows)[: options.rows])
    for sensitive in options.sensitive:
        own = table.select([options.subject, *options.quasi, sensitive])
        values = own[sensitive].take(rng.permutation(len(own)))
        even, _, _ = _errors(options, own, sensitive, "none")
        raked, exact, sets = _errors(options, own, sensitive, 25)
        dealt = own.set_column(len(own.column_names) - 1, sensitive, values)
        shuffled, _, _ = _errors(options, dealt, sensitive, 25)
        print(f"| {sensitive} | {len(own):,} | {even:.1%} | {raked:.1%} | {exact:.1%} "
              f"| {shuffled:.1%} | {sets} |", flush=True)  # fmt: skip


def _errors(
    options: argparse.Namespace, table: pa.Table, sensitive: str, step: object
) -> tuple[float, float, int]:
    """The median error of the release, that with exact quasi values, and how many sets it has."""
    from benchmarks.asking import where, workload

    schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=sensitive)
    promise = an.MInvariance(m=options.m, margins=step)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        release = an.publish(table, schema, promise, ledger=place / "l", to=place / "r")
        ledger, rows = Ledger.open(place / "l", create=False), read(table, schema)
        members = members_of(release, rows, remembered(ledger, ledger.entries()))
        assert members is not None
        asked = workload(table, [*options.quasi, sensitive], options.theta, options.questions)
        found = np.array([release.ask(f"SELECT COUNT(*) WHERE {where(q)}").estimate for q in asked])
        data = release.table()
        rows.close()
    quasi = {column: table[column].to_numpy() for column in options.quasi}
    owner, value = data["group"].to_numpy() - 1, data[sensitive].to_numpy()
    size = np.bincount(owner)
    truth, exact = [], []
    for ranges in asked:
        *boxes, (_, low, high) = ranges
        here = np.all([(quasi[c] >= a) & (quasi[c] <= b) for c, a, b in boxes], axis=0)
        have = np.bincount(owner, (value >= low) & (value <= high)) / size
        own = table[sensitive].to_numpy()
        truth.append(int((here & (own >= low) & (own <= high)).sum()))
        exact.append(float(have[members.group[here]].sum()))
    return _median(found, truth), _median(np.array(exact), truth), _sets(owner, value)


def _median(found: np.ndarray, truth: Sequence[int]) -> float:
    true = np.array(truth)
    there = true > 0
    return float(np.median(np.abs(found[there] - true[there]) / true[there]))


def _sets(owner: np.ndarray, value: np.ndarray) -> int:
    order = np.lexsort((value, owner))
    parts = np.split(value[order], np.flatnonzero(np.diff(owner[order])) + 1)
    return len({tuple(part.tolist()) for part in parts})
