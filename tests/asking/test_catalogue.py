"""What a release can be asked about, read from the release alone."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.asking.catalogue import Catalogue, catalogue_of
from anachron.asking.parse import parse
from anachron.asking.question import Grouping
from anachron.asking.suggest import askable, condition_on, examples, quoted, written
from anachron.errors import ReleaseError
from anachron.published import ways
from tests.asking.catalogues import CELLS, RECORDS, SERIES, catalogue, exact
from tests.release.forging import restate

VISITS = pa.table(
    {
        "who": [f"p{i}" for i in range(12)],
        "when": ["2014-05-05"] * 6 + ["2014-05-12"] * 6,
        "age": [21, 22, 23, 24, 25, 26] * 2,
        "zip": ["SW1A", "SW1B"] * 6,
        "job": ["smith", "cook", "clerk"] * 4,
        "pay": [1.5, 2.5] * 6,
        "order": ["flu", "cold"] * 6,
        "cost": pa.array([Decimal("1.25")] * 12, pa.decimal128(6, 2)),
    }
)


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> an.Release:
    folder = tmp_path_factory.mktemp("visits")
    return an.publish(
        VISITS,
        an.Schema("who", "when", ["age", "zip", "job", "pay"], ["order", "cost"],
                  time_zone="Europe/Rome"),
        an.TimeGranularity(
            k=6,
            granularities=["day", "week"],
            ladders={
                "age": an.Ladder.bins(10, raw=False, drop=False),
                "zip": an.Ladder.prefix(3, raw=False, drop=False),
                "job": an.Ladder.hierarchy(
                    [["smith", "all"], ["cook", "all"], ["clerk", "all"]], raw=False, drop=False
                ),
                "pay": an.Ladder.drop(),
            },
        ),
        ledger=folder / "ledger", to=folder / "releases",
    )  # fmt: skip


@pytest.fixture(scope="module")
def found(release) -> Catalogue:
    return catalogue_of(release)


def test_columns_of_a_generalised_release(found: Catalogue) -> None:
    forms = {name: (c.role, type(c.way), c.kind) for name, c in found.columns.items()}
    assert forms == {
        "age": ("quasi", ways.Bins, "whole"),
        "zip": ("quasi", ways.Prefix, "text"),
        "job": ("quasi", ways.Parents, "text"),
        "pay": ("quasi", ways.LeftOut, "other"),
        "when": ("time", ways.Granules, "instant"),
        "order": ("sensitive", ways.Content, "text"),
        "cost": ("sensitive", ways.Content, "number"),
    }
    assert found.columns["age"].way == ways.Bins("age", Decimal(10), Decimal(0))
    assert found.columns["zip"].length == 3
    assert found.columns["job"].covers == {"all": ("clerk", "cook", "smith")}
    assert found.columns["age"].example == (20, 29)
    assert (found.method, found.time_zone, found.rows, found.withheld) == (
        "granularity", "Europe/Rome", 12, 0,
    )  # fmt: skip
    assert found.time is not None
    assert found.time.granularity is not None


def test_questions_that_are_offered_can_be_answered(release, found: Catalogue) -> None:
    for text in examples(found):
        assert release.ask(text).rows
    for column in found.with_role("quasi", "time", "sensitive"):
        condition = condition_on(column, found.time_zone)
        low = release.ask(f"SELECT COUNT(*) WHERE {condition}").low
        assert low is not None
        assert low > 0
    assert 'SELECT "order", COUNT(*)' in examples(found)[1]


def test_the_release_is_told_in_words(found: Catalogue) -> None:
    columns, questions = askable(found)
    told = dict(columns)
    assert told["age"] == "whole numbers, in bins of 10"
    assert told["zip"] == "texts, the first 3 characters"
    assert told["job"] == "texts, in 1 classes"
    assert told["pay"] == "was left out, and cannot be asked about"
    assert told['"when"'] == "times, by day, on the clock of Europe/Rome"
    assert questions == examples(found)
    assert dict(askable(SERIES)[0])["value('2004')"].startswith("the values of a series, at 3")
    assert dict(askable(CELLS)[0])["district"].startswith("texts in an order of their own")


def test_names_are_found_or_guessed() -> None:
    assert RECORDS.find("N") is RECORDS.columns["n"]
    assert RECORDS.find("nn") is None
    assert RECORDS.nearest("seen_END") == "seen"
    assert CELLS.nearest("distrct") == "district"
    assert CELLS.nearest("xyz") is None


def test_values_and_names_are_written_as_sql_reads_them() -> None:
    assert [quoted(name) for name in ("age", "group", 'a"b', "my age", "Größe")] == [
        "age", '"group"', '"a""b"', '"my age"', '"Größe"',
    ]  # fmt: skip
    assert [written(value) for value in ("it's", True, 3, 2.5, Decimal("1.50"))] == [
        "'it''s'", "TRUE", "3", "2.5", "1.50",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "spoil",
    [
        lambda ours: ours["columns"]["age"].pop("published"),
        lambda ours: ours["columns"]["age"].update(step="melted"),
        lambda ours: ours["columns"]["age"].update(width="wide"),
        lambda ours: ours["columns"]["when"].update(granularity="aeon"),
        lambda ours: ours["columns"].update(more={"role": "quasi", "published": ["x"]}),
        lambda ours: ours.pop("suppressed_rows"),
        lambda ours: ours["guarantee"].pop("method"),
        lambda ours: ours.update(columns=[]),
    ],
)
def test_a_description_that_was_altered_is_refused(release, tmp_path: Path, spoil) -> None:
    copy = tmp_path / "0001"
    shutil.copytree(release.path, copy)
    restate(copy, lambda said: spoil(said["anachron"]))
    with pytest.raises(ReleaseError):
        catalogue_of(an.Release(copy))


def test_a_question_is_read_by_what_was_published(found: Catalogue) -> None:
    read = parse("SELECT COUNT(*) WHERE cost = 1.25 AND \"when\" = '2014-05-05'", found)
    assert {leaf.column for leaf in read.where.parts} == {"cost", "when"}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name",
    [
        "by", "case", "date", "end", "group", "if", "in", "interval", "limit", "null", "order",
        "partition", "select", "table", "when",
    ],
)  # fmt: skip
def test_a_column_may_be_called_like_a_word_of_sql(name: str) -> None:
    given = catalogue(exact(name, "whole", pa.int64(), 3))
    as_sql = quoted(name)
    text = f"SELECT {as_sql}, COUNT(*) WHERE {as_sql} = 1 AND 2 > {as_sql} GROUP BY {as_sql}"
    assert parse(text, given).groupings == (Grouping(name),)


def test_a_register_and_a_feed(tmp_path: Path) -> None:
    people = pa.table(
        {
            "who": [f"p{i}" for i in range(8)],
            "town": ["harbour", "hill"] * 4,
            "age": [30, 31, 40, 41] * 2,
            "what": ["flu", "cold", "burn", "cough"] * 2,
        }
    )
    register = catalogue_of(
        an.publish(
            people,
            an.Schema("who", quasi=["town", "age"], sensitive="what"),
            an.MInvariance(m=2, orders={"town": ["harbour", "market", "hill"]}),
            ledger=tmp_path / "l1", to=tmp_path / "r1",
        )
    )  # fmt: skip
    town, age = register.columns["town"], register.columns["age"]
    assert town.way == ways.Ordered("town", ("harbour", "market", "hill"))
    assert (type(age.way), register.withheld) == (ways.Interval, 0)
    assert (register.time, register.window) == (None, None)
    days = people.append_column("day", pa.array(["2014-05-05"] * 8))
    feed = catalogue_of(
        an.publish(
            days,
            an.Schema("who", "day", ["town", "age"], "what"),
            an.Reposition(l=2, window=2),
            ledger=tmp_path / "l2", to=tmp_path / "r2",
        )
    )  # fmt: skip
    assert (feed.then, feed.window, feed.withheld) == ("anatomy", 2, None)
    assert isinstance(feed.columns["day"].way, ways.Snapshots)
    assert feed.columns["what"].example  # published in a table of its own
    assert (
        dict(askable(feed)[0])["day"] == "times, by day, on the clock of UTC; up to 1 snapshot late"
    )
