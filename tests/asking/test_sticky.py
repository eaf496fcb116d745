"""Questions to a register whose groups stand while values change inside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an

SCHEMA = an.Schema(subject="who", quasi="age", sensitive="ill")
VALUES = ["burn", "cold", "flu", "gout", "hiv"]


def register(people: int, **ill: str) -> pa.Table:
    """People in pairs of neighbours, one with the flu and one with hiv."""
    has = {f"P{i}": ("flu", "hiv")[i % 2] for i in range(people)} | ill
    ages = [20 + 10 * (int(who[1:]) // 2) + int(who[1:]) % 2 for who in has]
    return pa.table({"who": list(has), "age": ages, "ill": list(has.values())})


def published(root: Path, tables: list[pa.Table], **parts: Any) -> an.Release:
    promise = an.MInvariance(m=2, **{"mode": "sticky", "values": VALUES, **parts})
    for number, table in enumerate(tables):
        release = an.publish(
            table, SCHEMA, promise, ledger=root / "l", to=root / "r", as_of=f"quarter {number}"
        )
    return release


def asked(release: an.Release, question: str) -> tuple[float, float, float, float | None]:
    [figure] = release.ask(question).rows[0].figures
    return figure.estimate, figure.low, figure.high, figure.error


HIV = "SELECT COUNT(*) WHERE ill = 'hiv'"


def test_the_first_release_is_exact_and_later_ones_say_what_may_be(tmp_path: Path) -> None:
    """All eight have hiv in the end: the bounds have room for it, and the error is honest."""
    first = register(8)
    later = register(8, **{f"P{i}": "hiv" for i in range(0, 8, 2)})
    release = published(tmp_path / "one", [first])
    assert str(release.ask(HIV)) == "4 exactly"
    release = published(tmp_path / "two", [first, later])
    answer = release.ask(HIV)
    assert "8 people may have any value of their group" in " ".join(answer.notes)
    estimate, low, high, error = asked(release, HIV)
    assert (estimate, low, high) == (4, 0, 8)
    assert error is not None
    assert 4 - 2 * error <= 8 <= 4 + 4 * error
    found = an.utility(release, table=later, ledger=tmp_path / "two" / "l", questions=40)
    assert found.holds


def test_what_is_asked_of_all_values_is_as_exact_as_before(tmp_path: Path) -> None:
    release = published(tmp_path, [register(8), register(8)])
    assert str(release.ask("SELECT COUNT(*)")) == "8 exactly"
    assert str(release.ask("SELECT COUNT(*) WHERE age < 30")) == "2 exactly"
    assert str(release.ask("SELECT COUNT(*) WHERE ill IN ('flu', 'hiv')")) == "8 exactly"
    assert str(release.ask("SELECT COUNT(*) WHERE ill = 'gout'")) == "0 exactly"
    assert asked(release, "SELECT AVG(age)")[1:3] == (35, 36)


def test_where_nobody_changes_groups_stay_exact(tmp_path: Path) -> None:
    never: dict[str, list[str]] = {value: [] for value in VALUES}
    release = published(tmp_path / "never", [register(8), register(8)], changes=never)
    assert str(release.ask(HIV)) == "4 exactly"
    release = published(tmp_path / "other", [register(8), register(8)], mode="transparent")
    assert str(release.ask(HIV)) == "4 exactly"


@pytest.mark.parametrize("left", [1, 2])
def test_counterfeits_beside_people_who_may_have_any_value(tmp_path: Path, left: int) -> None:
    release = published(tmp_path, [register(4), register(4 - left)])
    _, low, high, _ = asked(release, HIV)
    assert (low, high) == (0, 4 - left)
