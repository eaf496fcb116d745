"""Questions about series: Figures 7, 9 and 10 of Shou et al., for KAPRA, Naive and TGA.

All three answer the same questions: ranges of values and complex ones by mean relative error,
pattern ranges (PRQ) and similarity (PSQ) by precision. The tolerance of similarity is λ times the
mean distance of patterns from what KAPRA leaves of them. KAPRA and Naive are published and asked
as releases; of TGA the drawn series are counted, the i-th being that of the i-th member.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.asking.published import opened
from anachron.asking.question import Aggregate, Condition
from anachron.auditing.history import TablePast, remembered
from anachron.behind import read
from anachron.kernels.sax import normalised
from anachron.ledger import Ledger
from anachron.measuring.asked import Drawn, drawn
from anachron.measuring.sequences import Sequences
from anachron.measuring.series import Everyone, counts, everyone_of, precisions
from anachron.measuring.series_workloads import KINDS, SeriesWorkload
from anachron.methods.patterns.baselines import tga
from benchmarks.patterns import tables

ALGORITHMS = ("kapra", "naive")


@dataclass(frozen=True, eq=False)
class Asked:
    """What one algorithm answers: estimates, and the series as they are rebuilt from it."""

    estimates: dict[str, np.ndarray]
    found: Sequences


class Released:
    """A release of series, its people, and who answers for it."""

    def __init__(self, table: pa.Table, promise: an.KPAnonymity, folder: Path) -> None:
        times = [name for name in table.column_names if name != "who"]
        schema = an.Schema(subject="who", series=times)
        release = an.publish(
            table, schema, promise, ledger=folder / "ledger", to=folder / "releases"
        )
        ledger = Ledger.open(folder / "ledger", create=False)
        past = remembered(ledger, ledger.entries())
        assert isinstance(past, TablePast)
        loaded = read(table, schema)
        self.people: Everyone = everyone_of(release, loaded, past)
        loaded.close()
        self.published = opened([release])

    def ask(self, questions: dict[str, Drawn]) -> tuple[Asked, int]:
        estimates, outside = {}, 0
        for kind, some in questions.items():
            figures = self.published.figures(some.conditions, Aggregate("count"))
            estimates[kind] = figures.estimate
            inside = counts(some.conditions, self.people.series, self.people.published)
            outside += int(((inside < figures.low - 1e-6) | (inside > figures.high + 1e-6)).sum())
        assert self.people.found is not None
        return Asked(estimates, self.people.found), outside


def _of_tga(series: np.ndarray, like: Sequences, k: int, questions: dict[str, Drawn]) -> Asked:
    rng = np.random.default_rng(5)
    values = tga(series, k, rng.permutation(len(series)), rng).series
    found = Sequences(values, normalised(values), like.value_times, like.pattern_times)
    return Asked({kind: counts(some.conditions, found) for kind, some in questions.items()}, found)


def _questions(options: argparse.Namespace, people: Everyone) -> dict[str, Drawn]:
    workload = SeriesWorkload(people.series, people.tolerance, options.theta)

    def count(conditions: Sequence[Condition]) -> np.ndarray:
        return counts(conditions, people.series)

    return {
        kind: drawn(lambda rng, kind=kind: workload.draw(kind, rng), count,
                    options.questions, options.seed)
        for kind in KINDS
    }  # fmt: skip


def _told(name: str, asked: Asked, series: Sequences, questions: dict[str, Drawn]) -> str:
    cells = [name]
    for kind in ("similarity", "pattern range"):
        found = precisions(questions[kind].conditions, series, asked.found)
        cells.append(f"{np.nanmean(found):.2f}")
    for kind in ("range", "complex"):
        truth = questions[kind].truth
        error = np.abs(asked.estimates[kind] - truth) / truth
        cells.append(f"{error.mean():.2f} ({np.median(error):.2f})")
    return " | ".join(cells)


def _settings(options: argparse.Namespace) -> Iterator[tuple[int, int]]:
    yield from ((k, k) for k in options.k)
    yield from ((k, p) for k, p in ((10, 2), (10, 5), (50, 5)) if options.more)


def series(options: argparse.Namespace) -> None:
    print(f"{options.questions:,} questions of each kind, theta = {options.theta:.0%}; "
          "relative errors: mean (median)")  # fmt: skip
    for name, raw in tables(options):
        values = ((raw - raw.min()) / np.ptp(raw)).round(6)
        print(f"\n{name}: {len(values):,} series of {values.shape[1]} times\n")
        print("| k | P | algorithm | precision: PSQ | PRQ | relative error: range | complex "
              "| outside bounds |")  # fmt: skip
        print("|" + "---|" * 8)
        columns = {f"t{i}": values[:, i] for i in range(values.shape[1])}
        table = pa.table({"who": np.arange(len(values)), **columns})
        for k, p in _settings(options):
            for line in _compared(options, table, values, k, p):
                print(f"| {k} | {p} | {line} |", flush=True)


def _compared(
    options: argparse.Namespace, table: pa.Table, values: np.ndarray, k: int, p: int
) -> Iterator[str]:
    questions: dict[str, Drawn] = {}
    for algorithm in ALGORITHMS:
        promise = an.KPAnonymity(k=k, P=p, algorithm=algorithm, precision="0.0001")
        with tempfile.TemporaryDirectory() as name:
            released = Released(table, promise, Path(name))
            questions = questions or _questions(options, released.people)
            asked, outside = released.ask(questions)
            yield _told(algorithm, asked, released.people.series, questions) + f" | {outside}"
    if k == p:
        like = released.people.series
        order = released_order(values, like)
        yield _told("tga", _of_tga(values[order], like, k, questions), like, questions) + " | "


def released_order(values: np.ndarray, like: Sequences) -> np.ndarray:
    """Series are held in the order of subjects, which may be another."""
    assert np.array_equal(values, like.values)
    return np.arange(len(values))


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    of = commands.add_parser("series")
    of.add_argument("tables", nargs="*", help="a file, and a colon with the columns to take")
    of.add_argument("--times", type=int, default=10)
    of.add_argument("--rows", type=int, default=20_000)
    of.add_argument("--k", type=int, nargs="+", default=[2, 5, 10, 20])
    of.add_argument("--more", action="store_true", help="also where P is less than k")
    of.add_argument("--theta", type=float, default=0.1)
    of.add_argument("--questions", type=int, default=1000)
    of.add_argument("--seed", type=int, default=1)
    of.set_defaults(run=series)
