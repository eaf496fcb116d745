"""What cannot be read is refused: where, why, what to do, and never a cell."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.schema import Schema
from anachron.source import unpacking
from tests.badinput.cases import CANARY, CASES, GOOD, HEADER, SCHEMA, Case, times, written
from tests.badinput.file_cases import FILE_CASES


@pytest.fixture
def spill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made."""
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setenv("ANACHRON_TMP", str(folder))
    return folder


@pytest.mark.parametrize("case", [*CASES, *FILE_CASES], ids=lambda case: case.why)
def test_is_refused(case: Case, tmp_path: Path, spill: Path) -> None:
    place = tmp_path / "given"
    place.mkdir()
    table = case.table(place)
    with pytest.raises(TableError) as caught:
        load(table, case.schema)
    problem = next(p for p in caught.value.problems if case.says in str(p))
    assert (problem.file, problem.column, problem.row) == (case.file, case.column, case.row)
    assert all(p.remedy and p.remedy.endswith((".", "?")) for p in caught.value.problems)
    assert CANARY.lower() not in str(caught.value).lower()
    # Nor must it stand in the errors of readers underneath, which a traceback would show.
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    assert list(spill.iterdir()) == []


def test_a_file_that_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpacking, "_LARGE", 1 << 16)
    content = gzip.compress((HEADER + GOOD + "\n" * (1 << 20)).encode())
    for name in ("t.csv.gz", "t.jsonl.gz"):
        with pytest.raises(TableError, match=f"{name}: unpacks to more than 200 times its size"):
            load(written(content, name)(tmp_path), SCHEMA)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    rows = ",2025-01-01,1,x\nb,24:00,nan,x\n"
    with pytest.raises(TableError) as caught:
        load(written(HEADER + GOOD + rows)(tmp_path), SCHEMA)
    assert [p.column for p in caught.value.problems] == ["who", "seen", "age"]


def test_all_missing_columns_are_told_at_once(tmp_path: Path) -> None:
    file = written("Who,seen_at,age\na,2025-01-01,1\n")(tmp_path)
    with pytest.raises(TableError) as caught:
        load(file, SCHEMA)
    assert [p.column for p in caught.value.problems] == ["who", "seen", "note"]
    assert "'Who'" in str(caught.value)
    assert "'seen_at'" in str(caught.value)


def test_a_mended_table_is_accepted(tmp_path: Path) -> None:
    """The row that all cases share is a good one, so it is not what they are refused for."""
    assert load(written(HEADER + GOOD)(tmp_path), SCHEMA).rows == 1
    assert load(times("2025-01-01T00:00+01:00")(tmp_path), SCHEMA).rows == 1


def test_formulas_pass_unharmed(tmp_path: Path) -> None:
    cells = ["=1+1", "+1", "-1", "@x", "\tx"]
    rows = "".join(f"a,2025-01-01,1,{cell}\n" for cell in cells)
    loaded = load(written(HEADER + rows)(tmp_path), SCHEMA)
    read = [note for batch in loaded.sensitive(100) for note in batch["note"].to_pylist()]
    assert read == cells


def test_two_roles_that_differ_in_capitals_only(tmp_path: Path) -> None:
    file = written("who,seen,age,Age\na,2025-01-01,1,2\n")(tmp_path)
    with pytest.raises(TableError, match="capitals only"):
        load(file, Schema("who", "seen", ["age", "Age"]))
