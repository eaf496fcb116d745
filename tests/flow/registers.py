"""Small registers of invented people, and folders to publish them into."""

from __future__ import annotations

import random
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

import anachron as an

Person = tuple[int, float, str, str]
"""Age, pay, district, illness."""
People = Mapping[str, Person]

DISTRICTS = ("harbour", "old town", "market", "hill")
ILLS = ("asthma", "bronchitis", "colitis", "diabetes", "eczema", "flu", "gastritis", "hepatitis")
QUASI = ("age", "pay", "district")
SCHEMA = an.Schema(subject="who", quasi=QUASI, sensitive="ill")
PLAIN = an.Schema(subject="who", quasi="age", sensitive="ill")
"""Needs neither widths nor orders."""
WIDTHS: dict[str, int | float | str | Decimal] = {"age": 5, "pay": "0.1"}
ORDERS = {"district": DISTRICTS}


def promise(
    m: int = 2, mode: str = "paper", balance: str = "exact", when_ineligible: str = "refuse"
) -> an.MInvariance:
    return an.MInvariance(
        m=m, mode=mode, balance=balance, when_ineligible=when_ineligible,
        widths=WIDTHS, orders=ORDERS, values=None if mode == "paper" else ILLS,
    )  # fmt: skip


def clinic(people: int = 24, seed: int = 1, ills: int = 6) -> dict[str, Person]:
    """Invented people; every illness is equally frequent."""
    rng = random.Random(seed)
    return {
        f"canary-{seed}-{i:04d}": (
            rng.randint(18, 89),
            rng.randint(0, 400) / 100,
            rng.choice(DISTRICTS),
            ILLS[i % ills],
        )
        for i in range(people)
    }


def three_quarters() -> list[dict[str, Person]]:
    """Three snapshots: someone leaves and returns, comes, falls ill anew, moves."""
    first = clinic()
    names = list(first)
    second = {who: first[who] for who in names[3:]} | clinic(6, seed=2)
    second[names[5]] = changed(second[names[5]], ill="hepatitis")
    second[names[6]] = changed(second[names[6]], age=19, district="hill")
    third = {who: second[who] for who in list(second)[4:]} | {who: first[who] for who in names[:2]}
    third[names[9]] = changed(third[names[9]], ill=third[names[10]][3])
    third["canary-3-0000"] = (33, 1.0, "market", "hepatitis")
    third["canary-3-0001"] = (34, 1.1, "market", "asthma")
    return [first, second, third]


def changed(
    person: Person, *, age: int | None = None, district: str | None = None, ill: str | None = None
) -> Person:
    old_age, pay, old_district, old_ill = person
    return (
        old_age if age is None else age,
        pay,
        district or old_district,
        ill or old_ill,
    )


def as_table(people: People) -> pa.Table:
    ages, pays, districts, ills = zip(*people.values(), strict=True)
    return pa.table(
        {"who": list(people), "age": ages, "pay": pays, "district": districts, "ill": ills}
    )


def released(
    table: object,
    root: Path,
    guarantee: an.MInvariance | an.TimeGranularity | None = None,
    *,
    schema: an.Schema = SCHEMA,
    csv: bool = False,
    as_of: str | None = None,
    accept: str = "",
) -> an.Release:
    """Publish people, or a table, into folders below a root."""
    return an.publish(
        as_table(table) if isinstance(table, Mapping) else table,
        schema,
        promise() if guarantee is None else guarantee,
        ledger=root / "ledger",
        to=root / "releases",
        csv=csv,
        as_of=as_of,
        accept=accept or (),
    )
