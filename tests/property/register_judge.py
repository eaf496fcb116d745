"""A slow and obvious judge of a register's releases, who knows the true registers.

Reads the published files, and asks the ledger only who is who. Shares no code with the method
or the audit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from tests.flow.registers import DISTRICTS, WIDTHS, Person


@dataclass(frozen=True)
class Told:
    """One release: what was true, what was published, and who is in which group."""

    truth: dict[str, Person]
    rows: dict[int, list[dict[str, Any]]]
    counterfeits: list[tuple[int, int]]
    host: dict[str, int]

    def candidates(self, who: str) -> frozenset[str]:
        return frozenset(row["ill"] for row in self.rows[self.host[who]])


def listen(root: Path, number: int, truth: dict[str, Person], names: list[str]) -> Told:
    """Read a release from its files; only who is who must be asked from the ledger."""
    folder, ledger = root / "releases" / f"{number:04d}", an.Ledger.open(root / "ledger")
    rows: dict[int, list[dict[str, Any]]] = {}
    for row in pq.read_table(folder / "data.parquet").to_pylist():
        rows.setdefault(row.pop("group"), []).append(row)
    fake = pq.read_table(folder / "counterfeits.parquet").to_pylist()
    state = ledger.state(ledger.entries()[number - 1]).table().to_pydict()
    assert state["subject"] == sorted(set(state["subject"]))
    person = dict(zip(ledger.pseudonyms(pa.array(names)).to_pylist(), names, strict=True))
    assert set(state["subject"]) <= set(person)
    host = {
        person[who]: group
        for who, group in zip(state["subject"], state["group"], strict=True)
        if group is not None
    }
    return Told(truth, rows, [(r["group"], r["counterfeits"]) for r in fake], host)


def judge_release(told: Told, m: int, mode: str, before: list[Told]) -> None:
    """m-uniqueness, R, grid and cover; of releases before it, only who stays where they were."""
    assert set(told.host) <= set(told.truth), "somebody is published who is not there"
    assert list(told.rows) == list(range(1, len(told.rows) + 1))
    members: dict[int, list[str]] = {group: [] for group in told.rows}
    for who, group in told.host.items():
        members[group].append(who)
    lacking = []
    for group, rows in told.rows.items():
        values = [row["ill"] for row in rows]
        assert len(set(values)) == len(values) >= m
        assert values == sorted(values)
        real = [told.truth[who][3] for who in members[group]]
        assert real, "nobody is in the group"
        stayed = [who for who in members[group] if mode == "sticky" and stays(who, told, before)]
        assert stayed in ([], members[group]), "somebody joined a group that stood"
        assert stayed or len(set(real)) == len(real)
        assert set(real) <= set(values)
        if len(values) > len(real):
            lacking.append((group, len(values) - len(real)))
        boxes = [{name: end for name, end in row.items() if name != "ill"} for row in rows]
        assert all(box == boxes[0] for box in boxes)
        for who in members[group]:
            judge_cover(boxes[0], told.truth[who])
    assert told.counterfeits == lacking


def stays(who: str, told: Told, before: list[Told]) -> bool:
    """Whether somebody's value is one of those among which they were seen last."""
    seen = [earlier for earlier in before if who in earlier.host]
    return bool(seen) and told.truth[who][3] in seen[-1].candidates(who)


def judge_cover(box: dict[str, Any], person: Person) -> None:
    age, pay, district, _ = person
    assert box["age_low"] <= age <= box["age_high"]
    assert box["age_low"] % 5 == 0
    assert box["age_high"] % 5 == 4
    width = Fraction(str(WIDTHS["pay"]))
    low, high = Fraction(repr(box["pay_low"])), Fraction(repr(box["pay_high"]))
    assert low <= Fraction(repr(pay)) <= high
    assert (low / width).denominator == (high / width).denominator == 1
    assert high > low
    place = DISTRICTS.index
    assert place(box["district_low"]) <= place(district) <= place(box["district_high"])


def judge_history(history: list[Told], m: int, mode: str) -> None:
    """Candidate sets through the lives of all, from the first release to the last."""
    for who in {who for told in history for who in told.host}:
        seen = [told for told in history if who in told.host]
        sets = [told.candidates(who) for told in seen]
        for one, other in combinations(sets, 2):
            assert one == other or not one & other
        common = sets[0]
        for before, now, told in zip(sets, sets[1:], seen[1:], strict=False):
            if told.truth[who][3] in before:
                assert now == before
            common = common & now if told.truth[who][3] in before else now
            assert len(common) >= m
    if mode == "sticky":
        judge_company(history)


def judge_company(history: list[Told]) -> None:
    """In sticky mode people who share a group share it as long as their values are in it."""
    company: dict[str, frozenset[str]] = {}
    for number, told in enumerate(history):
        stayed = {who for who in told.host if stays(who, told, history[:number])}
        for who, other in combinations(sorted(stayed), 2):
            together = other in company[who]
            assert together == (told.host[who] == told.host[other])
        for who in told.host:
            if who not in stayed:
                for other in company:
                    company[other] -= {who}
                company[who] = frozenset()
        for who, group in told.host.items():
            with_him = {other for other, place in told.host.items() if place == group}
            company[who] |= with_him - {who}
        # Who is absent keeps his place: company is mutual.
        for who, others in list(company.items()):
            for other in others:
                company[other] |= {who} | (others - {other})
