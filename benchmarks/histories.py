"""A real history of releases: m-invariance, and what independent l-diverse releases give away.

    python -m benchmarks.histories TABLE --subject ID --wave YEAR --quasi A B --sensitive S -m 3 \
        [--mode transparent] [--questions 1000]

Every wave of the table is published with m-invariance, verified by the audit with the whole
history, and beside it grouped by l-diverse Mondrian, each wave for itself (l = m). A person is
*exposed* if the value sets of the groups that held the person, wave after wave, have fewer than m
values in common, and *disclosed* if they have only one, for as long as the person's value is the
same. Rows with a missing value are left out. In the paper's mode people are held back where they
must be; the other modes declare all values of the table, and refuse. *Error* is the median relative
error of so many random counts to each release.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an
from anachron.kernels.mondrian import mondrian


def waves(options: argparse.Namespace) -> Iterator[tuple[object, pa.Table]]:
    con = duckdb.connect()
    columns = [options.subject, *options.quasi, options.sensitive]
    filled = " AND ".join(f'"{column}" IS NOT NULL' for column in columns)
    picked = ", ".join(f'"{column}"' for column in columns)
    known = con.sql(f"""SELECT DISTINCT "{options.wave}" FROM '{options.table}' ORDER BY 1""")
    for (wave,) in known.fetchall():
        query = (
            f"""SELECT {picked} FROM '{options.table}' WHERE "{options.wave}" = $1 AND {filled}"""
        )
        yield wave, con.sql(query, params=[wave]).to_arrow_table()


class Baseline:
    """Each wave for itself, and what a person's groups have in common over the waves."""

    def __init__(self, m: int) -> None:
        self.m = m
        self.common: dict[object, tuple[object, frozenset[int]]] = {}
        self.refused = 0

    def add(self, options: argparse.Namespace, table: pa.Table) -> None:
        quasi = np.stack([table[c].to_numpy().astype(float) for c in options.quasi], axis=1)
        spread = np.maximum(quasi.max(axis=0) - quasi.min(axis=0), 1e-9)
        values = np.unique(table[options.sensitive].to_numpy(), return_inverse=True)
        try:
            group = mondrian((quasi - quasi.min(axis=0)) / spread, values[1], self.m)
        except ValueError:
            self.refused += 1
            return
        held: dict[int, set[int]] = {}
        for g, v in zip(group.tolist(), values[0][values[1]].tolist(), strict=True):
            held.setdefault(g, set()).add(v)
        people = table[options.subject].to_pylist()
        own = table[options.sensitive].to_pylist()
        for who, value, g in zip(people, own, group.tolist(), strict=True):
            before = self.common.get(who)
            kept = held[g] if before is None or before[0] != value else before[1] & held[g]
            self.common[who] = value, frozenset(kept)

    def figures(self) -> tuple[int, int]:
        sizes = [len(common) for _, common in self.common.values()]
        return sum(size < self.m for size in sizes), sum(size == 1 for size in sizes)


def _promise(options: argparse.Namespace) -> an.MInvariance:
    if options.mode == "paper":
        return an.MInvariance(m=options.m, mode="paper", when_ineligible="hold")
    texts = {
        text
        for _, table in waves(options)
        for text in table[options.sensitive].cast(pa.string()).unique().to_pylist()
    }
    return an.MInvariance(m=options.m, mode=options.mode, values=sorted(texts))


def _error(release: an.Release, table: pa.Table, ledger: Path, questions: int) -> str:
    if not questions:
        return ""
    told = an.utility(release, table=table, ledger=ledger, questions=questions)
    return f"{100 * told.measures[0].median:.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table")
    for name in ("subject", "wave", "sensitive"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--quasi", nargs="+", required=True)
    parser.add_argument("-m", type=int, required=True)
    parser.add_argument("--mode", default="paper")
    parser.add_argument("--questions", type=int, default=0)
    options = parser.parse_args()
    schema = an.Schema(options.subject, None, options.quasi, options.sensitive)
    promise = _promise(options)
    baseline = Baseline(options.m)
    head = ("wave", "people", "known", "new", "changed", "held", "counterfeits", "vulnerable",
            "holds", "error")  # fmt: skip
    print(f"| {' | '.join(head)} |")
    print("|---" * len(head) + "|")
    with tempfile.TemporaryDirectory() as name:
        ledger, to = Path(name) / "ledger", Path(name) / "releases"
        for wave, table in waves(options):
            baseline.add(options, table)
            release = an.publish(table, schema, promise, ledger=ledger, to=to)
            told = release.explanation or {}
            verdict = an.audit(release, table=table, ledger=ledger)
            shown = [told[k] for k in ("rows", "known", "new", "changed", "held", "counterfeits")]
            shown = [wave, *shown, verdict.figures["vulnerable"], verdict.holds]
            shown.append(_error(release, table, ledger, options.questions))
            print("| " + " | ".join(str(cell) for cell in shown) + " |")
    exposed, disclosed = baseline.figures()
    print(
        f"\nl-diverse Mondrian, each wave for itself: {exposed:,} of {len(baseline.common):,} "
        f"people exposed, {disclosed:,} of them disclosed; {baseline.refused} waves refused"
    )


if __name__ == "__main__":
    main()
