"""How good are answers from releases? The figures of the papers, on real tables.

Registers: Figures 7 and 8 of Xiao and Tao. Feeds: window questions for repositioning, for
suppression only and for merging in time. Series: Figures 7, 9 and 10 of Shou et al. The commands
are those of ``benchmarks.asking``.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.auditing.history import remembered
from anachron.behind import read
from anachron.ledger import Ledger
from anachron.measuring.asked import Wanted
from anachron.measuring.run import measure
from anachron.measuring.utility import Measure
from anachron.methods.reposition.baselines import merging, runs, suppression
from benchmarks import feeds as planned_feeds
from benchmarks.causes import causes
from benchmarks.learned import covered, learned
from benchmarks.replacing import registers as snapshots

THETAS = (0.02, 0.04, 0.06, 0.08, 0.1)
LENGTHS = (1, 2, 3, 5, 7, 14, 30)


# Registers


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _history(
    options: argparse.Namespace,
    sensitive: str,
    promise: an.MInvariance,
    replaced: int,
    thetas: Sequence[float],
) -> Iterator[list[Measure]]:
    """Publish a register again and again; measure each release, for each theta."""
    schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=sensitive)
    drawn = argparse.Namespace(**{**vars(options), "sensitive": sensitive, "replaced": replaced})
    with _folder() as folder:
        for table in snapshots(drawn):
            release = an.publish(
                table, schema, promise, ledger=folder / "ledger", to=folder / "releases"
            )
            ledger = Ledger.open(folder / "ledger", create=False)
            past = remembered(ledger, ledger.entries())
            loaded = read(table, schema)
            yield [
                measure(release, Wanted(options.questions, release.number, theta),
                        microdata=loaded, past=past).measures[0]
                for theta in thetas
            ]  # fmt: skip
            loaded.close()


ANATOMY = "anatomy"


def step_of(said: str) -> int | Literal["none", "anatomy"]:
    """The step of margins, or none; or how registers are published that have no intervals."""
    return said if said in ("none", ANATOMY) else int(said)  # type: ignore[return-value]


def registers(options: argparse.Namespace) -> None:
    outside = questions = 0
    print(f"Median relative error of {options.questions:,} questions a release; "
          "the paper: at most 10 % at every release, m = 10, theta = 10 %\n")  # fmt: skip
    print("| sensitive | m | r | margins | releases | least | median | most | theta 2 % | 4 % "
          "| 6 % | 8 % | 10 % | width of bounds | outside |")  # fmt: skip
    print("|" + "---|" * 15)
    settings = [(10, replaced) for replaced in options.replaced]
    settings += [(m, options.replaced[0]) for m in options.m]
    for sensitive, (m, replaced), step in product(options.sensitive, settings, options.margins):
        promise = an.MInvariance(m=m, then="anatomy")
        if step != ANATOMY:
            promise = an.MInvariance(m=m, margins=step)
        found = list(_history(options, sensitive, promise, replaced, THETAS))
        errors = np.array([[one.median for one in release] for release in found])
        last = errors[:, -1]
        outside += sum(one.outside or 0 for release in found for one in release)
        questions += sum(one.questions for release in found for one in release)
        width = np.mean([release[-1].width for release in found])
        by_theta = " | ".join(f"{error:.1%}" for error in errors.mean(axis=0))
        print(
            f"| {sensitive} | {m} | {replaced:,} | {step} | {len(found)} | {last.min():.1%} "
            f"| {np.median(last):.1%} | {last.max():.1%} | {by_theta} | {width:.0%} "
            f"| {outside:,} of {questions:,} |",
            flush=True,
        )


def sizes(options: argparse.Namespace) -> None:
    """One release of so many people: the table, in part or several times over."""
    import pyarrow.parquet as pq

    columns = [options.subject, *options.quasi, *options.sensitive]
    table = pq.read_table(options.table, columns=columns)
    rng = np.random.default_rng(options.seed)
    print("| sensitive | people | median relative error | if values were shuffled |")
    print("|" + "---|" * 4)
    for sensitive in options.sensitive:
        for rows in options.rows:
            some = table.take(np.resize(rng.permutation(table.num_rows), rows))
            some = some.set_column(0, options.subject, pa.array(np.arange(rows)))
            place = some.column_names.index(sensitive)
            values = some[sensitive].take(rng.permutation(rows))
            errors = [
                _once(options, one, sensitive).median
                for one in (some, some.set_column(place, sensitive, values))
            ]
            shown = " | ".join(f"{error:.1%}" for error in errors)
            print(f"| {sensitive} | {rows:,} | {shown} |", flush=True)


def _once(options: argparse.Namespace, table: pa.Table, sensitive: str) -> Measure:
    schema = an.Schema(subject=options.subject, quasi=options.quasi, sensitive=sensitive)
    with _folder() as folder:
        release = an.publish(
            table, schema, an.MInvariance(m=10), ledger=folder / "l", to=folder / "r"
        )
        loaded = read(table, schema)
        found = measure(release, Wanted(options.questions), microdata=loaded)
        loaded.close()
    return found.measures[0]


# Feeds


@dataclass(frozen=True, eq=False)
class Answers:
    """How many records of each value a reader counts in each snapshot."""

    name: str
    counts: np.ndarray

    def ask(self, first: np.ndarray, length: int, values: np.ndarray) -> np.ndarray:
        """Count the records of some values in windows."""
        running = np.vstack([np.zeros(self.counts.shape[1]), self.counts.cumsum(axis=0)])
        return ((running[first + length] - running[first]) * values).sum(axis=1)


def _placed(arrived: list[np.ndarray], dues: Sequence[object]) -> np.ndarray:
    found = np.zeros((len(arrived), max(len(row) for row in arrived)))
    for due in dues:
        np.add.at(found[due.position], due.value, due.count)  # type: ignore[attr-defined]
    return found


def _spread(arrived: list[np.ndarray], ell: Fraction) -> np.ndarray:
    """A reader of merged snapshots takes records as evenly spread over the run."""
    found = _placed(arrived, merging(arrived, ell))
    first = 0
    for last in runs(arrived, ell):
        found[first : last + 1] = found[last] / (last + 1 - first)
        first = last + 1
    return found


def feeds(options: argparse.Namespace) -> None:
    arrived, ell = planned_feeds.counts(options), Fraction(options.l)
    truth = Answers("truth", np.array(arrived, dtype=float))
    published = [
        Answers(
            f"repositioning, window {window}",
            _placed(arrived, planned_feeds.planned(
                arrived, planned_feeds.rule_of(ell, window, window))),
        )
        for window in options.windows
    ]  # fmt: skip
    published += [
        Answers("suppression only", _placed(arrived, suppression(arrived, ell))),
        Answers("merging in time", _spread(arrived, ell)),
    ]
    of = "the value of a record" if options.drawn == "record" else f"{options.theta:.0%} of values"
    print(
        f"{Path(options.table).stem}, {options.sensitive}, l = {ell}: mean (and median) relative "
        f"error of {options.questions:,} questions for {of}, by the length of the window\n"
    )
    print("| plan | " + " | ".join(f"{length}" for length in LENGTHS) + " |")
    print("|" + "---|" * (len(LENGTHS) + 1))
    errors: dict[str, list[str]] = {one.name: [] for one in published}
    for length in LENGTHS:
        first, values = _windows(options, truth, length)
        act = truth.ask(first, length, values)
        for one in published:
            error = np.abs(one.ask(first, length, values) - act) / act
            errors[one.name].append(f"{error.mean():.2%} ({np.median(error):.2%})")
    for name, found in errors.items():
        print(f"| {name} | " + " | ".join(found) + " |", flush=True)


def _windows(
    options: argparse.Namespace, truth: Answers, length: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw windows and values until so many have an answer."""
    rng = np.random.default_rng(options.seed)
    snapshots_, number = truth.counts.shape
    frequency = truth.counts.sum(axis=0) / truth.counts.sum()
    starts, chosen = [], []
    have = 0
    while have < options.questions:
        first = rng.integers(0, snapshots_ - length + 1, options.questions)
        if options.drawn == "record":
            values = np.eye(number)[rng.choice(number, options.questions, p=frequency)]
        else:
            order = rng.random((options.questions, number)).argsort(axis=1)
            values = (order < max(round(options.theta * number), 1)).astype(float)
        there = truth.ask(first, length, values) > 0
        starts.append(first[there])
        chosen.append(values[there])
        have += int(there.sum())
    return (
        np.concatenate(starts)[: options.questions],
        np.concatenate(chosen)[: options.questions],
    )


def table_of(options: argparse.Namespace) -> tuple[pa.Table, an.Schema]:
    """The first record of each subject in a snapshot, and the roles of its columns."""
    import duckdb

    # Releases have a column "group" of their own.
    quasi = {name: f"{name} of the record" for name in options.quasi}
    shown = ", ".join(f'"{name}" AS "{alias}"' for name, alias in quasi.items())
    subject = f'"{options.subject}"' if options.subject else "row_number() OVER ()"
    source = f"(SELECT *, {subject} AS \"the subject\" FROM '{options.table}')"
    table = duckdb.sql(
        f'SELECT "the subject", {shown}, "{options.time}", "{options.sensitive}" '
        f'FROM {source} WHERE "{options.sensitive}" IS NOT NULL '
        f'QUALIFY row_number() OVER (PARTITION BY "the subject", '
        f'date_trunc(\'{options.snapshot}\', "{options.time}") ORDER BY "{options.time}") = 1'
    ).to_arrow_table()
    schema = an.Schema(
        subject="the subject", time=options.time, quasi=quasi.values(), sensitive=options.sensitive
    )
    return table, schema


def windows(options: argparse.Namespace) -> None:
    """Publish a feed end to end, and ask for windows, ranges of quasi columns and values."""
    table, schema = table_of(options)
    print("| then | window asked | questions | median | mean | 95 % | width of bounds | outside |")
    print("|" + "---|" * 8)
    for then in options.then:
        promise = an.Reposition(
            l=options.l, window=options.windows[-1], snapshot=options.snapshot, then=then
        )  # fmt: skip
        with _folder() as folder:
            release = an.publish(
                table, schema, promise, ledger=folder / "ledger", to=folder / "releases"
            )
            ledger = Ledger.open(folder / "ledger", create=False)
            past, loaded = remembered(ledger, ledger.entries()), read(table, schema)
            for length in LENGTHS:
                found = measure(
                    release, Wanted(options.questions, length, options.theta, window=length),
                    microdata=loaded, past=past,
                ).measures[0]  # fmt: skip
                print(
                    f"| {then} | {length} | {found.questions:,} | {found.median:.1%} "
                    f"| {found.mean:.1%} | {found.quantiles[95]:.1%} | {found.width:.0%} "
                    f"| {found.outside} |",
                    flush=True,
                )
            loaded.close()


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    for name, run in (
        ("registers", registers),
        ("sizes", sizes),
        ("covered", covered),
        ("causes", causes),
    ):
        of = commands.add_parser(name)
        of.add_argument("table")
        of.add_argument("--subject", required=True)
        of.add_argument("--quasi", nargs="+", required=True)
        of.add_argument("--sensitive", nargs="+", required=True)
        of.set_defaults(run=run)
        if name == "sizes":
            of.add_argument("--rows", type=int, nargs="+", default=[35_000, 104_731, 209_462])
            continue
        if name == "causes":
            of.add_argument("-m", type=int, default=10)
            of.add_argument("--rows", type=int, default=35_000)
            of.add_argument("--theta", type=float, default=0.1)
            continue
        if name == "covered":
            of.add_argument("-m", type=int, default=10)
            of.add_argument("--replaced", type=int, default=5000)
            of.add_argument("--releases", type=int, default=14)
            of.add_argument("--every", type=int, default=6, help="the first and each so many later")
            continue
        of.add_argument("-m", type=int, nargs="*", default=[2, 4, 6, 8], help="beside 10")
        of.add_argument("--replaced", type=int, nargs="+", default=[5000, 20_000])
        of.add_argument("--releases", type=int, default=81)
        of.add_argument("--margins", type=step_of, nargs="+", default=[25])
    for name, run in (("feeds", feeds), ("windows", windows), ("learned", learned)):
        of = commands.add_parser(name)
        of.add_argument("table")
        of.add_argument("--time", required=True)
        of.add_argument("--sensitive", required=True)
        of.add_argument("--subject")
        of.add_argument("--snapshot", choices=["day", "week"], default="day")
        of.add_argument("-l", default="5")
        of.add_argument("--theta", type=float, default=0.1)
        of.add_argument("--windows", type=int, nargs="+", default=[3, 7, 14])
        of.set_defaults(run=run, weight=None)
        if name == "feeds":
            of.add_argument("--drawn", choices=["set", "record"], default="set")
        else:
            of.add_argument("--quasi", nargs="+", required=True)
            of.add_argument("--then", nargs="+", default=["anatomy"])
    for of in commands.choices.values():
        if of.get_default("run") in (registers, sizes, covered, causes, feeds, windows, learned):
            of.add_argument("--questions", type=int, default=1000)
            of.add_argument("--seed", type=int, default=1)
