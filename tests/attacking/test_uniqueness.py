"""Who is alone by what is published: counted again, pair by pair, by code that shares none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.known import Known
from anachron.attacking.uniqueness import (
    alone,
    alone_in_snapshots,
    attack,
    found_alone,
    without_each,
)
from anachron.auditing.reading import pieces
from tests.attacking.knowing import known_of, publish
from tests.flow import series
from tests.placing.test_members import FEED, feed

SCHEMA = an.Schema(subject="who", time="day", quasi="ward", sensitive=["came", "ill", "paid"])
CONTENT = ("came", "ill", "paid")
Said = Mapping[str, Any]


def visits(seed: int, people: int = 24, rows: int = 60) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "who": [f"canary-{i}" for i in rng.integers(0, people, rows)],
            "day": [f"2024-05-{6 + d:02d}" for d in rng.integers(0, 3, rows)],
            "ward": rng.choice(["north", "south"], rows),
            "came": rng.choice(["walking", "by ambulance", None], rows, p=[0.7, 0.2, 0.1]),
            "ill": rng.choice(["flu", "burn", "cold", "gout"], rows),
            "paid": rng.integers(0, 3, rows),
        }
    )


def found(root: Path, table: pa.Table | None, release: an.Release, schema: an.Schema) -> Any:
    finding = attack(known_of(root, release, table, schema))
    assert finding is not None
    assert (finding.attack, finding.holds) == ("uniqueness", None)
    assert "canary" not in str(finding.to_dict())
    return finding


def count(
    rows: Sequence[Said], shown: Sequence[str], secrets: Sequence[str], who: Callable[[Said], Any]
) -> int:
    """Those who are alone on all that is shown but one of the secrets, looked for pair by pair."""
    exposed = set()
    for left_out in secrets or ("",):
        columns = [name for name in shown if name != left_out]
        for one in rows:
            twins = [
                two for two in rows
                if who(two) != who(one) and all(one[c] == two[c] for c in columns)
            ]  # fmt: skip
            if not twins:
                exposed.add(who(one))
    return len(exposed)


@pytest.mark.parametrize("seed", range(4))
def test_events_against_brute_force(seed: int, tmp_path: Path) -> None:
    table = visits(seed)
    promise = an.TimeGranularity(k=3, granularities=["week"])
    release = publish(tmp_path, table, SCHEMA, promise)
    shown = [name for name in release.table().column_names if name != "group"]
    rows = [{**row, "row": i} for i, row in enumerate(release.table().to_pylist())]
    of_rows = found(tmp_path, None, release, SCHEMA)
    assert of_rows.figures["counted"] == "rows"
    assert of_rows.exposed == count(rows, shown, CONTENT, lambda row: row["row"])
    assert of_rows.figures["alone_on_all"] == count(rows, shown, (), lambda row: row["row"])
    assert (of_rows.people, 0 < of_rows.exposed < of_rows.people) == (len(rows), True)
    # With the table: the same, of the people behind the rows.
    [granule] = {len(row["day"]) for row in rows}
    assert granule == len("2024-W19"), "all days are in one week"
    given = [{**row, "day": "the week"} for row in table.to_pylist()]
    columns = ("ward", "day", *CONTENT)
    of_people = found(tmp_path, table, release, SCHEMA)
    assert of_people.figures["counted"] == "people"
    assert of_people.exposed == count(given, columns, CONTENT, lambda row: row["who"])
    assert of_people.figures["alone_on_all"] == count(given, columns, (), lambda row: row["who"])
    assert of_people.people == len(set(table["who"].to_pylist()))


def test_two_rows_of_one_person_hide_nobody(tmp_path: Path) -> None:
    """Rows that are there twice are not alone; the person behind both of them is."""
    plain = {"day": "2024-05-06", "ward": "north", "ill": "flu"}
    rows = [("a", "by ambulance", 9), ("a", "by ambulance", 9), ("b", "walking", 1),
            ("c", "walking", 1), ("d", "walking", 1)]  # fmt: skip
    table = pa.table(
        {"who": [r[0] for r in rows], "came": [r[1] for r in rows], "paid": [r[2] for r in rows]}
        | {name: [value] * len(rows) for name, value in plain.items()}
    )
    release = publish(tmp_path, table, SCHEMA, an.TimeGranularity(k=3))
    assert found(tmp_path, None, release, SCHEMA).exposed == 0
    told = found(tmp_path, table, release, SCHEMA)
    assert (told.exposed, told.people) == (1, 4)


def test_one_column_of_content_is_the_secret(tmp_path: Path) -> None:
    """Whoever is alone by it alone tells nothing else: k people share the rest."""
    table = pa.table({"who": list("abc"), "day": ["2024-05-06"] * 3, "ill": ["x", "y", "z"]})
    schema = an.Schema(subject="who", time="day", sensitive="ill")
    release = publish(tmp_path, table, schema, an.TimeGranularity(k=3))
    told = found(tmp_path, table, release, schema)
    assert (told.exposed, told.figures["alone_on_all"], told.figures["columns"]) == (0, 3, "")


def test_the_most_telling_column_comes_first(tmp_path: Path) -> None:
    """Without `paid`, nobody is alone."""
    table = pa.table(
        {"who": list("abcdef"), "day": ["2024-05-06"] * 6, "ward": ["north"] * 6,
         "came": ["walking", "driven"] * 3, "ill": ["flu"] * 6, "paid": range(6)}
    )  # fmt: skip
    release = publish(tmp_path, table, SCHEMA, an.TimeGranularity(k=3))
    told = found(tmp_path, table, release, SCHEMA)
    assert told.exposed == 6
    assert told.figures["columns"].split(", ")[0] == "paid"
    assert "by 'paid' above all" in told.measured


def test_a_feed_by_anatomy_shows_quasi_values_as_they_are(tmp_path: Path) -> None:
    table = feed()
    release = publish(tmp_path, table, FEED, an.Reposition(l=3, window=3))
    rows = [{**row, "row": i} for i, row in enumerate(release.table().to_pylist())]
    shown = [name for name in rows[0] if name not in ("group", "row")]
    told = found(tmp_path, None, release, FEED)
    assert told.exposed == count(rows, shown, (), lambda row: row["row"]) > 0
    assert told.figures["columns"] == ", ".join(FEED.quasi)
    assert "the value that is hidden" in told.knows
    people = found(tmp_path, table, release, FEED)
    assert people.figures["counted"] == "people"
    # Everyone has one record there: of people, the same are alone.
    assert (people.exposed, people.people) == (told.exposed, told.people)


def test_boxes_of_a_feed_are_those_of_groups(tmp_path: Path) -> None:
    promise = an.Reposition(l=3, window=3, then="generalize", orders={"sex": ["f", "m"]})
    release = publish(tmp_path, feed(), FEED, promise)
    assert found(tmp_path, None, release, FEED).exposed == 0


def test_counterfeits_are_nobody(tmp_path: Path) -> None:
    """Of four people two leave: what stands in for them keeps nobody company."""
    schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    promise = an.MInvariance(m=2)
    for who, age, ill in (("abcd", [1, 2, 50, 51], "xyxy"), ("ac", [1, 50], "xx")):
        table = pa.table({"who": list(who), "age": age, "ill": list(ill)})
        release = publish(tmp_path, table, schema, promise)
    rows = release.table()
    assert (rows.num_rows, release.description["anachron"]["counterfeits"]) == (4, 2)
    for given in (None, table):
        told = found(tmp_path, given, release, schema)
        assert (told.exposed, told.people, told.figures["counted"]) == (2, 2, "people")


@pytest.mark.parametrize(("few", "hides"), [(1, False), (2, False), (2, True)])
def test_series_by_envelope_and_word(few: int, hides: bool, tmp_path: Path) -> None:
    table = series.wide(series.walks(40))
    if hides:
        table = table.set_column(1, "bill", pa.array([i % 4 for i in range(40)]))
    promise = series.promise(k=4, P=few, **({"l": 2} if hides else {}))
    release = series.released(table, tmp_path, promise)
    rows = [{**row, "row": i} for i, row in enumerate(release.table().to_pylist())]
    told = found(tmp_path, None, release, series.WIDE)
    # One column of content: it is the secret, with l and without.
    by_shape = count(rows, ("group", "level", "pattern"), (), lambda row: row["row"])
    assert told.exposed == by_shape
    assert (told.exposed > 0) == (few == 1 and not hides)
    assert told.figures["counted"] == "people"


def test_keys_and_columns() -> None:
    rng = np.random.default_rng(7)
    fixed, person = rng.integers(0, 5, 80), rng.integers(0, 60, 80)
    columns = [rng.integers(0, size, 80) for size in (2, 3, 7, 4)]
    for at, flags in enumerate(without_each(fixed, columns, person)):
        rest = [fixed, *columns[:at], *columns[at + 1 :]]
        keys = list(zip(*(column.tolist() for column in rest), strict=True))
        behind: dict[Any, set[int]] = {}
        for key, who in zip(keys, person.tolist(), strict=True):
            behind.setdefault(key, set()).add(who)
        assert flags.tolist() == [len(behind[key]) == 1 for key in keys]
    assert without_each(fixed, [], person) == []
    none = np.zeros(0, dtype=np.int64)
    assert alone(none, none).tolist() == []


@pytest.mark.parametrize("seed", range(3))
def test_of_a_feed_it_is_counted_some_snapshots_at_a_time(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = publish(tmp_path, feed(seed=seed), FEED, an.Reposition(l=2, window=3))
    expected = found_alone(Known(release))
    for at_once in (1 << 18, 0):
        monkeypatch.setattr(pieces, "AT_ONCE", at_once)
        assert alone_in_snapshots(release) == expected
    assert expected is not None
    assert expected.exposed > 0
