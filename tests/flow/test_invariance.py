"""A register that is published again and again, as its owner meets it."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError, TableError
from tests.flow.registers import (
    DISTRICTS,
    PLAIN,
    SCHEMA,
    as_table,
    changed,
    clinic,
    promise,
    released,
    three_quarters,
)
from tests.flow.tables import PAPER, PAPER_SCHEMA, contents, states

MODES = ("paper", "transparent", "sticky")


def row_sets(release: an.Release) -> dict[int, list[str]]:
    """The sensitive values of each group."""
    groups: dict[int, list[str]] = {}
    for row in release.table().to_pylist():
        groups.setdefault(row["group"], []).append(row["ill"])
    return groups


@pytest.mark.parametrize(
    ("mode", "balance"), [*product(MODES, ["exact", "paper"]), ("transparent", "pooled")]
)
def test_three_quarters_are_published_and_every_release_is_verified(
    tmp_path: Path, mode: str, balance: str
) -> None:
    for number, people in enumerate(three_quarters(), 1):
        release = released(people, tmp_path, promise(mode=mode, balance=balance))
        assert release.number == number
        assert release.path == tmp_path / "releases" / f"{number:04d}"
        assert all(len(set(v)) == len(v) >= 2 for v in row_sets(release).values())
        assert an.audit(release).holds
        verdict = an.audit(release, table=as_table(people), ledger=tmp_path / "ledger")
        assert verdict.holds, [check for check in verdict.checks if not check.holds]
    assert an.Ledger.open(tmp_path / "ledger").check() == []


def test_the_release_has_the_promised_form(tmp_path: Path) -> None:
    people = three_quarters()
    released(people[0], tmp_path)
    release = released(people[1], tmp_path)
    data, fake = release.table(), release.table("counterfeits")
    assert data.column_names == [
        "group", "age_low", "age_high", "pay_low", "pay_high", "district_low", "district_high",
        "ill",
    ]  # fmt: skip
    assert fake.column_names == ["group", "counterfeits"]
    counterfeits = sum(fake["counterfeits"].to_pylist())
    assert data.num_rows == len(people[1]) + counterfeits
    assert all(n > 0 for n in fake["counterfeits"].to_pylist())
    assert release.description["anachron"]["counterfeits"] == counterfeits
    assert release.explanation is not None
    assert release.explanation["counterfeits"] == counterfeits
    assert set(data["group"].to_pylist()) == set(range(1, release.explanation["groups"] + 1))


def test_published_intervals_lie_on_the_fixed_grid(tmp_path: Path) -> None:
    for row in released(clinic(), tmp_path).table().to_pylist():
        assert row["age_low"] % 5 == 0
        assert row["age_high"] % 5 == 4
        assert Decimal(repr(row["pay_low"])) % Decimal("0.1") == 0
        assert Decimal(repr(row["pay_high"])) % Decimal("0.1") == 0
        assert row["pay_low"] < row["pay_high"]
        assert DISTRICTS.index(row["district_low"]) <= DISTRICTS.index(row["district_high"])


def test_whole_numbers_below_zero_stay_on_the_grid(tmp_path: Path) -> None:
    table = pa.table({"who": list("abcd"), "age": [-7, -5, -1, 3], "ill": list("xyxy")})
    guarantee = an.MInvariance(m=2, widths={"age": 5})
    rows = released(table, tmp_path, guarantee, schema=PLAIN).table().to_pylist()
    assert {(row["age_low"], row["age_high"]) for row in rows} == {(-10, -1), (-5, 4)}


def test_the_same_snapshot_again_gives_the_same_release(tmp_path: Path) -> None:
    for people in three_quarters()[:2]:
        first = released(people, tmp_path)
        before = contents(tmp_path / "releases")
        again = released(people, tmp_path)
        assert (again.path, again.explanation) == (first.path, first.explanation)
        assert contents(tmp_path / "releases") == before


def test_a_register_that_comes_back_to_what_it_was_is_released_anew(tmp_path: Path) -> None:
    one, other, _ = three_quarters()
    sets = {}
    for number, people in enumerate((one, other, one), 1):
        assert released(people, tmp_path).number == number
    assert released(one, tmp_path).number == 3
    for number in (1, 3):
        release = an.Release(tmp_path / "releases" / f"{number:04d}")
        sets[number] = Counter(tuple(values) for values in row_sets(release).values())
    # One person's value changed twice; nobody else may have other candidates than before.
    assert sum((sets[1] - sets[3]).values()) <= 2


@pytest.mark.parametrize("mode", MODES)
def test_a_lost_release_is_made_again_byte_for_byte(tmp_path: Path, mode: str) -> None:
    for people in three_quarters():
        release = released(people, tmp_path, promise(mode=mode), csv=True)
        before = contents(tmp_path / "releases")
        shutil.rmtree(release.path)
        assert released(people, tmp_path, promise(mode=mode), csv=True).path == release.path
        assert contents(tmp_path / "releases") == before
        assert an.Ledger.open(tmp_path / "ledger").check() == []


def test_without_the_last_folder_the_history_still_goes_on(tmp_path: Path) -> None:
    one, other, third = three_quarters()
    released(one, tmp_path)
    shutil.rmtree(released(other, tmp_path).path)
    assert released(third, tmp_path).number == 3


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_the_rows_leaves_no_trace(same_key: Callable[[str], Path], mode: str) -> None:
    one, other = same_key("one"), same_key("other")
    rng = random.Random(1)
    for people in three_quarters():
        names = list(people)
        rng.shuffle(names)
        released(people, one, promise(mode=mode), csv=True)
        released({who: people[who] for who in names}, other, promise(mode=mode), csv=True)
    assert contents(one / "releases") == contents(other / "releases")
    assert states(one) == states(other)


@pytest.mark.parametrize("seeds", [2, pytest.param(20, marks=pytest.mark.campaign)])
def test_all_hash_seeds_give_the_same_bytes(
    tmp_path: Path, seeds: int, same_key: Callable[[str], Path], with_hash_seed: Callable[..., None]
) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tests.flow.registers import promise, released, three_quarters\n"
        "for mode in sys.argv[2:]:\n"
        "    for people in three_quarters():\n"
        "        released(people, Path(sys.argv[1]) / mode, promise(mode=mode))\n"
    )
    digests = set()
    for seed in range(seeds):
        roots = [same_key(f"seed{seed}/{mode}") for mode in MODES]
        with_hash_seed(seed, code, str(tmp_path / f"seed{seed}"), *MODES)
        bytes_now = [contents(root / "releases") for root in roots]
        digests.add(hashlib.sha256(repr(bytes_now).encode()).hexdigest())
    assert len(digests) == 1


def test_another_key_draws_other_lots(tmp_path: Path) -> None:
    found = set()
    for name in ("one", "other", "third"):
        release = released(clinic(60), tmp_path / name)
        found.add((release.path / "data.parquet").read_bytes())
        assert an.audit(release).holds
    assert len(found) > 1


def test_a_ledger_is_for_one_method(tmp_path: Path) -> None:
    time = an.TimeGranularity(k=2, granularities=["week"])
    released(PAPER, tmp_path / "events", time, schema=PAPER_SCHEMA)
    released(clinic(), tmp_path / "register")
    before = contents(tmp_path)
    with pytest.raises(AlreadyPublished, match="releases of another method"):
        released(clinic(), tmp_path / "events")
    # None of these people is in the register: it is the method that does not fit.
    with pytest.raises(AlreadyPublished, match="releases of another method"):
        released(PAPER, tmp_path / "register", time, schema=PAPER_SCHEMA)
    assert contents(tmp_path) == before


def test_nothing_of_a_person_leaves(tmp_path: Path) -> None:
    for people in three_quarters():
        released(people, tmp_path, promise(mode="sticky"), csv=True)
    releases = b"".join(contents(tmp_path / "releases").values())
    assert b"canary" not in releases
    assert b"who" not in releases
    assert b"canary" not in b"".join(contents(tmp_path / "ledger").values())


def test_counterfeits_are_not_marked(tmp_path: Path) -> None:
    """A register in which a counterfeit became a person gives rows of the very same form."""
    first = {"a": (30, 1.0, "hill", "flu"), "b": (30, 1.0, "hill", "asthma")}
    released(first, tmp_path)
    release = released({"a": first["a"]}, tmp_path)
    assert release.table("counterfeits").to_pylist() == [{"group": 1, "counterfeits": 1}]
    assert release.table().to_pylist() == [
        {
            "group": 1, "age_low": 30, "age_high": 34, "pay_low": 1.0, "pay_high": 1.1,
            "district_low": "hill", "district_high": "hill", "ill": ill,
        }
        for ill in ("asthma", "flu")
    ]  # fmt: skip
    assert release.table().equals(an.Release(tmp_path / "releases" / "0001").table())


def test_comma_separated_files_hold_the_same(tmp_path: Path) -> None:
    release = released(clinic(), tmp_path, csv=True)
    assert {file.name for file in release.path.iterdir()} == {
        "datapackage.json", "data.parquet", "data.csv", "counterfeits.parquet",
        "counterfeits.csv",
    }  # fmt: skip
    read = pc.read_csv(release.path / "data.csv").cast(release.table().schema)
    assert read.to_pylist() == release.table().to_pylist()


def test_the_description_tells_recipients_what_the_intervals_are(tmp_path: Path) -> None:
    release = released(clinic(), tmp_path)
    about = json.loads((release.path / "datapackage.json").read_text())["anachron"]
    assert about["columns"]["age"]["width"] == "5"
    assert about["columns"]["pay"]["width"] == "0.1"
    assert about["columns"]["district"]["order"] == list(DISTRICTS)
    assert about["guarantee"]["m"] == 2


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 10, 1, 2, 10]),
        pa.array([0.5, 1e-7, 1e20, 0.5, 1e-7, 1e20]),
        pa.array([True, False, True, False, True, False]),
        pa.array([1, 20000, 3, 1, 20000, 3], pa.date32()),
        pa.array([Decimal("1.50"), Decimal("2.25"), Decimal("11.00")] * 2),
        pa.array(["ä", "=cmd()", "10"] * 2),
    ],
    ids=lambda values: str(values.type),
)
def test_sensitive_values_of_every_kind_are_published_as_they_are(
    tmp_path: Path, values: pa.Array
) -> None:
    table = pa.table({"who": list("abcdef"), "age": [1, 1, 1, 9, 9, 9], "ill": values})
    for rows in (6, 5):
        release = released(table.slice(0, rows), tmp_path, an.MInvariance(m=2), schema=PLAIN)
        assert release.table()["ill"].type == values.type
        assert set(release.table()["ill"].to_pylist()) == set(values.to_pylist())
        shown = Counter(release.table()["ill"].to_pylist())
        assert shown >= Counter(values.slice(0, rows).to_pylist())


@pytest.mark.parametrize(("one", "other"), [("x", "x "), ("\u00e9", "e\u0301")])
def test_values_that_only_a_machine_can_tell_apart_are_refused(
    tmp_path: Path, one: str, other: str
) -> None:
    table = pa.table({"who": list("abcd"), "age": [1, 1, 9, 9], "ill": [one, "y", one, "z"]})
    released(table, tmp_path, an.MInvariance(m=2), schema=PLAIN)
    before = contents(tmp_path / "releases")
    second = table.set_column(2, "ill", pa.array([one, "y", other, "z"]))
    row = 3 if one < other else 1  # the least spelling counts as the first
    for spelling in ("refuse", "exact"):
        schema = an.Schema.from_dict({**PLAIN.to_dict(), "spelling": spelling})
        with pytest.raises(TableError, match=f"column 'ill', row {row}: holds values that differ"):
            released(second, tmp_path / ("new" if spelling == "exact" else ""),
                     an.MInvariance(m=2), schema=schema)  # fmt: skip
    assert contents(tmp_path / "releases") == before


@pytest.mark.parametrize(
    ("quasi", "sensitive"), [("age", "group"), ("age", "Group"), ("age", "age_low")]
)
def test_two_published_columns_of_one_name_are_refused(
    tmp_path: Path, quasi: str, sensitive: str
) -> None:
    table = pa.table({"who": list("abcd"), quasi: [1, 2, 3, 4], sensitive: list("xyxy")})
    schema = an.Schema(subject="who", quasi=quasi, sensitive=sensitive)
    with pytest.raises(TableError, match="two published columns would have this name"):
        released(table, tmp_path, an.MInvariance(m=2), schema=schema)
    assert contents(tmp_path / "releases") == {}


def test_too_many_of_one_value_are_refused_or_held(tmp_path: Path) -> None:
    people = {f"p{i}": (30 + i, 1.0, "hill", "flu") for i in range(5)}
    people |= {f"q{i}": (30 + i, 1.0, "hill", "asthma") for i in range(2)}
    with pytest.raises(GuaranteeError, match="At least 3 of them"):
        released(people, tmp_path)
    assert contents(tmp_path / "releases") == {}
    hold = promise(when_ineligible="hold")
    first = released(people, tmp_path, hold)
    assert first.explanation is not None
    assert (first.explanation["held"], first.table().num_rows) == (3, 4)
    # Those who were held are offered to the next release, with others to go with them.
    more = people | {f"r{i}": (40, 2.0, "market", "colitis") for i in range(3)}
    second = released(more, tmp_path, hold)
    assert second.explanation is not None
    assert (second.explanation["held"], second.table().num_rows) == (0, 10)
    assert second.table("counterfeits").num_rows == 0


def test_a_value_that_changed_too_often_is_refused_or_left_out(tmp_path: Path) -> None:
    people = {f"p{i}": (30, 1.0, "hill", ("flu", "asthma", "colitis")[i % 3]) for i in range(6)}
    first = released(people, tmp_path, promise(when_ineligible="hold"))
    group = next(iter(row_sets(first).values()))
    left_over = {"flu", "asthma", "colitis"} - set(group)
    assert len(left_over) == 1 or len(group) == 3
    if len(left_over) == 1:
        ill = left_over.pop()
        moved = {who: changed(person, ill=ill) for who, person in people.items()}
        second = released(moved, tmp_path, promise(when_ineligible="hold"))
        assert second.explanation is not None
        assert second.explanation["refused"] > 0


def test_parquet_files_are_read_as_tables_are(
    tmp_path: Path, same_key: Callable[[str], Path]
) -> None:
    pq.write_table(as_table(clinic()), tmp_path / "clinic.parquet")
    one, other = same_key("one"), same_key("other")
    released(str(tmp_path / "clinic.parquet"), one)
    released(clinic(), other)
    assert contents(one / "releases") == contents(other / "releases")
    assert SCHEMA.time == ""
