"""Attacks on real histories of registers, beside the same attacks on independent releases.

    python -m benchmarks.attacks waves TABLE --subject ID --wave YEAR --quasi A B --sensitive S -m 3
    python -m benchmarks.attacks replacing TABLE --subject ID --quasi A B --sensitive S -m 10 \
        [--replaced 5000] [--releases 8]

``waves`` publishes every wave of a panel, as ``benchmarks.histories`` does; ``replacing`` a
register in which people are replaced, as ``benchmarks.replacing`` does. Each is published with
m-invariance in each mode, and the last release is attacked with all that its owner knows. Beside
them stands what is common: every snapshot grouped by l-diverse Mondrian for itself (l = m), and
attacked in the same way. Feeds and series are in ``benchmarks.attacks_feeds``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.arrays import Array
from anachron.attacking.composition import OVERLAP
from anachron.attacking.cumulative import linked
from anachron.attacking.equivalence import Full, classes_of
from anachron.attacking.intersection import intersect
from anachron.attacking.learning import classes, learn
from anachron.attacking.sights import Sight, of_groups, sizes
from anachron.behind import Attribute
from anachron.kernels.mondrian import mondrian
from benchmarks import histories, replacing

MODES = ("paper", "transparent", "sticky")
LEARNED = 20_000
"""Rows that are learned from, of the independent releases."""


class Independent:
    """Every snapshot for itself, l-diverse, and what was seen of everyone."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.people: dict[object, int] = {}
        self.values: dict[object, int] = {}
        self.sights: list[Sight] = []
        self.refused = 0
        self.last: tuple[Array, Array, list[Array]] | None = None

    def add(self, table: pa.Table) -> None:
        """Group a snapshot, unless it is not l-diverse itself."""
        person = _numbered(self.people, table[self.options.subject])
        value = _numbered(self.values, table[self.options.sensitive])
        try:
            group = self.grouped(table, value)
        except ValueError:
            self.refused += 1
            return
        none = np.zeros(0, dtype=np.int64)
        self.sights.append(of_groups(person, value, group, (none, none)))
        quasi = [Attribute(c, *_codes(table[c])) for c in self.options.quasi]
        self.last = group, value, [classes(column, 24)[0] for column in quasi]
        self.table = table

    def grouped(self, table: pa.Table, value: Array) -> Array:
        """Cut by quasi values, each column by its spread."""
        quasi = np.stack([table[c].to_numpy().astype(float) for c in self.options.quasi], axis=1)
        spread = np.maximum(quasi.max(axis=0) - quasi.min(axis=0), 1e-9)
        return mondrian((quasi - quasi.min(axis=0)) / spread, value, self.options.m)

    def found(self) -> dict[str, str]:
        """Attack what was seen."""
        return {
            "intersection": self.intersection(),
            "swap": "does not apply",
            "equivalence": self.equivalence(),
            "cumulative": self.cumulative(),
            "learning": self.learning(),
            "composition": self.composition(),
        }

    def intersection(self) -> str:
        left = intersect(self.sights, len(self.values))
        remain = sizes(left.bits)
        below = len(np.unique(left.person[remain < self.options.m]))
        certain = len(np.unique(left.person[remain == 1]))
        return f"{below:,} of {len(self.people):,} with fewer than m values, {certain:,} with one"

    def equivalence(self) -> str:
        rng, width = np.random.default_rng(0), len(self.values)
        salt = rng.integers(0, 2**64, size=width, dtype=np.uint64)
        who, group, content, first = [], [], [], 0
        for sight in self.sights:
            total = np.zeros(sight.sets, dtype=np.uint64)
            np.add.at(total, sight.among, salt[sight.value])
            who.append(sight.person * width + sight.value)
            group.append(first + sight.among)
            content.append(total[sight.among])
            first += sight.sets
        names, place = np.unique(np.concatenate(who), return_inverse=True)
        values = np.unique(np.concatenate(content), return_inverse=True)[1]
        label = classes_of(Full(place, np.concatenate(group), values), len(names))
        size = np.bincount(label)[label]
        tied = len(np.unique(names[size > 1] // width))
        return f"{tied:,} of {len(self.people):,} tied to others, up to {size.max()} together"

    def cumulative(self) -> str:
        told = linked(self.sights)
        return f"up to {told.largest.max():.0%}, in one release up to {told.once.max():.0%}"

    def learning(self) -> str:
        assert self.last is not None
        group, value, quasi = self.last
        order = np.random.default_rng(0).permutation(int(group.max()) + 1)
        rows = np.flatnonzero(order[group] < LEARNED * len(order) / max(len(group), LEARNED))
        told = learn(np.unique(group[rows], return_inverse=True)[1], value[rows],
                     [q[rows] for q in quasi])  # fmt: skip
        right = float((told.guess == value[rows]).mean())
        return f"{right:.1%} of values guessed, {told.share.mean():.1%} without learning"

    def composition(self) -> str:
        """Another publisher has some of the same people, and others like them."""
        rng, none = np.random.default_rng(0), np.zeros(0, dtype=np.int64)
        last = self.sights[-1]
        people = len(last.person)
        both = rng.permutation(people)[: int(OVERLAP * people)]
        rows = np.concatenate([both, rng.integers(0, people, people - len(both))])
        try:
            group = self.grouped(self.table.take(pa.array(rows)), last.value[rows])
        except ValueError:
            return "the second publisher could not publish"
        person = np.append(last.person[both], np.arange(len(rows) - len(both)) + len(self.people))
        other = of_groups(person, last.value[rows], group, (none, none))
        left = intersect([last, other], len(self.values))
        remain = sizes(left.bits)[left.seen > 1]
        return (
            f"{(remain < self.options.m).sum():,} of {len(remain):,} left with fewer than m "
            f"values, {(remain == 1).sum():,} with one"
        )


def _numbered(known: dict[object, int], column: pa.ChunkedArray) -> Array:
    return np.array([known.setdefault(v, len(known)) for v in column.to_pylist()], dtype=np.int64)


def _codes(column: pa.ChunkedArray) -> tuple[Array, pa.Array]:
    values, code = np.unique(column.to_numpy(), return_inverse=True)
    return code.astype(np.int64), pa.array(values)


def snapshots(options: argparse.Namespace) -> Iterator[pa.Table]:
    if options.history == "waves":
        yield from (table for _, table in histories.waves(options))
    else:
        yield from replacing.registers(options)


def published(options: argparse.Namespace, mode: str) -> tuple[dict[str, str], str]:
    """Publish a history with m-invariance, and attack its last release."""
    schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=options.sensitive)
    promise = an.MInvariance(m=options.m, mode=mode, when_ineligible="hold")
    with tempfile.TemporaryDirectory() as name:
        ledger, to, times, counterfeits = f"{name}/ledger", Path(name) / "releases", [], 0
        for table in snapshots(options):
            start = time.perf_counter()
            release = an.publish(table, schema, promise, ledger=ledger, to=to)
            times.append(time.perf_counter() - start)
            counterfeits += int((release.explanation or {})["counterfeits"])
        start = time.perf_counter()
        found = an.attack(release, table=table, ledger=ledger, impossible=options.impossible)
        seconds = time.perf_counter() - start
    rows = {}
    for one in found:
        kept = {True: "kept", False: "BROKEN", None: "not promised"}[one.holds]
        sampled = f" ({one.sampled})" if one.sampled else ""
        rows[one.attack] = f"{one.exposed:,} of {one.people:,}: {one.measured}; {kept}{sampled}"
    note = (
        f"{mode}: {len(times)} releases in {sum(times):.1f} s (the last in {times[-1]:.2f} s), "
        f"attacked in {seconds:.1f} s; {counterfeits:,} counterfeits in all"
    )
    return rows, note


def markdown(columns: Sequence[tuple[str, dict[str, str]]]) -> None:
    names = list(dict.fromkeys(name for _, rows in columns for name in rows))
    print("| attack | " + " | ".join(title for title, _ in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in names:
        print(f"| {name} | " + " | ".join(rows.get(name, "") for _, rows in columns) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("history", choices=["waves", "replacing"])
    parser.add_argument("table")
    for name in ("subject", "sensitive"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--wave")
    parser.add_argument("--quasi", nargs="+", required=True)
    parser.add_argument("-m", type=int, required=True)
    parser.add_argument("--replaced", type=int, default=5000)
    parser.add_argument("--releases", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", nargs="+", default=list(MODES))
    parser.add_argument("--impossible")
    options = parser.parse_args()
    baseline = Independent(options)
    for table in snapshots(options):
        baseline.add(table)
    columns, notes = [(f"l-diverse, l = {options.m}", baseline.found())], []
    for mode in options.modes:
        rows, note = published(options, mode)
        columns.append((f"m-invariant, m = {options.m}, {mode}", rows))
        notes.append(note)
    markdown(columns)
    print(f"\n{len(baseline.sights)} l-diverse releases, {baseline.refused} snapshots refused")
    print("\n".join(notes))


if __name__ == "__main__":
    main()
