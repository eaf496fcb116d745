"""Results that are tables: as Arrow, pandas and polars, and as they are shown."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, fields
from typing import Any, Literal

import pandas
import polars
import pyarrow as pa
import pytest

import anachron as an
from anachron.asking.answer import Answer, Figure, Row
from anachron.attacking.finding import Finding
from anachron.attacking.findings import Findings
from anachron.auditing.verdict import Check
from anachron.errors import InputError
from anachron.measuring.utility import QUANTILES, Utility
from anachron.notebook import Sheet
from anachron.tabular import Tabular, arrow_of

PEOPLE = pa.table({
    "who": [f"u{i}" for i in range(60)],
    "day": [f"2024-05-{1 + i % 3:02}" for i in range(60)],
    "ward": [i % 3 for i in range(60)],
    "ill": [("flu", "burn", "cold")[i % 2 + (i % 7 == 0)] for i in range(60)],
})  # fmt: skip
SCHEMA = an.Schema("who", "day", "ward", "ill")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> an.Release:
    folder = tmp_path_factory.mktemp("tables")
    return an.publish(
        PEOPLE, SCHEMA, an.TimeGranularity(k=3), ledger=folder / "ledger", to=folder / "releases"
    )


@pytest.fixture(scope="module")
def results(release: an.Release) -> dict[str, Tabular]:
    return {
        "release": release,
        "answer": release.ask("SELECT ward, COUNT(*) AS n, AVG(ward) GROUP BY ward"),
        "verdict": an.audit(release, table=PEOPLE, schema=SCHEMA),
        "findings": an.attack(release, table=PEOPLE, schema=SCHEMA),
        "utility": an.utility(release, table=PEOPLE, schema=SCHEMA, questions=20),
        "proposal": an.propose(PEOPLE),
    }


@pytest.mark.parametrize(
    "name", ["release", "answer", "verdict", "findings", "utility", "proposal"]
)
def test_every_result_is_a_table_in_three_forms(results: dict[str, Tabular], name: str) -> None:
    result = results[name]
    arrow, frame, other = result.to_arrow(), result.to_pandas(), result.to_polars()
    assert isinstance(arrow, pa.Table)
    assert isinstance(frame, pandas.DataFrame)
    assert isinstance(other, polars.DataFrame)
    assert arrow.num_rows
    assert list(frame.columns) == other.columns == arrow.column_names
    assert other.to_arrow().to_pylist() == arrow.to_pylist()
    assert len(frame) == arrow.num_rows
    assert 'class="anachron"' in result._repr_html_()
    if name != "proposal":  # whose reasons are to be read
        assert max(len(line) for line in repr(result).splitlines()[1:] or [""]) <= 110


def test_what_the_tables_hold(results: dict[str, Any], release: an.Release) -> None:
    assert results["release"].to_arrow().equals(release.table())
    answer = results["answer"].to_arrow().to_pylist()
    assert [row["ward"] for row in answer] == [0, 1, 2]
    assert list(answer[0]) == [
        "ward", "n", "n_low", "n_high", "n_error",
        "avg(ward)", "avg(ward)_low", "avg(ward)_high", "avg(ward)_error",
    ]  # fmt: skip
    assert [(row["n"], row["n_low"], row["n_error"]) for row in answer] == [(20.0, 20.0, 0.0)] * 3
    verdict: an.Verdict = results["verdict"]
    assert verdict.to_arrow().column_names == [field.name for field in fields(Check)]
    assert verdict.to_arrow()["holds"].to_pylist() == [check.holds for check in verdict.checks]
    found: Findings = results["findings"]
    told = found.to_arrow().to_pylist()
    assert [row["attack"] for row in told] == [finding.attack for finding in found]
    assert [row["holds"] for row in told] == [finding.holds for finding in found]
    assert {field.name for field in fields(Finding)} - set(told[0]) == {"figures"}
    utility: Utility = results["utility"]
    [line] = utility.to_arrow().to_pylist()
    assert [line[f"error_{p}"] for p in QUANTILES] == [
        utility.measures[0].quantiles[p] for p in QUANTILES
    ]


def test_a_number_by_itself_is_a_table_of_one_row(release: an.Release) -> None:
    answer = release.ask("SELECT COUNT(*) AS n")
    assert answer.to_arrow().to_pylist() == [
        {"n": 60.0, "n_low": 60.0, "n_high": 60.0, "n_error": 0.0}
    ]
    assert repr(answer) == "60 exactly"


def test_an_answer_without_records_has_its_columns() -> None:
    empty = Answer("SELECT …", ("ward",), (), (), ("n",))
    assert empty.to_arrow().column_names == ["ward", "n", "n_low", "n_high", "n_error"]
    assert empty.to_arrow().num_rows == 0
    assert repr(empty).endswith("no records")


@pytest.mark.parametrize(
    ("keys", "cells"),
    [
        ([1, None, 3], [1, None, 3]),
        ([1, 2.5], [1.0, 2.5]),
        (["a", None], ["a", None]),
        ([True, False], [True, False]),
        ([True, 2], ["True", "2"]),
        (["a", 2], ["a", "2"]),
        ([None, None], [None, None]),
    ],
)
def test_groups_keep_their_type_if_they_have_one(keys: list[object], cells: list[object]) -> None:
    rows = tuple(Row((key,), (Figure("n", 1.0, 1, 1, 0.0),)) for key in keys)
    assert Answer("q", ("k",), rows, (), ("n",)).to_arrow()["k"].to_pylist() == cells


def test_columns_of_one_name_are_refused_with_the_remedy() -> None:
    row = Row((1,), (Figure("n", 1.0, 1, 1, 0.0), Figure("n", 2.0, 2, 2, 0.0)))
    with pytest.raises(InputError, match=r"names of their own, as in COUNT\(\*\) AS n"):
        Answer("q", ("k",), (row,), (), ("n", "n")).to_arrow()


def test_libraries_are_imported_when_asked_for_and_missing_ones_named() -> None:
    code = """
import sys
import anachron as an, pyarrow as pa
table = pa.table({"who": ["a", "b"], "day": ["2024-05-06"] * 2})
release = an.publish(table, an.Schema("who", "day"), an.TimeGranularity(k=2))
verdict = an.audit(release)
release.to_arrow(), verdict.to_arrow(), release.ask("SELECT COUNT(*)").to_arrow()
assert not {"polars", "IPython", "rich"} & set(sys.modules)  # Arrow itself looks for pandas
sys.modules["polars"] = None
for result in (release, verdict):
    try:
        result.to_polars()
    except an.AnachronError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout.splitlines()
        == ["polars is not installed. Install it with: pip install polars"] * 2
    )


def test_pandas_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Table:
        def to_pandas(self) -> None:  # as Arrow does
            raise ModuleNotFoundError("No module named 'pandas'")

    monkeypatch.setattr(Findings, "to_arrow", lambda self: Table())
    with pytest.raises(InputError, match="pip install pandas"):
        Findings().to_pandas()


@dataclass(frozen=True)
class Kinds:
    text: str
    word: Literal["a", "b"]
    number: int | None
    share: float
    flag: bool | None
    several: tuple[str, ...]


def test_records_become_columns_of_their_types() -> None:
    types = {field.name: str(field.type) for field in arrow_of(Kinds, []).schema}
    assert types == {
        "text": "string",
        "word": "string",
        "number": "int64",
        "share": "double",
        "flag": "bool",
        "several": "list<item: string>",
    }
    record = Kinds("x", "a", None, 0.5, True, ("y", "z"))
    assert arrow_of(Kinds, [record]).to_pylist() == [
        {**vars(record), "several": ["y", "z"]},
    ]


def test_what_is_no_cell_is_not_left_out_in_silence() -> None:
    with pytest.raises(TypeError, match="no type of a cell"):
        arrow_of(Finding, [])


def test_findings_are_a_tuple_and_say_what_is_broken() -> None:
    good = Finding("share", "Share", "rows", 0, 9, "1/2", "1/3", True)
    bad = Finding("swap", "Swap", "<names>", 2, 9, "none", "2", False, sampled="9 of 90 people")
    found = Findings([good, bad])
    first, second = found
    assert (first, second) == (good, bad) == tuple(found)
    assert found.broken == (bad,)
    assert str(found) == "2 attacks tried: what was promised is BROKEN by Swap"
    assert "&lt;names&gt;" in found._repr_html_()
    assert "looked at 9 of 90 people" in repr(found)
    assert str(Findings()) == "no attack could be tried"
    assert Findings().to_arrow().num_rows == 0


def test_long_tables_and_cells_are_cut_and_say_so() -> None:
    sheet = Sheet("t", ("a", "b"), [(str(i), "x" * 500) for i in range(300)])
    lines = sheet.text().splitlines()
    assert len(lines) == 1 + 1 + 30 + 1
    assert lines[-1] == "… and 270 more"
    assert max(map(len, lines)) == 110
    assert lines[2].endswith("x…")
    assert sheet.html().count("<tr>") == 201
    assert "… and 100 more" in sheet.html()
