"""Registers that are released again and again, planned without a folder, for attacks on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.attacking.known import Known
from anachron.attacking.register import Registered, Seen
from anachron.auditing.evidence.register import Book
from tests.attacking.knowing import known_of, publish

SCHEMA = an.Schema(subject="who", quasi=["age"], sensitive="illness")


def table(people: Mapping[str, str], ages: Mapping[str, int] | None = None) -> pa.Table:
    """One row for each person: an illness, and an age; one that the name tells if none is given."""
    age = [(ages or {}).get(who, 20 + sum(map(ord, who)) % 50) for who in people]
    return pa.table({"who": list(people), "age": age, "illness": list(people.values())})


def released(root: Path, tables: Sequence[pa.Table], **promise: Any) -> Known:
    """Publish tables one after the other, and give what is known in the end.

    Whether few new people are eligible depends on lots: those who are not, wait, in mode "paper".
    """
    for one in tables:
        given = {"when_ineligible": "refuse" if "mode" in promise else "hold", **promise}
        release = publish(root, one, SCHEMA, an.MInvariance(**given))
    return known_of(root, release, tables[-1], SCHEMA)


def crowd(
    seed: int, people: int, values: int, releases: int, at_first: float = 0.75
) -> list[pa.Table]:
    """A register in which a quarter of the people come and go, or all are there at first."""
    rng = np.random.default_rng(seed)
    illness = rng.integers(0, values, people)
    age = rng.integers(20, 60, people)
    tables = []
    for release in range(releases):
        here = np.flatnonzero(rng.random(people) < (0.75 if release else at_first))
        tables.append(
            pa.table(
                {
                    "who": [f"p{p}" for p in here],
                    "age": age[here],
                    "illness": [f"v{illness[p]}" for p in here],
                }
            )
        )
    return tables


def by_hand(groups: Sequence[Sequence[tuple[str, str]]]) -> Registered:
    """A history told group by group: for each release groups such as ``("ABc", "xyz")``.

    Each person stands for the value at the same place; small letters are counterfeits.
    """
    book, seen, met = Book(), [], set()
    names = sorted({p for release in groups for people, _ in release for p in people.upper()})
    for release in groups:
        rows = []
        for number, (people, values) in enumerate(release):
            codes = [book.text(value) for value in values]
            signature = book.signature(codes)
            rows += [
                (names.index(who), code, signature, number, who not in met, True)
                for who, code in zip(people, codes, strict=True)
                if who.isupper()
            ]
        met |= {names[row[0]] for row in rows}
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        seen.append(Seen(*columns))
    return Registered(pa.array(names), book, tuple(seen))
