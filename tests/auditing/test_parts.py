"""Releases of several parts: what is wrong with how rows are divided, and with single parts.

Whatever is wrong here is described as it is: only the audit's own eyes can tell.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.verdict import Verdict
from anachron.errors import ReleaseError
from anachron.release import describe, parts, tables
from anachron.release.parts import PartFile
from tests.golden.stories import STORIES
from tests.release.forging import altered, reseal, restate, said_by, write_parquet
from tests.release.parting import of_rows, parts_of_rows

STORY = STORIES["ladders"]
PART = 80


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of events in several parts, and beside it the same in one."""
    root = tmp_path_factory.mktemp("parts")
    for part, name in ((PART, "many"), (10_000, "one")):
        with parts_of_rows(part):
            STORY.step(root / name, 1)
    return root


@pytest.fixture
def folder(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    of_rows(monkeypatch, PART)
    return Path(shutil.copytree(published / "many/releases/0001", tmp_path / "0001"))


def audit(folder: Path, published: Path | None = None) -> Verdict:
    """Judge a release by itself, or with all that its owner has."""
    if published is None:
        return an.audit(folder)
    return an.audit(folder, table=STORY.table(1), ledger=published / "many/ledger")


def failing(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.measured for check in verdict.failures}


def file_of(folder: Path, number: int) -> Path:
    return folder / f"data-{number:04d}.parquet"


def test_a_release_in_parts_is_judged_as_one_in_one_part(folder: Path, published: Path) -> None:
    assert len(said_by(folder)["resources"][0]["parts"]) > 3
    many = an.audit(published / "many/releases/0001", table=STORY.table(1), schema=STORY.schema)
    with parts_of_rows(10_000):
        one = an.audit(published / "one/releases/0001", table=STORY.table(1), schema=STORY.schema)
    assert many.holds
    assert many.to_dict() == one.to_dict()
    assert audit(folder, published).holds


# How rows are divided


@pytest.mark.parametrize("theirs", [PART - 1, PART + 1, 2 * PART, 10_000])
def test_rows_that_are_divided_otherwise_are_refused(
    theirs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A publisher that has another rule, or none: all rows are right, and all is described."""
    of_rows(monkeypatch, theirs)
    STORY.step(tmp_path, 1)
    folder = tmp_path / "releases/0001"
    assert audit(folder).holds
    monkeypatch.setattr("anachron.auditing.reading.parts.PART_ROWS", PART)
    assert failing(audit(folder)) == {"size": "data is not divided as its rows demand"}


def test_nothing_is_published_that_is_divided_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_rows(monkeypatch, PART)
    monkeypatch.setattr("anachron.release.parts.PART_ROWS", PART + 1)
    with pytest.raises(an.AnachronError, match=r"audit rejects the release .*\(size\)"):
        STORY.step(tmp_path, 1)
    assert not [*tmp_path.glob("releases/0*")]


def rewritten(folder: Path, sizes: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide the rows in any way, with a reader who believes that this is the rule."""
    rows = pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("*.parquet"))])
    found, start = [], 0
    for number, size in enumerate(sizes, 1):
        found.append(PartFile(file_of(folder, number), size))
        write_parquet(found[-1].file, rows.slice(start, size))
        start += size
    assert start == len(rows)

    def believed(where: Path, _table: str, _rows: int) -> tuple[PartFile, ...]:
        return tuple(PartFile(where / part.file.name, part.rows) for part in found)

    for room in (parts, tables, describe):
        monkeypatch.setattr(room, "parts_of", believed)
    reseal(folder)


def test_a_part_of_other_rows_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = [part["rows"] for part in said_by(folder)["resources"][0]["parts"]]
    assert set(sizes[:-1]) == {PART}
    rewritten(folder, [PART + 1, PART - 1, *sizes[2:]], monkeypatch)
    assert failing(audit(folder)) == {"size": "data is not divided as its rows demand"}
    restate(folder, lambda said: [p.update(rows=n) for p, n in _with(said, sizes)])
    sealed = [PartFile(file_of(folder, n), rows) for n, rows in enumerate(sizes, 1)]
    for room in (parts, tables, describe):
        monkeypatch.setattr(room, "parts_of", lambda *_: tuple(sealed))
    told = f"data-0001.parquet has {PART + 1}, not {PART}; data-0002.parquet has {PART - 1}, not"
    assert failing(audit(folder)) == {"size": f"{told} {PART}"}


def _with(said: dict, sizes: Sequence[int]) -> zip:  # type: ignore[type-arg]
    return zip(said["resources"][0]["parts"], sizes, strict=True)


# Parts that are others


def swapped(folder: Path) -> None:
    one, two = file_of(folder, 1), file_of(folder, 2)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)


def doubled(folder: Path) -> None:
    shutil.copyfile(file_of(folder, 1), file_of(folder, 2))


def torn(folder: Path) -> None:
    """Rows across the border of two parts change places."""
    one, two = (pq.read_table(file_of(folder, n)) for n in (1, 2))
    write_parquet(file_of(folder, 1), pa.concat_tables([one.slice(0, PART - 1), two.slice(0, 1)]))
    write_parquet(file_of(folder, 2), pa.concat_tables([one.slice(PART - 1, 1), two.slice(1)]))


def of_another_release(folder: Path) -> None:
    with parts_of_rows(PART):
        an.publish(
            STORY.table(2), STORY.schema, STORY.promise,
            ledger=folder.parent / "l", to=folder.parent / "r",
        )  # fmt: skip
    shutil.copyfile(file_of(folder.parent / "r/0001", 2), file_of(folder, 2))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (swapped, {"csv", "groups", "order"}),
        (torn, {"csv", "groups", "order"}),
        (doubled, {"csv", "groups", "order"}),
        (of_another_release, {"csv", "groups", "order", "rows"}),
    ],
)
def test_parts_in_a_wrong_place_are_refused(
    change: Callable[[Path], None], expected: set[str], folder: Path, published: Path
) -> None:
    change(folder)
    with pytest.raises(ReleaseError, match=r"data-000\d\.parquet is not as it was published"):
        audit(folder)  # its size tells
    reseal(folder)
    assert set(failing(audit(folder))) == expected
    assert failing(audit(folder, published)).keys() >= {"ledger", *expected}


def test_an_altered_part_is_named(folder: Path, published: Path) -> None:
    altered(file_of(folder, 2))
    told = "not as published: data-0002.parquet"
    assert failing(audit(folder)) == {"digests": told}
    assert failing(audit(folder, published)) == {"digests": told, "ledger": told}


def test_a_further_part_is_too_many_and_a_missing_one_is_none(folder: Path) -> None:
    last = len(said_by(folder)["resources"][0]["parts"])
    shutil.copyfile(file_of(folder, 1), file_of(folder, last + 1))
    assert failing(audit(folder)) == {"folder": "1 too many"}
    file_of(folder, last + 1).unlink()
    file_of(folder, last).unlink()
    with pytest.raises(ReleaseError, match=f"data-{last:04d}.parquet is missing"):
        audit(folder)


# What is in a part


def test_every_byte_of_every_part_is_accounted_for(folder: Path) -> None:
    second = file_of(folder, 2)
    write_parquet(second, pq.read_table(second), "Quentin")
    reseal(folder)
    assert failing(audit(folder)) == {"hidden": "part 2: 1 notes in the footer"}


def test_a_csv_is_compared_with_all_parts(folder: Path) -> None:
    file = folder / "data.csv"
    lines = file.read_text().splitlines(keepends=True)
    lines[PART + 5], lines[PART + 6] = lines[PART + 6], lines[PART + 5]
    assert lines[PART + 5] != lines[PART + 6]
    file.write_text("".join(lines))
    reseal(folder)
    assert failing(audit(folder)) == {"csv": "2 rows differ"}
    lines[PART + 5], lines[PART + 6] = lines[PART + 6], lines[PART + 5]
    file.write_text("".join(lines))
    reseal(folder)
    assert audit(folder).holds


def test_all_parts_have_the_same_columns(folder: Path) -> None:
    second = file_of(folder, 2)
    table = pq.read_table(second)
    place = table.column_names.index("cost")
    other = table.set_column(place, "cost", table["cost"].cast(pa.float32()))
    write_parquet(second, other)
    reseal(folder)
    assert failing(audit(folder)) == {"columns": "others in a further part"}
