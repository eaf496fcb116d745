"""Releases of series as they are published hold, whatever is asked for; and parts of the audit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import anachron as an
from anachron.auditing.evidence.possible import expanded
from anachron.auditing.evidence.series import _interpolated
from anachron.auditing.reading.letters import have_words, letters_of, normalised
from anachron.auditing.run import verify
from anachron.guarantees import KPAnonymity
from anachron.kernels import sax
from anachron.streamed import Streamed
from tests.auditing.judging import assert_holds, failing
from tests.auditing.kinds import series as judged
from tests.auditing.patterns_draft import Draft, Person, good, word

TIMES = [f"t{i}" for i in range(6)]


def walks(people: int, seed: int = 3, digits: int = 2) -> np.ndarray[Any, np.dtype[np.float64]]:
    draw = np.random.default_rng(seed)
    series = np.round(draw.normal(size=(people, len(TIMES))).cumsum(axis=1), digits)
    series[:3] = series[0, 0]  # constant ones, too
    series[3:9] = series[3]
    return series


def wide(series: np.ndarray[Any, np.dtype[np.float64]], **columns: Any) -> pa.Table:
    who = [f"p{i}" for i in range(len(series))]
    return pa.table({"who": who, **dict(zip(TIMES, series.T, strict=True)), **columns})


def long(series: np.ndarray[Any, np.dtype[np.float64]], **columns: Any) -> pa.Table:
    """One row for each value that is there, at some time of its day."""
    first = datetime(2024, 3, 29, 1, tzinfo=UTC)  # the clock changes on the 31st
    rows = [
        {
            "who": f"p{i}",
            "when": first + timedelta(days=int(t), hours=int(i) * 7 % 20),
            "kwh": float(series[i, t]),
            **{name: values[i] for name, values in columns.items()},
        }
        for i, t in zip(*np.nonzero(~np.isnan(series)), strict=True)
    ]
    return pa.Table.from_pylist(rows)


def holds(table: pa.Table, schema: an.Schema, promise: KPAnonymity, folder: Path) -> an.Verdict:
    release = an.publish(table, schema, promise, ledger=folder / "l", to=folder / "r", csv=True)
    aided = an.audit(release, table=table, schema=schema, ledger=folder / "l")
    unaided = an.audit(release, table=table, schema=schema)
    for verdict in (aided, unaided, an.audit(release), an.audit(release, ledger=folder / "l")):
        assert_holds(verdict)
    assert unaided.figures["undecided_rows"] == 0
    return aided


def pays(people: int) -> list[int]:
    return [int(v) for v in np.random.default_rng(5).integers(0, 40, people)]


@pytest.mark.parametrize("algorithm", ["kapra", "naive"])
@pytest.mark.parametrize(("k", "few"), [(2, 1), (3, 3), (9, 2), (12, 5)])
def test_wide_tables(algorithm: str, k: int, few: int, tmp_path: Path) -> None:
    series = walks(90, seed=k)
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    promise = KPAnonymity(k=k, P=few, algorithm=algorithm, precision="0.05")
    verdict = holds(wide(series, pay=pays(90)), schema, promise, tmp_path)
    assert verdict.figures["people"] == 90
    assert float(str(verdict.figures["largest_breach"])) <= 1 / few


@pytest.mark.parametrize("columns", [[], ["ill", "pay"]])
def test_any_number_of_sensitive_columns(columns: list[str], tmp_path: Path) -> None:
    table = wide(walks(50, digits=0), pay=pays(50), ill=["flu", None, "gout", "flu", "-x"] * 10)
    schema = an.Schema(subject="who", series=TIMES, sensitive=columns)
    holds(table, schema, KPAnonymity(k=5, P=2, precision=1), tmp_path)


def test_values_of_some_times_and_patterns_of_others(tmp_path: Path) -> None:
    promise = KPAnonymity(k=6, P=2, precision="0.1", values=TIMES[:4], patterns=TIMES[3:])
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    holds(wide(walks(60), pay=pays(60)), schema, promise, tmp_path)


@pytest.mark.parametrize("algorithm", ["kapra", "naive"])
@pytest.mark.parametrize(("segments", "some"), [(2, None), (5, None), (3, TIMES[1:])])
def test_letters_of_segments(
    algorithm: str, segments: int, some: list[str] | None, tmp_path: Path
) -> None:
    promise = KPAnonymity(
        k=6, P=2, precision="0.1", algorithm=algorithm, segments=segments, patterns=some
    )
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    verdict = holds(wide(walks(60), pay=pays(60)), schema, promise, tmp_path)
    [words] = [check for check in verdict.checks if check.name == "words"]
    assert words.promised.endswith("a letter of the level for each segment")


@pytest.mark.parametrize("noise", [None, "0.5"])
def test_diverse_subgroups(noise: str | None, tmp_path: Path) -> None:
    promise = KPAnonymity(k=6, P=4, precision="0.1", l=2, noise=noise)
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    verdict = holds(wide(walks(80), pay=pays(80)), schema, promise, tmp_path)
    assert "diversity" in {check.name for check in verdict.checks}


@pytest.mark.parametrize("whole", [False, True])
def test_diversity_of_the_paper(whole: bool, tmp_path: Path) -> None:
    pay = [v // 8 * 100 for v in pays(80)] if whole else [v // 8 / 2 for v in pays(80)]
    promise = KPAnonymity(k=6, P=3, precision="0.1", l=3, diversity="paper", noise=40)
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    verdict = holds(wide(walks(80), pay=pay), schema, promise, tmp_path)
    assert "diversity" in {check.name for check in verdict.checks}


@pytest.mark.parametrize("gaps", ["interpolate", "trim", "drop"])
@pytest.mark.parametrize("shape", ["wide", "long"])
def test_gaps(gaps: str, shape: str, tmp_path: Path) -> None:
    series = walks(60)
    holes = np.random.default_rng(8).random(series.shape) < 0.1
    if gaps == "trim":
        holes[:, [0, 2, 5]] = False
    holes[:, [0, 5]] &= gaps == "drop"
    series[holes] = np.nan
    pay = pays(60)
    if shape == "wide":
        table = wide(series, pay=pay)
        for i, name in enumerate(TIMES):
            table = table.set_column(i + 1, name, pa.array(series[:, i], from_pandas=True))
        schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
        promise = KPAnonymity(k=5, P=2, precision="0.1", gaps=gaps)
    else:
        table = long(series, pay=pay)
        schema = an.Schema(
            subject="who", time="when", series="kwh", sensitive="pay", time_zone="Europe/Rome"
        )
        promise = KPAnonymity(k=5, P=2, precision="0.1", granularity="day", gaps=gaps)
    holds(table, schema, promise, tmp_path)


def test_another_table_is_not_the_one(tmp_path: Path) -> None:
    series = walks(40)
    schema = an.Schema(subject="who", series=TIMES, sensitive="pay")
    table = wide(series, pay=pays(40))
    release = an.publish(
        table, schema, KPAnonymity(k=5, P=2, precision="0.1"), ledger=tmp_path / "l", to=tmp_path
    )
    other = wide(series + 0.3, pay=pays(40))
    for ledger in (None, tmp_path / "l"):
        verdict = an.audit(release, table=other, schema=schema, ledger=ledger)
        assert failing(verdict) & {"coverage", "rows"}
    fewer = an.audit(release, table=table.slice(1), schema=schema)
    assert "suppressed" in failing(fewer)


def test_times_that_the_ledger_forgets_are_missed(tmp_path: Path) -> None:
    from anachron.auditing.history import TablePast
    from anachron.behind import read

    schema = an.Schema(subject="who", time="when", series="kwh", sensitive="pay")
    table = long(walks(30), pay=pays(30))
    promise = KPAnonymity(k=5, P=2, precision="0.1", granularity="day")
    release = an.publish(table, schema, promise, ledger=tmp_path / "l", to=tmp_path / "r")
    ledger = an.Ledger.open(tmp_path / "l")
    state = ledger.state(ledger.entries()[0]).table()
    spoilt = {
        "fewer": state.set_column(2, "until", pa.array([0] * len(state))),
        "none": state.drop_columns(["first", "until"]),
    }
    held = read(table, schema)
    try:
        for bad in spoilt.values():
            past = TablePast(Streamed.of(bad), ledger.pseudonyms)
            assert "memory" in failing(verify(release, microdata=held, history=past))
    finally:
        held.close()


def paper(draft: Draft, noise: str) -> None:
    draft.promise |= {"diversity": "paper", "noise": noise, "l": 2}


def test_noise_may_change_values_as_far_as_promised(tmp_path: Path) -> None:
    draft = good()
    paper(draft, "2")
    draft.rows = lambda rows: [r | {"pay": r["pay"] + 2 * (r["pay"] == 48)} for r in rows]
    assert judged(draft, tmp_path / "near").holds
    draft.rows = lambda rows: [r | {"pay": r["pay"] + 3 * (r["pay"] == 48)} for r in rows]
    assert "value" in failing(judged(draft, tmp_path / "far"))


@pytest.mark.parametrize("ledger", [True, False])
def test_noise_that_was_forgotten_leaves_equal_values(ledger: bool, tmp_path: Path) -> None:
    draft = good()
    paper(draft, "2")
    draft.people["Cid"].pay = draft.people["Dan"].pay
    assert "diversity" in failing(judged(draft, tmp_path, ledger=ledger))


def test_a_crowd_in_a_subgroup_may_be_none_in_a_possible_set(tmp_path: Path) -> None:
    """Both constant series are of two groups at once, where three values differ."""
    draft = good()
    paper(draft, "2")
    for name, pay in (("Qui", 91), ("Ria", 93), ("Sam", 95), ("Tom", 97)):
        draft.people[name] = Person((50.5,) * 4, pay)
    draft.groups.append([(5, ["Qui", "Ria", "Sam", "Tom"])])
    draft.people["Lea"].pay = draft.people["Max"].pay
    draft.people["Max"].series = draft.people["Lea"].series
    assert judged(draft, tmp_path).holds


def test_letters_are_those_of_the_published_table() -> None:
    draw = np.random.default_rng(2)
    series = draw.normal(size=(400, 7)).cumsum(axis=1)
    series[:5] = 0.1 + 0.2
    series[5:9] *= 1e300
    series[9:13] *= 1e-300
    series[13:20] += 1e9
    z = normalised(series)
    assert np.abs(z - sax.normalised(series)).max() <= 1e-9
    everyone = np.arange(400)
    for level in range(1, 27):
        own = sax.letters(sax.normalised(series), level)
        assert (letters_of(z, level) == own).all()
        levels = np.full(400, level)
        assert have_words(z, z.shape[1], everyone, everyone, own, levels).all()
        if level > 1:
            foreign = own.copy()
            foreign[:, 3] = (foreign[:, 3] + 1) % level
            assert not have_words(z, z.shape[1], everyone, everyone, foreign, levels).any()


def test_letters_are_those_of_the_paper() -> None:
    rows = [(98, 120, 130, 142, 147, 160), (140, 132, 125, 118, 100, 90)]
    z = normalised(np.array(rows, dtype=np.float64))
    for level in (2, 3, 4, 9):
        words = ["".join(chr(97 + c) for c in row) for row in letters_of(z, level)]
        assert words == [word(row, level) for row in rows]


def test_straight_lines_between_neighbours() -> None:
    nan = float("nan")
    series = np.array([[1, nan, nan, 4, 4, nan], [nan, 2, nan, 2, 0, 1]])
    missing = _interpolated(series)
    assert missing.tolist() == [[False] * 5 + [True], [True] + [False] * 5]
    assert series[0, :5].tolist() == [1, 2, 3, 4, 4]
    assert series[1, 1:].tolist() == [2, 2, 2, 0, 1]


def known(table: pa.Table) -> pa.Table:
    """The same without the numbers that are none."""
    return pa.table({
        name: pc.if_else(pc.is_nan(column), None, column)
        if pa.types.is_floating(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    })  # fmt: skip


@pytest.mark.parametrize("gaps", ["refuse", "interpolate", "drop"])
def test_series_are_read_some_people_at_a_time(
    gaps: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = walks(31)
    if gaps != "refuse":
        series[[3, 8, 30], [2, 3, 2]] = np.nan
    promise = KPAnonymity(k=3, P=2, precision="0.05", gaps=gaps)
    schema = an.Schema(subject="who", series=TIMES)
    table = known(wide(series))
    release = an.publish(table, schema, promise, ledger=tmp_path / "l", to=tmp_path / "r")
    told = []
    for at_once in (1, 50, 1 << 20):
        monkeypatch.setattr("anachron.auditing.evidence.series._AT_ONCE", at_once)
        monkeypatch.setattr("anachron.behind.microdata._CELLS", at_once)
        same, other = known(wide(series)), known(wide(series + 0.3))
        verdicts = [an.audit(release, table=one, schema=schema) for one in (same, other)]
        told.append([str(one) for one in verdicts])
        assert [one.holds for one in verdicts] == [True, False]
    assert told[0] == told[1] == told[2]


def test_pairs_come_in_turns_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    from anachron.auditing.evidence import possible

    monkeypatch.setattr(possible, "_PAIRS", 4)
    start, stop = np.array([0, 3, 3, 1]), np.array([3, 9, 3, 2])
    turns = list(expanded(start, stop))
    assert len(turns) == 3
    pairs = [(int(a), int(b)) for one, two in turns for a, b in zip(one, two, strict=True)]
    assert pairs == [(i, j) for i in range(4) for j in range(start[i], stop[i])]


def test_what_is_too_much_work_is_looked_at_in_part(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from anachron.auditing.evidence import breaches, standing

    for module in (standing, breaches):
        monkeypatch.setattr(module, "MANY", 10)
    verdict = judged(good(), tmp_path / "good", ledger=False)
    assert verdict.holds
    assert 0 < int(verdict.figures["undecided_rows"]) < 15
    bad = good()
    bad.envelopes = lambda rows: [row | {"mon_high": row["mon_low"]} for row in rows]
    assert "rows" in failing(judged(bad, tmp_path / "bad", ledger=False))
