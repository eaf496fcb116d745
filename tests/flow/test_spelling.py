"""People and values are who and what they are, however they are spelled."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anachron as an
from anachron.errors import AlreadyPublished, PlanError, TableError
from tests.daily import daily
from tests.flow import registers, series, small_feeds
from tests.flow.spellings import WAYS, respelled, with_column

REGISTER = an.Schema(subject="who", quasi="age", sensitive="ill")
PROMISE = an.MInvariance(m=2)
FEED = an.Reposition(l=2, window=2)
VISITS = an.Schema(subject="person", time="seen", quasi="sex", sensitive="diagnosis")
MONTHS = an.TimeGranularity(k=2, granularities=["month"])
DIVERSE = series.promise(k=4, P=2, l=2)


def people(count: int = 24) -> pa.Table:
    return registers.as_table(registers.clinic(count)).select(["who", "age", "ill"])


def visits(count: int = 12, month: int = 1) -> pa.Table:
    rows = range(2 * count)
    return pa.table(
        {
            "person": [f"p{i // 2}" for i in rows],
            "sex": ["f" if i // 2 % 2 else "m" for i in rows],
            "seen": [f"2024-{month:02d}-{1 + i % 28:02d}" for i in rows],
            "diagnosis": ["flu" if i % 3 else "gout" for i in rows],
        }
    )


def meters(count: int = 24) -> pa.Table:
    bills = [f"tariff {i % 6}" for i in range(count)]
    return with_column(series.wide(series.walks(count)), "bill", bills)


def spelled(schema: an.Schema, spelling: str) -> an.Schema:
    return an.Schema.from_dict({**schema.to_dict(), "spelling": spelling})


def published(table: pa.Table, root: Path, schema: an.Schema, promise: object, **more: object):
    return an.publish(table, schema, promise, ledger=root / "ledger", to=root / "releases", **more)


def pushed(folder: Path, table: pa.Table, spelling: str = "refuse") -> list[an.Release]:
    plan = an.Plan(
        "feed.parquet", spelled(small_feeds.SCHEMA, spelling), FEED,
        ledger=folder / "ledger", releases=folder / "releases",
    )  # fmt: skip
    return an.open(plan).push(table)


def nothing_in(root: Path) -> bool:
    return not list(root.glob("releases/*"))


ONE_TABLE = {
    "granularity": (visits(), VISITS, MONTHS, "person"),
    "register": (people(), REGISTER, PROMISE, "who"),
    "feed": (small_feeds.table(small_feeds.day(1, "abcdef")), small_feeds.SCHEMA, FEED, "who"),
    "series": (meters(), series.WIDE, DIVERSE, "meter"),
}


@pytest.mark.parametrize("way", daily(WAYS, "capitals", "zero width"))
@pytest.mark.parametrize("method", ONE_TABLE)
def test_a_person_in_two_spellings_is_refused(method: str, way: str, tmp_path: Path) -> None:
    table, schema, promise, column = ONE_TABLE[method]
    names = table[column].to_pylist()
    # Of a name without blanks another kind of blank makes no other spelling.
    names[0], names[-1] = f"{names[0]} x", WAYS[way](f"{names[0]} x")
    with pytest.raises(TableError, match="one person would count twice") as error:
        published(with_column(table, column, names), tmp_path, schema, promise)
    [problem] = error.value.problems
    # The least spelling counts as the first, whatever the order of the rows.
    other = len(table) if names[0] < names[-1] else 1
    assert (problem.column, problem.row) == (column, other)
    assert 'set spelling to "merge"' in str(problem)
    assert nothing_in(tmp_path)


@pytest.mark.parametrize("way", daily(WAYS, "width", "kind of blank"))
@pytest.mark.parametrize("method", ["register", "feed", "series"])
def test_a_value_in_two_spellings_is_refused(method: str, way: str, tmp_path: Path) -> None:
    table, schema, promise, _ = ONE_TABLE[method]
    [column] = schema.sensitive
    values = [f"ill {value}" for value in table[column].to_pylist()]
    values[-1] = WAYS[way](values[0])
    with pytest.raises(TableError, match="differ from others only in capitals") as error:
        published(with_column(table, column, values), tmp_path, schema, promise)
    [problem] = error.value.problems
    assert (problem.column, problem.row) == (column, len(table))
    assert nothing_in(tmp_path)


@pytest.mark.parametrize("method", ["register", "feed", "series"])
def test_merged_spellings_are_one_value_and_the_smallest_is_published(
    method: str, tmp_path: Path
) -> None:
    table, schema, promise, _ = ONE_TABLE[method]
    [column] = schema.sensitive
    half = [str(value) for value in table[column].to_pylist()[: len(table) // 2]]
    mixed = [*half, *(text.upper() for text in half)]
    merging = spelled(schema, "merge")
    release = published(with_column(table, column, mixed), tmp_path, merging, promise)
    shown = release.table("sensitive" if method == "feed" else "data")[column].to_pylist()
    assert set(shown) == {text.upper() for text in half}
    assert any(
        "are published in that spelling" in note for note in (release.explanation or {})["notes"]
    )
    assert an.audit(release, ledger=tmp_path / "ledger").holds


def test_answers_are_measured_by_value(tmp_path: Path) -> None:
    """Whoever asks for a value means all its spellings."""
    table = people()
    ills = [ill.upper() for ill in table["ill"].to_pylist()]
    mixed = [ill.title() if i > 11 else ill for i, ill in enumerate(ills)]
    release = published(
        with_column(table, "ill", mixed), tmp_path, spelled(REGISTER, "merge"), PROMISE
    )
    one, other = (
        an.utility(release, table=with_column(table, "ill", given), ledger=tmp_path / "ledger")
        for given in (ills, mixed)
    )
    assert one.to_dict() == other.to_dict()


def test_merged_people_are_one_and_counted_once(tmp_path: Path) -> None:
    table = visits(3)
    names = ["Ann", "ann", "ANN", "Bob", "bob", "Bob\u200b"]
    twins = with_column(table, "person", names)
    with pytest.raises(an.AnachronError, match="holds 2 different people"):
        published(
            twins, tmp_path, spelled(VISITS, "merge"),
            an.TimeGranularity(k=3, granularities=["year"]),
        )  # fmt: skip
    everyone = an.Schema(subject="person", time="seen", spelling="merge")
    release = published(twins, tmp_path, everyone, an.TimeGranularity(k=2, granularities=["year"]))
    told = release.explanation or {}
    assert any("4 of 6 subjects" in note and "merged" in note for note in told["notes"])
    verdict = an.audit(release, table=twins, ledger=tmp_path / "ledger")
    assert verdict.holds
    assert verdict.figures["people_in_smallest_group"] == 2


def test_exact_spelling_counts_as_written_and_the_release_says_so(tmp_path: Path) -> None:
    table = people()
    ills = [ill.upper() if i % 2 else ill for i, ill in enumerate(table["ill"].to_pylist())]
    names = [*table["who"].to_pylist()[:-1], table["who"][0].as_py().upper()]
    table = with_column(with_column(table, "ill", ills), "who", names)
    release = published(table, tmp_path, spelled(REGISTER, "exact"), PROMISE)
    assert release.description["anachron"]["spelling"] == "exact"
    assert any("because spelling is exact" in n for n in (release.explanation or {})["notes"])
    assert set(release.table()["ill"].to_pylist()) == set(ills)
    assert an.audit(release, table=table, ledger=tmp_path / "ledger").holds
    # Whoever is spelled otherwise is somebody else then, as the plan says.
    again = with_column(table, "who", [name.swapcase() for name in names])
    told = published(again, tmp_path, spelled(REGISTER, "exact"), PROMISE, accept="strangers")
    assert (told.explanation or {})["known"] == 2


@pytest.mark.parametrize(("before", "after"), [("refuse", "exact"), ("exact", "merge")])
def test_a_ledger_knows_people_in_one_way_for_ever(before: str, after: str, tmp_path: Path) -> None:
    published(visits(), tmp_path, spelled(VISITS, before), MONTHS)
    with pytest.raises(PlanError, match="this ledger knows its people"):
        published(visits(month=2), tmp_path, spelled(VISITS, after), MONTHS)
    release = published(visits(month=2), tmp_path, VISITS, MONTHS)
    notes = (release.explanation or {})["notes"]
    assert any("as they are written" in note for note in notes) == (before == "exact")


def test_two_spellings_that_were_two_values_stay_two_or_nothing_is_published(
    tmp_path: Path,
) -> None:
    table = people()
    ills = [ill.upper() if i > 11 else ill for i, ill in enumerate(table["ill"].to_pylist())]
    table = with_column(table, "ill", ills)
    published(table, tmp_path, spelled(REGISTER, "exact"), PROMISE)
    with pytest.raises(PlanError, match="the ledger knows values that differ only in"):
        published(table.slice(12), tmp_path, REGISTER, PROMISE)
    later = published(table.slice(1), tmp_path, spelled(REGISTER, "exact"), PROMISE)
    assert (later.explanation or {})["changed"] == 0


@pytest.mark.parametrize("way", daily(WAYS, "capitals", "soft hyphen"))
def test_respelled_people_and_values_of_a_register_are_known(way: str, tmp_path: Path) -> None:
    """I1 and I2: everybody counted as changed, or as new, and lost the protection of the past."""
    first = people()
    # One whom the second release lacks, so that it is another snapshot.
    published(first, tmp_path, REGISTER, PROMISE)
    later = first.slice(1)
    for column in ("who", "ill"):
        later = with_column(later, column, [WAYS[way](t) for t in later[column].to_pylist()])
    release = published(later, tmp_path, REGISTER, PROMISE)
    told = release.explanation or {}
    assert (told["known"], told["changed"], told["new"]) == (23, 0, 0)
    assert set(release.table()["ill"].to_pylist()) <= set(first["ill"].to_pylist())
    assert an.audit(release, table=later, ledger=tmp_path / "ledger").holds


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 10**6))
def test_respelling_a_register_at_random_changes_no_release(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    plain, other = tmp_path_factory.mktemp("plain"), tmp_path_factory.mktemp("other")
    quarters = [registers.as_table(q) for q in registers.three_quarters()]
    registers.released(quarters[0], plain)
    shutil.copytree(plain, other, dirs_exist_ok=True)
    for quarter in quarters[1:]:
        old = registers.released(quarter, plain)
        known = set(quarters[0]["ill"].to_pylist())
        ills = quarter["ill"].to_pylist()
        ills = [
            respelled([ill], seed + ILL)[0] if ill in known else ill
            for ill, ILL in zip(ills, map(registers.ILLS.index, ills), strict=True)
        ]
        mixed = with_column(quarter, "ill", ills)
        mixed = with_column(mixed, "who", respelled(mixed["who"].to_pylist(), seed))
        new = registers.released(mixed, other)
        for name in ("data", "counterfeits"):
            assert new.table(name).equals(old.table(name))


def test_a_respelled_table_of_events_is_not_published_again(tmp_path: Path) -> None:
    """I2: the same events were published a second time."""
    published(visits(), tmp_path, VISITS, MONTHS)
    names = [WAYS["capitals"](name) for name in visits()["person"].to_pylist()]
    again = with_column(visits(), "person", names)
    with pytest.raises(AlreadyPublished, match="12 people of this table already stand"):
        published(again, tmp_path, VISITS, MONTHS)


def test_respelled_series_are_not_published_again(tmp_path: Path) -> None:
    published(meters(), tmp_path, series.WIDE, DIVERSE)
    again = with_column(meters(), "meter", [f"\ufeff{n}" for n in series.names(24)])
    with pytest.raises(AlreadyPublished, match="24 people of this table already stand"):
        published(again, tmp_path, series.WIDE, DIVERSE)


def test_a_series_may_be_told_in_several_spellings_of_its_person_and_value(tmp_path: Path) -> None:
    days = series.long(series.walks(24))
    names = respelled(days["meter"].to_pylist(), 1)
    bills = respelled([f"tariff {i % 6}" for i in days["bill"].to_pylist()], 2)
    mixed = with_column(with_column(days, "meter", names), "bill", bills)
    promise = series.promise(k=4, P=2, l=2, granularity="day")
    release = published(mixed, tmp_path, spelled(series.LONG, "merge"), promise)
    assert len(release.table()) == 24
    assert len(set(release.table()["bill"].to_pylist())) == 6
    assert an.audit(release, table=mixed, ledger=tmp_path / "ledger").holds


def test_a_feed_knows_respelled_people_and_values(tmp_path: Path) -> None:
    monday = small_feeds.table(small_feeds.day(1, "aabcd"))
    pushed(tmp_path, monday)
    names = [name.replace(".", "\u200b.") for name in monday["who"].to_pylist()]
    with pytest.raises(AlreadyPublished, match="pushed before"):
        pushed(tmp_path, with_column(monday, "who", names))
    tuesday = small_feeds.table(small_feeds.day(2, "abcd"))
    pushed(tmp_path, with_column(tuesday, "value", ["A", "B\u00ad", " c", "d"]))
    [*_, last] = an.open(small_feeds.plan(tmp_path, FEED)).flush()
    shown = small_feeds.values(small_feeds.entries(tmp_path))
    assert set(shown) == {"a", "b", "c", "d"}
    assert shown.total() == 9
    assert an.audit(last, ledger=tmp_path / "ledger").holds


def test_a_late_record_of_a_respelled_person_is_theirs(tmp_path: Path) -> None:
    late = an.Reposition(l=2, window=3, late="recycle")
    plan = small_feeds.plan(tmp_path, late)
    an.open(plan).push(small_feeds.table([("Ann", 1, "a"), ("Bob", 1, "b"), ("Cy", 1, "a")]))
    with pytest.raises(AlreadyPublished, match="repeats people of a snapshot"):
        an.open(plan).push(small_feeds.table([("ANN", 1, "b"), ("Dee", 1, "c")]))


def test_the_promise_may_name_values_in_another_spelling(tmp_path: Path) -> None:
    wide = an.MInvariance(m=2, mode="sticky", values=[ill.upper() for ill in registers.ILLS])
    first = published(people(), tmp_path, REGISTER, wide)
    assert set(first.table()["ill"].to_pylist()) <= {ill.upper() for ill in registers.ILLS}
    second = published(people().slice(2), tmp_path, REGISTER, wide)
    assert (second.explanation or {})["changed"] == 0
    twice = an.MInvariance(m=2, mode="sticky", values=[*registers.ILLS, "FLU"])
    with pytest.raises(PlanError, match="lists values that differ only in"):
        published(people(), tmp_path / "new", REGISTER, twice)


def test_old_plans_and_ledgers_say_nothing_of_spelling() -> None:
    assert "spelling" not in REGISTER.to_dict()
    assert an.Schema.from_dict(REGISTER.to_dict()) == REGISTER
    assert spelled(REGISTER, "merge").to_dict()["spelling"] == "merge"
    with pytest.raises(PlanError, match="spelling must be one of refuse, merge, exact"):
        spelled(REGISTER, "loose")


def test_release_with_default_spelling_says_nothing_of_it(tmp_path: Path) -> None:
    release = published(people(), tmp_path, REGISTER, PROMISE)
    assert "spelling" not in release.description["anachron"]
