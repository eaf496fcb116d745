"""Series that are published, as their owner and their readers meet them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError
from tests.flow.series import (
    DAYS,
    LONG,
    TIMES,
    WIDE,
    groups_of,
    judge,
    long,
    names,
    promise,
    released,
    walks,
    wide,
)
from tests.flow.tables import contents


@pytest.mark.parametrize("algorithm", ["kapra", "naive"])
@pytest.mark.parametrize("objective", ["level", "loss"])
@pytest.mark.parametrize(("k", "P"), [(6, 2), (5, 5), (4, 1), (60, 7)])
def test_a_wide_table(tmp_path: Path, algorithm: str, objective: str, k: int, P: int) -> None:
    asked = promise(k, P, algorithm=algorithm, objective=objective)
    release = released(wide(walks()), tmp_path, asked)
    people = judge(release, tmp_path, walks(), asked)
    told = release.explanation
    assert told is not None
    assert told["suppressed"] == 60 - len(people)
    assert (told["series"], told["times"], told["algorithm"]) == (60, 6, algorithm)
    assert sum(told["levels"].values()) == len(people)
    assert told["groups"] == release.table("envelopes").num_rows
    assert told["breach"]["by_count"] <= told["breach"]["by_formula"] <= 1 / P
    assert told["breach"]["values"]["bill"]["by_count"] == told["breach"]["by_count"]


def test_a_long_table_is_aligned_on_the_calendar(tmp_path: Path) -> None:
    asked = promise(granularity="day")
    release = released(long(walks()), tmp_path, asked, LONG)
    judge(release, tmp_path, walks(), asked, DAYS)
    facts = release.description["anachron"]
    assert facts["times"] == {"values": list(DAYS), "patterns": list(DAYS)}
    assert facts["columns"] == {
        "bill": {"role": "sensitive", "published": ["bill"]},
        **{
            day: {"role": "series", "published": [f"{day}_low", f"{day}_high"], "pattern": True}
            for day in DAYS
        },
    }


def test_wide_and_long_are_published_alike(same_key: Callable[[str], Path]) -> None:
    one = released(wide(walks()), same_key("one"))
    two = released(long(walks()), same_key("two"), promise(granularity="day"), LONG)
    assert one.table().equals(two.table())
    assert (
        one.table("envelopes")
        .rename_columns(two.table("envelopes").column_names)
        .equals(two.table("envelopes"))
    )


@pytest.mark.parametrize("settings", [{}, {"algorithm": "naive", "l": 2}])
@pytest.mark.parametrize("form", ["wide", "long"])
def test_the_order_of_rows_does_not_matter(
    same_key: Callable[[str], Path], form: str, settings: dict[str, Any]
) -> None:
    table, schema = (wide(walks()), WIDE) if form == "wide" else (long(walks()), LONG)
    asked = promise(granularity=None if form == "wide" else "day", **settings)
    mixed = table.take(np.random.default_rng(4).permutation(table.num_rows))
    one, two = same_key("one"), same_key("two")
    released(table, one, asked, schema, csv=True)
    released(mixed, two, asked, schema, csv=True)
    assert contents(one / "releases") == contents(two / "releases")
    assert len(contents(one / "releases")) == 5


def test_the_letters_of_a_pattern_follow_the_order_of_the_schema(tmp_path: Path) -> None:
    rising = np.arange(6.0) + np.arange(12)[:, None] / 100
    asked = promise(max_level=3)
    schema = an.Schema(subject="meter", series=TIMES, sensitive="bill")
    release = released(wide(rising), tmp_path, asked, schema)
    assert set(release.table()["pattern"].to_pylist()) == {"aabbcc"}
    assert release.description["anachron"]["times"]["patterns"] == list(TIMES)


# Bounds.


def test_whole_numbers_have_whole_bounds(tmp_path: Path) -> None:
    series = (walks() * 100).astype(np.int64)
    release = released(wide(series), tmp_path, promise(precision=None))
    groups = groups_of(tmp_path, names(60))
    for row in release.table("envelopes").to_pylist():
        members = series[[i for i, who in enumerate(names(60)) if groups.get(who) == row["group"]]]
        assert [row[f"{t}_low"] for t in TIMES] == members.min(axis=0).tolist()
        assert [row[f"{t}_high"] for t in TIMES] == members.max(axis=0).tolist()
    assert release.description["anachron"]["precision"] == "1"


@pytest.mark.parametrize("precision", ["0.1", "0.07", "1e-2", "3", "1000"])
def test_bounds_are_multiples_of_the_precision_rounded_outwards(
    tmp_path: Path, precision: str
) -> None:
    asked, series = promise(precision=precision), walks()
    release = released(wide(series), tmp_path, asked)
    groups = judge(release, tmp_path, series, asked)
    step = Decimal(precision)
    for row in release.table("envelopes").to_pylist():
        members = series[[i for i, who in enumerate(names(60)) if groups.get(who) == row["group"]]]
        for t, low, high in zip(TIMES, members.min(axis=0), members.max(axis=0), strict=True):
            first = (Decimal(repr(float(low))) / step).to_integral_value("ROUND_FLOOR")
            last = (Decimal(repr(float(high))) / step).to_integral_value("ROUND_CEILING")
            assert (row[f"{t}_low"], row[f"{t}_high"]) == (float(first * step), float(last * step))


# Customized publishing.


@pytest.mark.parametrize("algorithm", ["kapra", "naive"])
def test_values_of_some_times_and_patterns_of_others(tmp_path: Path, algorithm: str) -> None:
    asked = promise(values=["wed", "mon"], patterns=["wed", "thu", "fri"], algorithm=algorithm)
    release = released(wide(walks()), tmp_path, asked)
    judge(release, tmp_path, walks(), asked)
    assert release.table("envelopes").column_names == [
        "group", "mon_low", "mon_high", "wed_low", "wed_high",
    ]  # fmt: skip
    facts = release.description["anachron"]
    assert facts["times"] == {"values": ["mon", "wed"], "patterns": ["wed", "thu", "fri"]}
    told = {t: (len(facts["columns"][t]["published"]), facts["columns"][t]["pattern"])
            for t in TIMES}  # fmt: skip
    assert told == {"mon": (2, False), "tue": (0, False), "wed": (2, True),
                    "thu": (0, True), "fri": (0, True), "sat": (0, False)}  # fmt: skip


def test_values_alone_of_one_time(tmp_path: Path) -> None:
    asked = promise(values="tue")
    release = released(wide(walks()), tmp_path, asked)
    judge(release, tmp_path, walks(), asked)
    assert set(map(len, release.table()["pattern"].to_pylist())) == {6}


# Sensitive values.


@pytest.mark.parametrize("algorithm", ["kapra", "naive"])
def test_patterns_are_diverse(tmp_path: Path, algorithm: str) -> None:
    bills = [f"tariff {i % 5 % 4}" for i in range(60)]
    asked = promise(6, 3, l=2, algorithm=algorithm)
    release = released(wide(walks(), bill=bills), tmp_path, asked)
    rows = release.table().to_pylist()
    sizes = Counter((r["group"], r["level"], r["pattern"]) for r in rows)
    crowds = Counter((r["group"], r["level"], r["pattern"], r["bill"]) for r in rows)
    assert all(2 * many <= sizes[key[:3]] for key, many in crowds.items())


def test_numbers_that_are_nearly_the_same_are_the_same(tmp_path: Path) -> None:
    bills = [0.1 * (i % 7) for i in range(60)]
    asked = promise(6, 3, l=2, noise="0.1")
    rows = released(wide(walks(), bill=bills), tmp_path, asked).table().to_pylist()
    for row in rows:
        same = [
            r["bill"] for r in rows if all(r[c] == row[c] for c in ("group", "level", "pattern"))
        ]
        near = [b for b in same if abs(b - row["bill"]) <= 0.1 + 1e-9]
        assert 2 * len(near) <= len(same)


@pytest.mark.parametrize("kind", [pa.int16(), pa.float64(), pa.decimal128(9, 2)])
def test_the_diversity_of_the_paper_changes_few_values_by_little(
    tmp_path: Path, kind: pa.DataType
) -> None:
    bills = pa.array([100 * (i % 3) for i in range(60)], kind)
    asked = promise(6, 3, l=3, diversity="paper", noise=40)
    shown = released(wide(walks(), bill=bills), tmp_path, asked).table()["bill"]
    assert shown.type == (pa.int64() if kind == pa.int16() else pa.float64())
    assert all(abs(bill - 100 * round(bill / 100)) <= 40 for bill in shown.to_pylist())
    assert 3 < len(set(shown.to_pylist())) < 60


def test_more_of_one_value_than_can_be_diverse(tmp_path: Path) -> None:
    with pytest.raises(GuaranteeError, match="1/2"):
        released(wide(walks(), bill=["x"] * 60), tmp_path, promise(l=2))
    assert not contents(tmp_path / "releases")


SENSITIVE = {
    "nothing": pa.array([None] * 60, pa.string()),
    "text": pa.array([*"abc" * 19, None, "", "z"]),
    "truth": pa.array([True, False, None] * 20),
    "days": pa.array([date(2024, 1, 1 + i % 9) for i in range(60)]),
    "money": pa.array([Decimal(i % 5) / 4 for i in range(60)], pa.decimal128(9, 2)),
    "bytes": pa.array([bytes([i % 4]) for i in range(60)]),
    "zeros": pa.array([0.0, -0.0, 1.5] * 20),
    "levels": pa.array(["low", "high"] * 30).dictionary_encode(),
}


@pytest.mark.parametrize("name", SENSITIVE)
def test_sensitive_values_of_all_kinds_are_published_as_they_are(tmp_path: Path, name: str) -> None:
    bills = SENSITIVE[name]
    release = released(wide(walks(), bill=bills), tmp_path)
    shown = release.table()["bill"].to_pylist()
    assert len(shown) == 60 - release.description["anachron"]["suppressed_series"]
    assert not Counter(shown) - Counter(bills.to_pylist())


def test_several_sensitive_columns_or_none(tmp_path: Path) -> None:
    table = wide(walks(), tariff=["day", "night"] * 30)
    both = an.Schema(subject="meter", series=TIMES, sensitive=["tariff", "bill"])
    release = released(table, tmp_path / "both", schema=both)
    assert release.table().column_names == ["group", "level", "pattern", "tariff", "bill"]
    assert all((r["bill"] % 2 == 0) == (r["tariff"] == "day") for r in release.table().to_pylist())
    none = an.Schema(subject="meter", series=TIMES)
    release = released(table, tmp_path / "none", schema=none)
    assert release.table().column_names == ["group", "level", "pattern"]
    assert release.explanation is not None
    assert release.explanation["breach"]["values"] == {}


# Gaps.


def gappy() -> np.ndarray:
    """Ten meters miss a value on Wednesday, three of them on Monday too."""
    series = walks()
    series[:10, 2] = np.nan
    series[:3, 0] = np.nan
    return series


@pytest.mark.parametrize("form", ["wide", "long"])
def test_series_with_gaps_are_dropped(tmp_path: Path, form: str) -> None:
    asked = promise(gaps="drop", granularity=None if form == "wide" else "day")
    given = (gapped(gappy()), WIDE) if form == "wide" else (long(gappy()), LONG)
    release = released(given[0], tmp_path, asked, given[1])
    assert {r["bill"] for r in release.table().to_pylist()} <= set(range(10, 60))
    assert release.table().num_rows > 50 - asked.P
    assert release.explanation is not None
    assert release.explanation["dropped"] == 10
    assert release.explanation["notes"] == ["10 series with gaps were left out."]
    assert release.description["anachron"]["dropped_series"] == 10


@pytest.mark.parametrize("form", ["wide", "long"])
def test_times_with_gaps_are_trimmed(tmp_path: Path, form: str) -> None:
    times, asked = (TIMES, promise(gaps="trim"))
    table, schema = gapped(gappy()), WIDE
    if form == "long":
        times, asked = DAYS, promise(gaps="trim", granularity="day")
        table, schema = long(gappy()), LONG
    release = released(table, tmp_path, asked, schema)
    kept = [times[i] for i in (1, 3, 4, 5)]
    judge(release, tmp_path, walks()[:, [1, 3, 4, 5]], asked, kept)
    assert release.explanation is not None
    assert release.explanation["trimmed"] == 2


@pytest.mark.parametrize("form", ["wide", "long"])
def test_gaps_are_interpolated(tmp_path: Path, form: str) -> None:
    series = walks()
    series[4:9, 2] = np.nan
    series[7:20, 3] = np.nan
    whole = walks()
    whole[4:9, 2] = (whole[4:9, 1] + whole[4:9, 3]) / 2
    whole[7:20, 3] = (whole[7:20, 2] + whole[7:20, 4]) / 2
    for i, share in ((2, 1 / 3), (3, 2 / 3)):
        whole[7:9, i] = whole[7:9, 1] + (whole[7:9, 4] - whole[7:9, 1]) * share
    asked = promise(gaps="interpolate", granularity=None if form == "wide" else "day")
    given = (gapped(series), WIDE) if form == "wide" else (long(series), LONG)
    release = released(given[0], tmp_path, asked, given[1])
    judge(release, tmp_path, whole, asked, TIMES if form == "wide" else DAYS)
    assert release.explanation is not None
    assert release.explanation["interpolated"] == 18


def gapped(series: np.ndarray) -> pa.Table:
    """A wide table with missing values instead of NaN."""
    return pa.table(
        wide(series).select(["meter", "bill"]).to_pydict()
        | {t: pa.array(series[:, i], mask=np.isnan(series[:, i])) for i, t in enumerate(TIMES)}
    )


# The ledger.


def test_the_same_table_again_is_the_same_release(tmp_path: Path) -> None:
    first = released(wide(walks()), tmp_path)
    before = contents(tmp_path)
    again = released(wide(walks()).slice(0), tmp_path)
    assert again.path == first.path
    assert contents(tmp_path) == before


def test_a_lost_release_is_made_again_byte_for_byte(tmp_path: Path) -> None:
    release = released(wide(walks()), tmp_path)
    before = contents(release.path)
    shutil.rmtree(release.path)
    assert contents(released(wide(walks()), tmp_path).path) == before


AGAIN: dict[str, tuple[pa.Table, Any, an.Schema]] = {
    "the same table otherwise": (wide(walks()), promise(7), WIDE),
    "the same people with other values": (wide(walks(seed=2)), promise(), WIDE),
    "some of the people": (wide(walks(30, seed=2)), promise(), WIDE),
    "other times, which only names tell": (
        wide(walks(seed=2), ("1", "2", "3")), promise(),
        an.Schema(subject="meter", series=("1", "2", "3"), sensitive="bill"),
    ),
    "a long table": (long(walks(seed=2)), promise(granularity="day"), LONG),
}  # fmt: skip


@pytest.mark.parametrize("case", AGAIN)
def test_people_are_not_published_twice(tmp_path: Path, case: str) -> None:
    released(wide(walks()), tmp_path)
    before = contents(tmp_path)
    table, asked, schema = AGAIN[case]
    with pytest.raises(AlreadyPublished, match="release 1"):
        released(table, tmp_path, asked, schema)
    assert contents(tmp_path) == before


def test_other_people_may_follow(tmp_path: Path) -> None:
    released(wide(walks()), tmp_path)
    others = wide(walks(seed=2), meter=[f"new-{i}" for i in range(60)])
    assert released(others, tmp_path, promise(4, 4), accept="strangers").number == 2


def test_later_times_of_the_same_people_may_follow_in_a_long_table(tmp_path: Path) -> None:
    asked = promise(granularity="day")
    released(long(walks()), tmp_path, asked, LONG)
    later = [f"2024-05-{day}" for day in range(12, 18)]
    with pytest.raises(AlreadyPublished, match="release 1"):
        released(long(walks(seed=2), ["2024-05-11", *later[1:]]), tmp_path,
                 promise(granularity="day", gaps="trim"), LONG)  # fmt: skip
    assert released(long(walks(seed=2), later), tmp_path, asked, LONG).number == 2
    with pytest.raises(AlreadyPublished, match="release 1"):
        released(wide(walks(seed=3)), tmp_path)


def test_a_ledger_holds_one_method(tmp_path: Path) -> None:
    released(wide(walks()), tmp_path)
    register = an.Schema(subject="meter", quasi="mon", sensitive="bill")
    with pytest.raises(AlreadyPublished, match="another method"):
        released(wide(walks(seed=5)), tmp_path, an.MInvariance(m=2, widths={"mon": 1}), register)


def test_nobody_can_find_a_name_in_what_is_published(tmp_path: Path) -> None:
    release = released(wide(walks()), tmp_path, csv=True)
    for content in contents(release.path).values():
        assert b"canary" not in content
        assert b"meter" not in content


@pytest.mark.parametrize("form", ["wide", "long"])
def test_the_audit_holds_with_and_without_the_table_and_the_ledger(
    tmp_path: Path, form: str
) -> None:
    table, schema = (wide(walks()), WIDE) if form == "wide" else (long(walks()), LONG)
    asked = promise(granularity=None if form == "wide" else "day")
    release = released(table, tmp_path, asked, schema)
    assert an.audit(release).holds
    assert an.audit(release, table=table, schema=schema).holds
    assert an.audit(release, table=table, ledger=tmp_path / "ledger").holds
    other = wide(walks(seed=9)) if form == "wide" else long(walks(seed=9))
    assert not an.audit(release, table=other, ledger=tmp_path / "ledger").holds
