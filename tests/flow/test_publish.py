"""Publishing as a person does it, from the table to the folder."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError, PlanError, TableError
from tests.flow.tables import (
    DAY_WEEK_MONTH,
    PAPER,
    PAPER_SCHEMA,
    VISIT_SCHEMA,
    contents,
    published,
    visits,
)

LADDERS = {"age": an.Ladder.bins(10, 30)}
PROMISE = an.TimeGranularity(
    k=5, granularities=["part_of_day", *DAY_WEEK_MONTH, "quarter"], ladders=LADDERS
)


def test_the_papers_tables_3_4_and_5(tmp_path: Path) -> None:
    promise = an.TimeGranularity(k=2, granularities=DAY_WEEK_MONTH)
    release = published(PAPER, PAPER_SCHEMA, promise, tmp_path)
    assert release.table().select(["q", "t", "data"]).to_pylist() == [
        {"q": "q1", "t": "2006-W01", "data": "d0"},
        {"q": "q1", "t": "2006-W01", "data": "d1"},
        {"q": "q1", "t": "2006-W02", "data": "d2"},
        {"q": "q1", "t": "2006-W02", "data": "d3"},
        {"q": "q2", "t": "2006-W06", "data": "d4"},
        {"q": "q2", "t": "2006-W06", "data": "d5"},
    ]
    explanation = release.explanation
    assert explanation is not None
    answers = [(a["granularity"], a["gen_c"]) for a in explanation["answers"]]
    assert answers == [("week", [2, 6]), ("month", [2, 5])]
    day = next(n for n in explanation["nodes"] if n["granularity"] == "day")
    assert day["state"] == "fails"
    # Rows 3 and 4 stand alone on their days, as do rows 5 and 6.
    assert (day["counts"]["failing_people"], day["counts"]["failing_groups"]) == (4, 4)


def test_five_rows_each_of_two_people_are_not_five_people(tmp_path: Path) -> None:
    table = pa.table({"who": ["a"] * 5 + ["b"] * 5, "day": ["2024-05-01"] * 10})
    schema = an.Schema(subject="who", time="day")
    with pytest.raises(GuaranteeError, match="2 different people, fewer than k = 5"):
        published(table, schema, an.TimeGranularity(k=5), tmp_path)
    assert not (tmp_path / "releases").exists()
    assert published(table, schema, an.TimeGranularity(k=2), tmp_path).number == 1


def test_days_weeks_months_and_years_are_searched_together(tmp_path: Path) -> None:
    promise = an.TimeGranularity(k=2, granularities=["year", "month", "week", "day"])
    assert published(PAPER, PAPER_SCHEMA, promise, tmp_path).number == 1


def test_a_promise_that_cannot_be_kept_writes_nothing(tmp_path: Path) -> None:
    promise = an.TimeGranularity(k=4, granularities=DAY_WEEK_MONTH)
    with pytest.raises(GuaranteeError, match="no view on offer keeps the promise"):
        published(PAPER, PAPER_SCHEMA, promise, tmp_path)
    assert contents(tmp_path / "releases") == {}
    assert an.Ledger.open(tmp_path / "ledger").entries() == []


def test_the_same_again_gives_the_same_release(tmp_path: Path) -> None:
    first = published(visits(), VISIT_SCHEMA, PROMISE, tmp_path)
    before = contents(tmp_path / "releases")
    again = published(visits(), VISIT_SCHEMA, PROMISE, tmp_path)
    assert again.path == first.path
    assert again.explanation == first.explanation
    assert contents(tmp_path / "releases") == before


def test_a_lost_release_is_made_again_byte_for_byte(tmp_path: Path) -> None:
    release = published(visits(), VISIT_SCHEMA, PROMISE, tmp_path, csv=True)
    before = contents(tmp_path / "releases")
    shutil.rmtree(release.path)
    published(visits(), VISIT_SCHEMA, PROMISE, tmp_path, csv=True)
    assert contents(tmp_path / "releases") == before


NOON = an.Granularity.boundaries(
    "term", ["2005-01-03T12:00", "2006-01-31T12:00", "2007-01-31T12:00"], ["first", "second"]
)
HALF_HOURS = an.Granularity.boundaries(
    "shift", [f"2006-01-0{day}T06:30" for day in range(1, 8)], [*"abcdef"]
)


def test_a_granularity_that_cuts_a_recorded_unit_is_left_out_for_what_it_is(tmp_path: Path) -> None:
    """It was called finer than the days, which it is not."""
    offered = an.TimeGranularity(k=2, granularities=["day", NOON, "year"])
    release = published(PAPER, PAPER_SCHEMA, offered, tmp_path)
    assert release.explanation is not None
    why = release.explanation["order"]["dropped"]["term"]
    assert "inside one day, at 2006-01-31 12:00" in why
    assert "finer" not in why
    assert any("'term' was left out" in note for note in release.explanation["notes"])
    with pytest.raises(PlanError, match="inside one day"):
        published(
            PAPER, PAPER_SCHEMA, an.TimeGranularity(k=2, granularities=[NOON]), tmp_path / "b"
        )
    halves = an.Granularity.boundaries(
        "half", ["2006-01-01T00:00", "2006-01-01T12:00", "2006-01-02"], ["a", "b"]
    )
    with pytest.raises(PlanError, match="half: it is finer than the times are recorded, by day"):
        published(
            PAPER, PAPER_SCHEMA, an.TimeGranularity(k=2, granularities=[halves]), tmp_path / "c"
        )


def test_a_granularity_that_begins_inside_an_hour(tmp_path: Path) -> None:
    hours = PAPER.set_column(2, "t", [[f"2006-01-0{day}T0{day}:00" for day in (1, 1, 2, 2, 3, 3)]])
    offered = an.TimeGranularity(k=2, granularities=[HALF_HOURS, "month"])
    release = published(hours, PAPER_SCHEMA, offered, tmp_path)
    assert release.explanation is not None
    why = release.explanation["order"]["dropped"]["shift"]
    assert "inside one hour, at 2006-01-01 06:30" in why


def test_another_view_of_the_same_table_is_refused(tmp_path: Path) -> None:
    week = an.TimeGranularity(k=2, granularities=["week"])
    month = an.TimeGranularity(k=2, granularities=["month"])
    published(PAPER, PAPER_SCHEMA, week, tmp_path)
    before = contents(tmp_path / "releases")
    with pytest.raises(AlreadyPublished, match="release 1, with another schema or guarantee"):
        published(PAPER, PAPER_SCHEMA, month, tmp_path)
    # Nor does leaving out a row make it another table.
    with pytest.raises(AlreadyPublished, match="people of this table already stand in release 1"):
        published(PAPER.slice(0, 4), PAPER_SCHEMA, month, tmp_path)
    assert contents(tmp_path / "releases") == before


def test_later_rows_of_the_same_people_may_be_published(tmp_path: Path) -> None:
    published(visits(), VISIT_SCHEMA, PROMISE, tmp_path)
    later = published(visits(year=2025), VISIT_SCHEMA, PROMISE, tmp_path)
    assert later.number == 2


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_rows_leaves_no_trace(tmp_path: Path, seed: int) -> None:
    table = visits()
    rows = list(range(len(table)))
    random.Random(seed).shuffle(rows)
    one = published(table, VISIT_SCHEMA, PROMISE, tmp_path / "one", csv=True)
    other = published(table.take(rows), VISIT_SCHEMA, PROMISE, tmp_path / "other", csv=True)
    assert contents(one.path) == contents(other.path)


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.campaign)])
def test_all_hash_seeds_give_the_same_bytes(
    tmp_path: Path, seeds: int, with_hash_seed: Callable[..., None]
) -> None:
    pq.write_table(visits(), tmp_path / "visits.parquet")
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.flow.test_publish import PROMISE, VISIT_SCHEMA, published\n"
        "published('visits.parquet', VISIT_SCHEMA, PROMISE, Path(sys.argv[1]), csv=True)\n"
    )
    for seed in range(seeds):
        with_hash_seed(seed, code, f"seed{seed}")
    first, *others = (contents(tmp_path / f"seed{seed}" / "releases") for seed in range(seeds))
    assert first
    assert all(other == first for other in others)


def test_nothing_of_a_person_leaves(tmp_path: Path) -> None:
    release = published(visits(), VISIT_SCHEMA, PROMISE, tmp_path, csv=True)
    an.report(release, "certificate.html", ledger=tmp_path / "ledger", table=visits())
    everything = b"".join(contents(release.path).values()) + Path("certificate.html").read_bytes()
    ledger = b"".join(contents(tmp_path / "ledger").values())
    assert b"canary" not in everything
    assert b"person" not in b"".join(contents(release.path).values())
    assert b"canary" not in ledger


def test_formula_cells_are_harmless_in_csv(tmp_path: Path) -> None:
    release = published(visits(), VISIT_SCHEMA, PROMISE, tmp_path, csv=True)
    text = (release.path / "data.csv").read_text()
    assert ",=cmd()" not in text
    assert ",'=cmd()" in text


def test_labels_that_do_not_sort_as_text_keep_their_order(tmp_path: Path) -> None:
    table = pa.table(
        {
            "who": [f"p{i}" for i in range(8)],
            "at": [f"2024-05-01T{hour:02d}:00" for hour in (1, 2, 7, 8, 13, 14, 19, 20)],
        }
    )
    promise = an.TimeGranularity(k=2, granularities=["part_of_day", "day"])
    release = published(table, an.Schema(subject="who", time="at"), promise, tmp_path)
    labels = release.to("pandas")["at"]
    parts = ["night", "morning", "afternoon", "evening"]
    assert list(labels.sort_values().unique()) == [f"2024-05-01 {part}" for part in parts]


def test_two_published_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = PAPER.rename_columns(["uid", "group", "t", "data"])
    schema = an.Schema(subject="uid", time="t", quasi="group", sensitive="data")
    with pytest.raises(TableError, match="column 'group': two published columns"):
        published(table, schema, an.TimeGranularity(k=2), tmp_path)
    assert contents(tmp_path / "releases") == {}


@pytest.mark.parametrize("ladder", [an.Ladder.bins(5), an.Ladder.bins("0.5"), an.Ladder.prefix(1)])
def test_a_column_with_nothing_filled_in_may_have_any_ladder(
    tmp_path: Path, ladder: an.Ladder
) -> None:
    table = PAPER.set_column(1, "q", pa.nulls(6))
    promise = an.TimeGranularity(k=2, ladders={"q": ladder})
    assert published(table, PAPER_SCHEMA, promise, tmp_path).number == 1


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    an.publish(
        PAPER, PAPER_SCHEMA, an.TimeGranularity(k=2), ledger=tmp_path / "l", to=tmp_path / "r",
        progress=lambda what, share: told.append((what, share)),
    )  # fmt: skip
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert "verifying the release" in [what for what, _ in told]
