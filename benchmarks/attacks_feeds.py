"""Attacks on feeds and series, beside the same attacks on what others would publish.

    python -m benchmarks.attacks_feeds feed TABLE --time T --sensitive S \
        --quasi NAME[=SQL] … -l 5 [--window 7] [--rows N]
    python -m benchmarks.attacks_feeds series TABLE --times COLUMN … --number COLUMN \
        --label COLUMN [--k 10] [--P 3] [--precision 0.1] [--tree-level 10] [--cells 50] \
        [--segments every]

``feed``: the table is published day by day with Reposition, then="anatomy" and "generalize", and
attacked with all that its owner knows. Beside it every day is published for itself, l-diverse,
less the records that must be left out (suppression only), with the same two groupings. Every
record is a person of its own.

``series``: series are published (k,P)-anonymously, once with a number that continues them and once
with a label as content; beside it TGA, k-anonymous groups by value whose envelopes are as tight as
can be.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import anachron as an
from anachron.arrays import Array, Flags, Floats
from anachron.attacking.composition import OVERLAP, cells_of, in_common
from anachron.attacking.continuation import told
from anachron.attacking.cover import at_the_limit
from anachron.attacking.finding import Finding
from anachron.attacking.homogeneity import alike
from anachron.attacking.known import LIMIT, Known
from anachron.attacking.learning import classes, learn, some_groups
from anachron.attacking.run import applying, attack_all
from anachron.attacking.second import left_after_suppression
from anachron.auditing.history import remembered
from anachron.auditing.reading.letters import letters_of, normalised
from anachron.behind import Attribute, read
from anachron.kernels.anatomy import bucketize
from anachron.kernels.mondrian import mondrian
from anachron.ledger import Ledger

ATTACKS = ("learning", "composition", "homogeneity", "cover", "continuation", "corners", "order")


def attacked(
    table: pa.Table, schema: an.Schema, promise: object
) -> tuple[dict[str, Finding], float, float, dict[str, Any]]:
    """Publish and attack; also how long both took, and what the owner is told."""
    with tempfile.TemporaryDirectory() as name:
        ledger, to = Path(name) / "ledger", Path(name) / "releases"
        start = time.perf_counter()
        release = an.publish(table, schema, promise, ledger=ledger, to=to)
        published = time.perf_counter() - start
        held = Ledger.open(ledger)
        start = time.perf_counter()
        with closing(read(table, schema)) as loaded:
            past = remembered(held, held.entries())
            known = Known(release, microdata=loaded, schema=schema, past=past)
            found = attack_all(known, [a for a in ATTACKS if a in applying([known.method])])
        tried = time.perf_counter() - start
        return {one.attack: one for one in found}, published, tried, release.explanation or {}


# Feeds


def records(options: argparse.Namespace) -> tuple[pa.Table, list[str]]:
    """The records with all their columns, each a person of its own."""
    parts = [given.partition("=") for given in options.quasi]
    quasi = [f'{sql or chr(34) + name + chr(34)} AS "{name}"' for name, _, sql in parts]
    names = [name for name, _, _ in parts]
    filled = " AND ".join(f'"{c}" IS NOT NULL' for c in (*names, "day", "value"))
    table = duckdb.sql(
        f"""SELECT row_number() OVER () AS who, * FROM (
            SELECT CAST("{options.time}" AS DATE) AS day, {", ".join(quasi)},
                "{options.sensitive}" AS value FROM '{options.table}') WHERE {filled}
            ORDER BY day LIMIT {options.rows}"""
    ).to_arrow_table()
    return table, names


def feed(options: argparse.Namespace) -> None:
    table, names = records(options)
    ell = Fraction(options.l)
    schema = an.Schema(subject="who", time="day", quasi=names, sensitive="value")
    orders = {
        name: sorted(set(table[name].to_pylist()))
        for name in names
        if pa.types.is_string(table[name].type)
    }
    days = len(set(table["day"].to_pylist()))
    print(f"{len(table):,} records, {days:,} days, l = {ell}, window {options.window}\n")
    rows: dict[str, list[str]] = {}
    for then in ("anatomy", "generalize"):
        given = orders if then == "generalize" else {}
        promise = an.Reposition(l=ell, window=options.window, then=then, orders=given)
        found, published, tried, _ = attacked(table, schema, promise)
        for name, one in found.items():
            rows.setdefault(name, ["–"] * 4)[("anatomy", "generalize").index(then)] = shown(one)
        rows.setdefault("seconds", ["–"] * 4)[("anatomy", "generalize").index(then)] = (
            f"published in {published:.1f}, attacked in {tried:.1f}"
        )
    for place, then in enumerate(("anatomy", "generalize"), 2):
        for name, text in by_day(table, names, ell, then).items():
            rows.setdefault(name, ["–"] * 4)[place] = text
    heads = ("Reposition, anatomy", "Reposition, boxes", "day by day, anatomy", "day by day, boxes")
    markdown(("attack", *heads), [(name, *cells) for name, cells in rows.items()])


def shown(found: Finding) -> str:
    return f"{found.exposed:,} of {found.people:,} exposed; {found.measured}"


def by_day(table: pa.Table, names: Sequence[str], ell: Fraction, then: str) -> dict[str, str]:
    """Every day for itself, less what is too frequent; and the same attacks."""
    rng = np.random.default_rng(0)
    day = np.unique(table["day"].to_numpy(), return_inverse=True)[1]
    value, quasi = coded(table["value"]), [coded(table[name]) for name in names]
    kept = np.flatnonzero(left_after_suppression(day, value.code, ell, rng))
    group = grouped(day[kept], value.code[kept], [q.code[kept] for q in quasi], ell, then, rng)
    found = alike(group, value.code[kept], np.ones(len(kept), dtype=np.int64))
    some = some_groups(group, [value.code[kept]], LIMIT, rng)
    own = kept[some]
    learned = learn(group[some], value.code[own], [classes(q, 24)[0][own] for q in quasi])
    right = float((learned.guess == value.code[own]).mean())
    lost = np.setdiff1d(np.arange(len(day)), kept)
    return {
        "learning": f"{right:.1%} of values guessed, {learned.share.mean():.1%} without learning",
        "composition": composed(day[kept], value.code[kept], [q.code[kept] for q in quasi], ell,
                                then, group, rng),
        "homogeneity": f"{int((found.different == 1).sum()):,} of {len(found.rows):,} groups have "
        f"one value; largest share {float((found.most / found.rows).max()):.2f}",
        "cover": covered(day, value.code, quasi, (kept, lost, group), ell, then),
    }  # fmt: skip


def coded(column: pa.ChunkedArray) -> Attribute:
    values, code = np.unique(np.array(column.to_pylist(), dtype=object), return_inverse=True)
    return Attribute("", code.astype(np.int64), pa.array(values.tolist()))


def grouped(
    day: Array,
    value: Array,
    quasi: Sequence[Array],
    ell: Fraction,
    then: str,
    rng: np.random.Generator,
) -> Array:
    _, at = np.unique(day, return_inverse=True)
    if then == "anatomy":
        return bucketize(at, value, rng.permutation(len(at)), ell)
    x = np.stack([q / max(int(q.max()), 1) for q in quasi], axis=1)
    return mondrian(x, value, ell, at)


def composed(
    day: Array,
    value: Array,
    quasi: Sequence[Array],
    ell: Fraction,
    then: str,
    group: Array,
    rng: np.random.Generator,
) -> str:
    """What a second publisher of 30 % of the records leaves of the sets of values."""
    shared = rng.permutation(len(day))[: int(len(day) * OVERLAP)]
    taken = np.concatenate([shared, rng.integers(0, len(day), len(day) - len(shared))])
    there = left_after_suppression(day[taken], value[taken], ell, rng)
    rows = taken[there]
    second = grouped(day[rows], value[rows], [q[rows] for q in quasi], ell, then, rng)
    both = np.flatnonzero(there[: len(shared)])
    place = (np.cumsum(there) - 1)[both]
    width = int(value.max()) + 1
    here, other = cells_of(group, value, width), cells_of(second, value[rows], width)
    left = in_common(here, other, group[shared[both]], second[place], width)
    return (
        f"{int((left < ceil(ell)).sum()):,} of {len(both):,} left with fewer than {ell}, "
        f"{int((left == 1).sum()):,} with one"
    )


def covered(
    day: Array,
    value: Array,
    quasi: Sequence[Attribute],
    parts: tuple[Array, Array, Array],
    ell: Fraction,
    then: str,
) -> str:
    """Who was left out, and what is known of those whom nothing published that day can be."""
    kept, lost, group = parts
    days, width = int(day.max()) + 1, int(value.max()) + 1
    cell, count = np.unique(day[kept] * width + value[kept], return_counts=True)
    limit = at_the_limit(cell // width, count, days)
    candidates = np.where(limit[day[lost]] == 0, width, limit[day[lost]])
    if then == "anatomy":
        key = day.copy()
        for column in quasi:
            key = key * column.size + column.code
        held = np.isin(key[lost], key[kept])
    else:
        held = _in_a_box(day, [q.code for q in quasi], kept, lost, group)
    few = ~held & (candidates < ceil(ell))
    return (
        f"{len(lost):,} left out, {held.mean() if len(lost) else 0:.1%} of them covered; "
        f"{int(few.sum()):,} left with fewer than {ell} values, "
        f"{int((few & (candidates == 1)).sum()):,} with one"
    )


def _in_a_box(day: Array, quasi: Sequence[Array], kept: Array, lost: Array, group: Array) -> Flags:
    order = np.argsort(group, kind="stable")
    heads = np.flatnonzero(np.diff(group[order], prepend=-1))
    low = [np.minimum.reduceat(q[kept][order], heads) for q in quasi]
    high = [np.maximum.reduceat(q[kept][order], heads) for q in quasi]
    of_day = day[kept][order][heads]
    held = np.zeros(len(lost), dtype=bool)
    for place, row in enumerate(lost.tolist()):
        here = of_day == day[row]
        for a, b, q in zip(low, high, quasi, strict=True):
            here &= (a <= q[row]) & (q[row] <= b)
        held[place] = here.any()
    return held


# Series


def series(options: argparse.Namespace) -> None:
    columns = [*options.times, options.number, options.label]
    picked = ", ".join(f'"{c}"' for c in dict.fromkeys(columns))
    query = f"SELECT row_number() OVER () AS who, {picked} FROM '{options.table}'"
    table = duckdb.sql(f"{query} LIMIT {options.rows}").to_arrow_table()
    names = [f"time {i}" for i in range(len(options.times))]
    values = np.stack([table[c].to_numpy().astype(float) for c in options.times], axis=1)
    base = {"who": table["who"], **{n: values[:, i] for i, n in enumerate(names)}}
    turned = {name: getattr(options, name) for name in ("tree_level", "cells", "segments")}
    promise = an.KPAnonymity(k=options.k, P=options.P, precision=options.precision, **turned)
    schema = an.Schema(subject="who", series=names, sensitive="content")
    number = table[options.number].cast(pa.float64())
    print(f"{len(table):,} series of {len(names)} times, k = {options.k}, P = {options.P}\n")
    found, published, tried, _ = attacked(pa.table({**base, "content": number}), schema, promise)
    content = pa.table({**base, "content": table[options.label]})
    labelled, _, _, told = attacked(content, schema, promise)
    found = {**found, "learning": labelled["learning"], "homogeneity": labelled["homogeneity"]}
    other = plain(values, number.to_numpy(), coded(table[options.label]), options)
    rows = [(name, shown(one), other.get(name, "–")) for name, one in found.items()]
    rows.append(("breach of the label", str(told["breach"]), "–"))
    rows.append(("seconds", f"published in {published:.1f}, attacked in {tried:.1f}", "–"))
    markdown(("attack", f"(k,P)-anonymity, precision {options.precision}", "TGA, exact bounds"),
             rows)  # fmt: skip


def plain(
    values: Floats, number: Floats, label: Attribute, options: argparse.Namespace
) -> dict[str, str]:
    """The same attacks on k-anonymous groups by value."""
    from anachron.kernels.envelopes import envelopes
    from anachron.methods.patterns.baselines import tga

    rng = np.random.default_rng(5)
    group = tga(values, options.k, rng.permutation(len(values)), rng).group
    low, high = envelopes(values, group)
    touching = (values == low[group]) | (values == high[group])
    size = np.bincount(group)
    order = np.argsort(group, kind="stable")
    many = size[group]
    start = (np.cumsum(size) - size)[group]
    who = np.repeat(np.arange(len(group)), many)
    row = order[np.repeat(start - (np.cumsum(many) - many), many) + np.arange(len(who))]
    line = 2 * values[:, -1] - values[:, -2]
    by = {"last value": values[:, -1], "straight line": line}
    hits = {n: told(who, number[row], row == who, guess) for n, guess in by.items()}
    best = max(hits, key=lambda n: float(hits[n].found.mean()))
    letters = letters_of(normalised(values), 4).astype(np.int64)
    some = some_groups(group, [label.code], LIMIT, rng)
    learned = learn(group[some], label.code[some], list(letters[some].T))
    measured = alike(group, label.code, np.ones(len(group), dtype=np.int64))
    return {
        "continuation": f"{hits[best].found.mean():.1%} of rows found by the {best}, "
        f"{hits[best].luck.mean():.1%} by lot",
        "learning": f"{(learned.guess == label.code[some]).mean():.1%} of values guessed, "
        f"{learned.share.mean():.1%} without learning",
        "homogeneity": f"{int((measured.different == 1).sum()):,} of {len(size):,} groups have one "
        "value",
        "corners": f"{touching.mean():.1%} of values are a bound, to the last digit",
    }


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    of = commands.add_parser("feed")
    of.add_argument("table")
    for name in ("time", "sensitive"):
        of.add_argument(f"--{name}", required=True)
    of.add_argument("--quasi", nargs="+", required=True, help="a column, or a name and its SQL")
    of.add_argument("-l", default="5")
    of.add_argument("--window", type=int, default=7)
    of.add_argument("--rows", type=int, default=1_000_000)
    of = commands.add_parser("series")
    of.add_argument("table")
    of.add_argument("--times", nargs="+", required=True)
    for name in ("number", "label"):
        of.add_argument(f"--{name}", required=True)
    of.add_argument("--k", type=int, default=10)
    of.add_argument("--P", type=int, default=3)
    of.add_argument("--precision", default="0.1")
    for name in ("tree-level", "cells"):
        of.add_argument(f"--{name}", type=int)
    of.add_argument("--segments", type=lambda said: "every" if said == "every" else int(said))
    of.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    {"feed": feed, "series": series}[options.command](options)


if __name__ == "__main__":
    main()
