"""A person of several columns, and each row a person: from the table to releases in a row.

The oracle is the same table with one column for the person. If both name people by the same
pseudonyms, whatever is published must be the same, byte for byte.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, InputError, PlanError, TableError
from anachron.ledger import Ledger, pseudonyms
from anachron.spelling import foldings, parted

TWO = ["clinic", "number"]
DAYS = an.TimeGranularity(k=3, granularities=["day", "week", "month"])
ILLS = ("asthma", "burn", "cold", "diabetes", "eczema", "flu")


def visits(seed: int = 1, rows: int = 120, month: int = 5, people: int = 40) -> pa.Table:
    """Events of people who are a number of a clinic, and a column that is both in one."""
    rng = random.Random(seed)
    who = [rng.randrange(people) for _ in range(rows)]
    return pa.table({
        "clinic": [f"c{i % 4}" for i in who],
        "number": [i // 4 for i in who],
        "patient": [f"c{i % 4}{i // 4}" for i in who],
        "day": [f"2024-{month:02}-{rng.randint(1, 28):02}" for _ in range(rows)],
        "ward": [i % 3 for i in who],
        "ill": [rng.choice(ILLS) for _ in range(rows)],
    })  # fmt: skip


def once_each(table: pa.Table, day: str | None = None) -> pa.Table:
    """The first row of everybody."""
    first: dict[str, int] = {}
    for row, who in enumerate(table["patient"].to_pylist()):
        first.setdefault(who, row)
    found = table.take(list(first.values()))
    return found if day is None else found.set_column(3, "day", [[day] * len(found)])


def side_by_side(seed: int = 1) -> pa.Table:
    rng = random.Random(seed)
    people = once_each(visits(seed)).select(["clinic", "number", "patient"])
    for at in range(6):
        people = people.append_column(f"t{at}", [[rng.randint(0, 30) for _ in range(len(people))]])
    return people


def below(seed: int = 1) -> pa.Table:
    """The same series, a row for each value."""
    wide = side_by_side(seed)
    values = [wide[f"t{at}"].to_pylist() for at in range(6)]
    parts = [
        wide.select(["clinic", "number", "patient"])
        .append_column("day", [[f"2024-05-{at + 1:02}"] * len(wide)])
        .append_column("load", [values[at]])
        for at in range(6)
    ]
    return pa.concat_tables(parts)


def quarters() -> list[pa.Table]:
    """A register three times: some leave, some come."""
    everybody = once_each(visits(3, rows=400)).drop_columns(["day"])
    everybody = everybody.set_column(4, "ill", [[ILLS[i % 6] for i in range(len(everybody))]])
    return [everybody.slice(0, 24), everybody.slice(4, 30), everybody.slice(2, 36)]


def feed(then: object = "anatomy", l: int | None = 2) -> an.Reposition:  # noqa: E741
    return an.Reposition(l=l, window=2, snapshot="day", then=then)


Story = tuple[Callable[[], list[pa.Table]], dict[str, object], object]
STORIES: dict[str, Story] = {
    "events": (lambda: [visits(), visits(2, month=8)],
               {"time": "day", "quasi": "ward", "sensitive": "ill"}, DAYS),
    "register": (quarters, {"quasi": "ward", "sensitive": "ill"}, an.MInvariance(m=2)),
    "wide": (lambda: [side_by_side()], {"series": [f"t{i}" for i in range(6)]},
             an.KPAnonymity(k=4, P=2)),
    "long": (lambda: [below()], {"time": "day", "series": "load"},
             an.KPAnonymity(k=4, P=2, granularity="day")),
    "feed": (lambda: [once_each(visits(i, 60), f"2024-05-0{i}") for i in (1, 2, 3)],
             {"time": "day", "quasi": "ward", "sensitive": "ill"}, feed()),
    "feed of intervals": (lambda: [once_each(visits(i, 60), f"2024-05-0{i}") for i in (1, 2)],
                          {"time": "day", "quasi": "ward", "sensitive": "ill"},
                          feed("generalize")),
    "feed of a register": (lambda: [once_each(visits(i, 60), f"2024-05-0{i}") for i in (1, 2)],
                           {"time": "day", "quasi": "ward", "sensitive": "ill"},
                           feed(an.MInvariance(m=2, when_ineligible="hold"), None)),
}  # fmt: skip


def published(tables: list[pa.Table], schema: an.Schema, promise: object, at: Path) -> list[Path]:
    """All releases of some tables, one after the other."""
    places = {"ledger": at / "ledger", "releases": at / "releases"}
    if isinstance(promise, an.Reposition):
        opened = an.open(an.Plan("visits.csv", schema, promise, **places))
        for table in tables:
            opened.push(table)
        opened.flush()
    else:
        for table in tables:
            an.publish(table, schema, promise, ledger=places["ledger"], to=places["releases"])
    return sorted(places["releases"].iterdir())


def content(releases: list[Path]) -> list[dict[str, str]]:
    return [
        {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(one.iterdir())}
        for one in releases
    ]


@pytest.fixture
def one_key(tmp_path, monkeypatch) -> Path:
    """Two ledgers with one key, by which a person of two columns is known as one of one column."""
    Ledger.open(tmp_path / "one" / "ledger")
    shutil.copytree(tmp_path / "one", tmp_path / "two")

    def as_one(values: pa.Array) -> pa.Array:
        if not pa.types.is_binary(values.type):
            return foldings(values)
        parts = (part.to_pylist() for part in parted(values))
        return pa.array(["".join(both).encode() for both in zip(*parts, strict=True)], pa.binary())

    monkeypatch.setattr(pseudonyms, "foldings", as_one)
    return tmp_path


@pytest.mark.parametrize("name", STORIES)
def test_an_id_in_two_columns_is_an_id(name: str, one_key: Path) -> None:
    tables, roles, promise = STORIES[name]
    one = published(tables(), an.Schema("patient", **roles), promise, one_key / "one")
    two = published(tables(), an.Schema(TWO, **roles), promise, one_key / "two")
    assert len(one) >= min(len(tables()), 2 if "feed" in name else 9)
    if "feed" in name:
        # Who moves is drawn by what a row holds, which is not the same; how many move is.
        assert [*map(figures, one)] == [*map(figures, two)]
    else:
        assert content(one) == content(two)


def figures(release: Path) -> tuple[object, ...]:
    """How many rows the groups of a release have, and how often it has each value."""
    opened = an.Release(release)
    data = opened.table()
    sizes = Counter(data["group"].to_pylist())
    held = (
        pa.parquet.read_table(release / "sensitive.parquet")
        if "ill" not in data.schema.names
        else data
    )
    ills = held["ill"].to_pylist()
    times = held["count"].to_pylist() if "count" in held.schema.names else [1] * len(ills)
    values = Counter(dict.fromkeys(ills, 0))
    for ill, n in zip(ills, times, strict=True):
        values[ill] += n
    return sorted(sizes.values()), sorted(values.items())


@pytest.mark.parametrize("name", ["events", "wide", "feed", "feed of intervals"])
def test_each_row_is_as_an_id_of_its_own(name: str, tmp_path: Path) -> None:
    """Lots are drawn by what a row holds, so that only numbers can be compared."""
    tables, roles, promise = STORIES[name]
    numbered = [
        table.append_column("row", [[f"{at}-{i}" for i in range(len(table))]])
        for at, table in enumerate(tables())
    ]
    found = [
        [
            (release.table().num_rows, release.description["anachron"].get("people"))
            for release in map(an.Release, published(numbered, schema, promise, tmp_path / who))
        ]
        for who, schema in (
            ("ids", an.Schema("row", **roles)),
            ("rows", an.Schema("each row", **roles)),
        )
    ]
    assert [rows for rows, _ in found[0]] == [rows for rows, _ in found[1]]
    assert {told for _, told in found[0]} == {None}
    assert {told for _, told in found[1]} == {"each row"}


@pytest.mark.parametrize("name", ["events", "wide", "feed"])
def test_what_is_published_of_rows_does_not_show_their_order(name: str, tmp_path: Path) -> None:
    tables, roles, promise = STORIES[name]
    Ledger.open(tmp_path / "one" / "ledger")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    schema = an.Schema("each row", **roles)
    # Rows that are alike must be told apart, too.
    given = [pa.concat_tables([table, table.slice(0, 5)]) for table in tables()]
    turned = [table.take(list(range(len(table)))[::-1]) for table in given]
    one = published(given, schema, promise, tmp_path / "one")
    assert content(one) == content(published(turned, schema, promise, tmp_path / "two"))


def test_attacks_measures_and_audits_know_both_kinds_of_people(tmp_path: Path) -> None:
    tables, roles, promise = STORIES["events"]
    for who in (TWO, "each row"):
        folder = tmp_path / str(len(who))
        [release, _] = published(tables(), an.Schema(who, **roles), promise, folder)
        beside = {"table": tables()[0], "ledger": folder / "ledger"}
        assert an.audit(release, **beside).holds
        assert an.audit(folder / "releases", ledger=folder / "ledger").holds
        assert all(finding.holds is not False for finding in an.attack(release, **beside))
        assert an.utility(release, questions=20, **beside).measures
        page = tmp_path / f"{len(who)}.html"
        an.report(release, page, **beside)
        assert ("Rows are counted here, not people" in page.read_text()) == (who == "each row")


EVENTS = {"time": "day", "quasi": "ward", "sensitive": "ill"}


def publish(table: pa.Table, who: object, at: Path, promise: object = DAYS, **how: object) -> None:
    roles = how.pop("roles", EVENTS)
    an.publish(
        table, an.Schema(who, **roles), promise, ledger=at / "ledger", to=at / "releases", **how
    )


def test_people_of_two_columns_are_known_again(tmp_path: Path) -> None:
    publish(visits(), TWO, tmp_path)
    with pytest.raises(AlreadyPublished, match=r"[0-9]+ people of this table already stand in"):
        publish(visits(seed=5), TWO, tmp_path)
    with pytest.raises(AlreadyPublished, match="already stand in"):
        publish(visits(seed=5), TWO[::-1], tmp_path)
    publish(visits(month=8), TWO, tmp_path)


@pytest.mark.parametrize(
    ("first", "then"),
    [("each row", "each row"), ("patient", "each row"), ("each row", "patient"),
     ("patient", TWO), (TWO, "patient"), (TWO, ["clinic", "patient"])],
)  # fmt: skip
def test_who_cannot_be_known_again_is_not_published_twice(first, then, tmp_path: Path) -> None:
    publish(visits(), first, tmp_path)
    with pytest.raises(AlreadyPublished, match=r"release 1 covers a time .* nobody can tell"):
        publish(visits(seed=5), then, tmp_path, accept=["strangers"])
    publish(visits(month=8), then, tmp_path)
    assert an.audit(tmp_path / "releases", ledger=tmp_path / "ledger").holds


def test_series_of_rows_are_published_once(tmp_path: Path) -> None:
    roles, promise = STORIES["wide"][1:]
    publish(side_by_side(), "each row", tmp_path, promise, roles=roles)
    publish(side_by_side(), "each row", tmp_path, promise, roles=roles)  # the same release
    with pytest.raises(AlreadyPublished, match="each row is a person here"):
        publish(side_by_side(2), "each row", tmp_path, promise, roles=roles)


def test_a_history_keeps_its_subject(tmp_path: Path) -> None:
    roles = {"quasi": "ward", "sensitive": "ill"}
    first, second, _ = quarters()
    publish(first, TWO, tmp_path, an.MInvariance(m=2), roles=roles)
    with pytest.raises(PlanError, match=r"subject must not change .* Say it as before"):
        publish(second, "patient", tmp_path, an.MInvariance(m=2), roles=roles)
    assert len(list((tmp_path / "releases").iterdir())) == 1


@pytest.mark.parametrize(
    ("promise", "roles"),
    [(an.MInvariance(m=2), {"quasi": "ward", "sensitive": "ill"}),
     (feed(an.MInvariance(m=2), None), EVENTS),
     (an.KPAnonymity(k=2, P=2, granularity="day"), {"time": "day", "series": "number"})],
)  # fmt: skip
def test_who_must_be_known_again_needs_a_name(promise, roles, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"'each row', and .* Name the column that tells people"):
        publish(visits(), "each row", tmp_path, promise, roles=roles)
    with pytest.raises(PlanError, match="'each row', and"):
        an.Plan("visits.csv", an.Schema("each row", **roles), promise)
    assert not any(tmp_path.iterdir())


def test_a_column_of_that_name_is_refused(tmp_path: Path) -> None:
    table = visits().append_column("each row", [list(range(120))])
    table_file = tmp_path / "visits.parquet"
    pa.parquet.write_table(table, table_file)
    for given, named in ((table, "the table"), (table_file, "visits.parquet")):
        with pytest.raises(TableError, match=f"{named}, column 'each row': .* Rename the column"):
            publish(given, "each row", tmp_path)
    for bad in ("each row", ["each row"], ["each row", "ward"]):
        with pytest.raises(InputError, match="Rename the column"):
            an.Schema(bad, quasi=["each row"] if bad == "each row" else ())
    with pytest.raises(InputError, match="names no column"):
        an.Schema([])


def spelled(*names: tuple[str, str]) -> pa.Table:
    first, last = zip(*names, strict=True)
    return pa.table({
        "first": first, "last": last, "day": ["2024-05-01"] * len(names),
        "ward": [1] * len(names), "ill": ["flu"] * len(names),
    })  # fmt: skip


PAIR = ["first", "last"]
TWINS = spelled(("Ann", "Lee"), ("ann\u200b", " LEE"), ("Bo", "Lee"))
ALL = an.TimeGranularity(k=2, granularities=["day"])


def test_each_part_is_folded_by_itself(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"column 'first \+ last', row 2: differs from another"):
        publish(TWINS, PAIR, tmp_path, ALL)
    schema = an.Schema(PAIR, spelling="merge", **EVENTS)
    an.publish(TWINS, schema, ALL, ledger=tmp_path / "m", to=tmp_path / "merged")
    three = an.TimeGranularity(k=3, granularities=["day"])
    with pytest.raises(an.errors.GuaranteeError):
        an.publish(TWINS, schema, three, ledger=tmp_path / "n", to=tmp_path / "none")
    exact = an.Schema(PAIR, spelling="exact", **EVENTS)
    an.publish(TWINS, exact, three, ledger=tmp_path / "e", to=tmp_path / "exact")
    # What is glued together differently is somebody else.
    publish(spelled(("a", "bc"), ("ab", "c"), ("a b", "c"), ("a", "b c")), PAIR, tmp_path / "glue",
            an.TimeGranularity(k=4, granularities=["day"]))  # fmt: skip


@pytest.mark.parametrize("spelling", ["refuse", "merge"])
def test_another_spelling_of_a_part_is_known_again(spelling: str, tmp_path: Path) -> None:
    publish(spelled(("Ann", "Lee"), ("Bo", "Lee")), PAIR, tmp_path, ALL)
    again = spelled(("ANN ", "lee"), ("Cy", "Poe"))
    with pytest.raises(AlreadyPublished, match="1 people"):
        publish(again, PAIR, tmp_path, ALL, roles={**EVENTS, "spelling": spelling})


@pytest.mark.parametrize(
    ("table", "message"),
    [(spelled(("Ann", "Lee"), ("Bo", None)), "column 'last', row 2: is missing in 1 row"),
     (spelled(("Ann", "Lee"), (" \u200b", "Lee")), "column 'first', row 2: is an empty text")],
)  # fmt: skip
def test_every_part_of_a_name_is_needed(table: pa.Table, message: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=message):
        publish(table, PAIR, tmp_path, ALL)
    with pytest.raises(TableError, match="column 'ward': is of the type DOUBLE"):
        publish(table.set_column(3, "ward", [[1.5] * 2]), ["first", "ward"], tmp_path, ALL,
                roles={"time": "day"})  # fmt: skip
