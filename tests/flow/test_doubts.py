"""A table that looks as if it were written in another way is asked about; nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.cli.publish import publish
from anachron.errors import Doubtful, PlanError
from anachron.methods.doubts import ACCEPTABLE
from tests.flow import registers, series
from tests.flow.spellings import with_column
from tests.flow.tables import contents
from tests.flow.test_spelling import (
    DIVERSE,
    MONTHS,
    PROMISE,
    REGISTER,
    VISITS,
    meters,
    people,
    published,
    visits,
)

TWICE = {
    "register": (people(), people(), REGISTER, PROMISE, "who"),
    "granularity": (visits(), visits(), VISITS, MONTHS, "person"),
    "wide series": (meters(), meters(), series.WIDE, DIVERSE, "meter"),
    "long series": (
        series.long(series.walks(24)), series.long(series.walks(24)), series.LONG,
        series.promise(k=4, P=2, granularity="day"), "meter",
    ),
}  # fmt: skip


def renamed(table: pa.Table, column: str) -> pa.Table:
    """Everybody under a name that no folding knows."""
    return with_column(table, column, [f"0{name}" for name in table[column].to_pylist()])


@pytest.mark.parametrize("method", TWICE)
def test_nobody_known_is_asked_about(method: str, tmp_path: Path) -> None:
    first, second, schema, promise, column = TWICE[method]
    published(first, tmp_path, schema, promise)
    before = contents(tmp_path)
    with pytest.raises(Doubtful, match="is known, although the ledger remembers") as error:
        published(renamed(second, column), tmp_path, schema, promise)
    assert "--accept strangers" in str(error.value)
    assert contents(tmp_path) == before
    release = published(renamed(second, column), tmp_path, schema, promise, accept=["strangers"])
    assert release.number == 2


@pytest.mark.parametrize("method", TWICE)
def test_one_who_is_known_is_enough(method: str, tmp_path: Path) -> None:
    first, second, schema, promise, column = TWICE[method]
    if method != "register":
        pytest.skip("who is known at the same time is refused there")
    published(first, tmp_path, schema, promise)
    names = renamed(second, column)[column].to_pylist()
    names[0] = first[column][0].as_py()
    assert published(with_column(second, column, names), tmp_path, schema, promise).number == 2


def test_strangers_at_another_time_are_as_they_should_be(tmp_path: Path) -> None:
    published(visits(month=1), tmp_path, VISITS, MONTHS)
    later = renamed(visits(month=3), "person")
    assert published(later, tmp_path, VISITS, MONTHS).number == 2


def test_a_few_strangers_are_as_they_should_be(tmp_path: Path) -> None:
    published(people(9 * 2), tmp_path, REGISTER, PROMISE)
    few = renamed(people(), "who").slice(0, 8)
    assert published(few, tmp_path, REGISTER, PROMISE).number == 2


def changed(share: int) -> pa.Table:
    """The register, with another illness for so many of its 24 people."""
    table = people()
    ills = table["ill"].to_pylist()
    place = registers.ILLS.index
    others = [registers.ILLS[(place(ill) + 1) % 6] for ill in ills]
    return with_column(table, "ill", [*others[:share], *ills[share:]])


def test_more_than_half_changed_is_asked_about(tmp_path: Path) -> None:
    published(people(), tmp_path, REGISTER, PROMISE)
    before = contents(tmp_path)
    with pytest.raises(Doubtful, match="13 of the 24 known people") as error:
        published(changed(13), tmp_path, REGISTER, PROMISE)
    assert "--accept changes" in str(error.value)
    assert contents(tmp_path) == before
    accepted = published(changed(13), tmp_path, REGISTER, PROMISE, accept="changes")
    assert accepted.number == 2


def test_half_changed_is_not(tmp_path: Path) -> None:
    published(people(), tmp_path, REGISTER, PROMISE)
    assert published(changed(12), tmp_path, REGISTER, PROMISE).number == 2


def test_what_was_accepted_once_is_made_again_without_asking(tmp_path: Path) -> None:
    published(people(), tmp_path, REGISTER, PROMISE)
    strangers = renamed(people(), "who")
    release = published(strangers, tmp_path, REGISTER, PROMISE, accept=["strangers"])
    bytes_before = contents(release.path)
    assert published(strangers, tmp_path, REGISTER, PROMISE).path == release.path
    for file in release.path.iterdir():
        file.unlink()
    release.path.rmdir()
    assert contents(published(strangers, tmp_path, REGISTER, PROMISE).path) == bytes_before


def test_only_what_can_be_asked_can_be_accepted(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="accept takes 'changes' and 'strangers' only"):
        published(people(), tmp_path, REGISTER, PROMISE, accept="everything")


def test_the_command_line_asks_and_is_told(tmp_path: Path) -> None:
    def run(*words: str) -> Any:
        return CliRunner().invoke(anachron, words)

    for name, table in (("first", people()), ("second", renamed(people(), "who"))):
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
    plan = an.Plan(
        "first.parquet", REGISTER, PROMISE,
        ledger=tmp_path / "ledger", releases=tmp_path / "releases",
    )  # fmt: skip
    plan.write(tmp_path / "plan.toml")
    file, other = str(tmp_path / "plan.toml"), str(tmp_path / "second.parquet")
    assert run("publish", file).exit_code == 0
    asked = run("publish", file, "--table", other)
    assert asked.exit_code == 1
    assert "--accept strangers" in asked.output
    told = run("publish", file, "--table", other, "--accept", "strangers")
    assert told.exit_code == 0
    option = next(p for p in publish.params if p.name == "accept")
    assert set(option.type.choices) == ACCEPTABLE  # type: ignore[attr-defined]
