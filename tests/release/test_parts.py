from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.reading import parts as audited
from anachron.errors import ReleaseError
from anachron.release import parts
from anachron.release.beside import with_commas
from anachron.release.parts import parts_of
from anachron.release.read import Release
from anachron.release.write import write
from tests.release.forging import reseal, restate, said_by
from tests.release.parting import of_rows, parts_of_rows
from tests.release.tables import FACTS, WHOLE, release_of, whole

ROWS = 50


def large() -> pa.Table:
    luck = np.random.default_rng(17)
    texts = pa.array(luck.choice(["alpha", "beta", "gamma"], ROWS), mask=luck.random(ROWS) < 0.1)
    return pa.table({"word": texts, "number": luck.integers(0, 1000, ROWS)})


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_rule_is_the_same_for_those_who_publish_and_for_the_audit() -> None:
    assert parts.PART_ROWS == audited.PART_ROWS == 64 * 131_072 == 8_388_608


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (0, [("data.parquet", 0)]),
        (4, [("data.parquet", 4)]),
        (5, [("data-0001.parquet", 4), ("data-0002.parquet", 1)]),
        (8, [("data-0001.parquet", 4), ("data-0002.parquet", 4)]),
    ],
)
def test_rows_are_divided_by_their_number(
    rows: int, expected: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_rows(monkeypatch, 4)
    assert [(part.file.name, part.rows) for part in parts_of(Path(), "data", rows)] == expected


def test_there_are_not_more_parts_than_names_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_rows(monkeypatch, 1)
    assert parts_of(Path(), "data", 9_999)[-1].file.name == "data-9999.parquet"
    with pytest.raises(ValueError, match="more rows"):
        parts_of(Path(), "data", 10_000)
    monkeypatch.setattr(parts, "_MOST", 3)
    with pytest.raises(ReleaseError, match=r"at most 3 rows\. Publish fewer at once"):
        release_of(large(), tmp_path / "r")


@pytest.mark.parametrize("batch", [1, 7, 13, ROWS])
@pytest.mark.parametrize("group", [None, 4])
def test_each_part_is_the_file_of_its_rows_however_they_arrive(
    tmp_path: Path, batch: int, group: int | None
) -> None:
    table = large()
    with parts_of_rows(12, group):
        found = content(release_of(table, tmp_path / "r", batch=batch))
        alone = {
            f"data-{n:04d}.parquet": content(
                release_of(table.slice(12 * (n - 1), 12), tmp_path / f"{n}")
            )["data.parquet"]
            for n in range(1, 6)
        }
    del found["datapackage.json"]
    assert found == alone


@pytest.mark.parametrize("part", [49, 50, 51])
def test_a_table_that_just_fills_a_part_is_one_file(
    tmp_path: Path, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_ever = content(release_of(large(), tmp_path / "as ever"))
    of_rows(monkeypatch, part)
    found = content(release_of(large(), tmp_path / "r", batch=9))
    if part >= ROWS:
        assert found == as_ever
    else:
        assert set(found) == {"data-0001.parquet", "data-0002.parquet", "datapackage.json"}


def test_parts_are_described_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_rows(monkeypatch, 20)
    folder = tmp_path / "r"
    folder.mkdir()
    table = large()
    digests = write(folder, {"data": (table.schema, iter(table.to_batches()))}, FACTS, True)
    parquet, csv = json.loads((folder / "datapackage.json").read_bytes())["resources"]
    names = ["data-0001.parquet", "data-0002.parquet", "data-0003.parquet"]
    assert (parquet["path"], parquet["rows"], "hash" in parquet) == (names, ROWS, False)
    assert parquet["bytes"] == sum((folder / name).stat().st_size for name in names)
    assert parquet["parts"] == [
        {
            "path": name,
            "bytes": (folder / name).stat().st_size,
            "hash": f"sha256:{digests[name]}",
            "rows": rows,
        }
        for name, rows in zip(names, (20, 20, 10), strict=True)
    ]
    assert (csv["path"], csv["rows"], "parts" in csv) == ("data.csv", ROWS, False)
    assert {(folder / name).stat().st_mtime for name in digests} == {315_532_800}


def test_a_csv_is_one_file_whatever_the_parts(tmp_path: Path) -> None:
    one = release_of(large(), tmp_path / "one", csv=True) / "data.csv"
    with parts_of_rows(7):
        many = release_of(large(), tmp_path / "many", csv=True) / "data.csv"
        assert many.read_bytes() == one.read_bytes()


def test_an_error_in_a_later_part_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_rows(monkeypatch, 20)

    def broken() -> Iterator[pa.RecordBatch]:
        yield from large().to_batches()
        raise RuntimeError("the engine failed")

    with pytest.raises(RuntimeError, match="the engine failed"):
        write(tmp_path, {"data": (large().schema, broken())}, FACTS, True)


# Reading


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    of_rows(monkeypatch, 2)
    return release_of(whole(), tmp_path / "0003", facts=WHOLE)


def test_all_parts_are_read_in_order(folder: Path) -> None:
    table = Release(folder)._rows("data")
    assert table.equals(pa.concat_tables([pq.read_table(f) for f in sorted(folder.glob("*.p*"))]))
    assert table["group"].to_pylist() == [1, 2, 3]
    assert [part.rows for part in Release(folder).tables["data"].parts] == [2, 1]


def test_csv_is_written_later_from_all_parts(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "later").mkdir()
    with_commas(Release(folder), tmp_path / "later")
    at_once = content(release_of(whole(), tmp_path / "at once", facts=WHOLE, csv=True))
    assert content(tmp_path / "later") == at_once
    assert {"data-0001.parquet", "data-0002.parquet", "data.csv"} < at_once.keys()


Change = Callable[[dict[str, Any]], object]
WRONG: dict[str, Change] = {
    "one path less": lambda r: (r["path"].pop(), r["parts"].pop()),
    "one path for two": lambda r: r.update(path="data-0001.parquet"),
    "a path of old": lambda r: r.update(path="data.parquet"),
    "paths turned": lambda r: r["path"].reverse(),
    "parts turned": lambda r: r["parts"].reverse(),
    "a path twice": lambda r: r["path"].append(r["path"][0]),
    "a part twice": lambda r: r["parts"].append(r["parts"][0]),
    "no parts": lambda r: r.pop("parts"),
    "empty parts": lambda r: r.update(parts=[]),
    "no paths": lambda r: r.update(path=[]),
    "a part without a digest": lambda r: r["parts"][1].pop("hash"),
    "a digest of all": lambda r: r.update(hash=r["parts"][0]["hash"]),
    "another path in a part": lambda r: r["parts"][0].update(path="data-0009.parquet"),
    "a note on a part": lambda r: r["parts"][0].update(note="Ann"),
    "another total": lambda r: r.update(bytes=1),
    "rows moved": lambda r: [p.update(rows=n) for p, n in zip(r["parts"], (1, 2), strict=True)],
    "more rows": lambda r: r.update(rows=5),
    "as many rows as there may be": lambda r: r.update(rows=10**40),
    "one row": lambda r: r.update(rows=1),
}


@pytest.mark.parametrize("change", WRONG)
def test_a_description_with_other_parts_is_refused(folder: Path, change: str) -> None:
    restate(folder, lambda said: WRONG[change](said["resources"][0]))
    with pytest.raises(ReleaseError, match="not the description of a release"):
        Release(folder)


@pytest.mark.parametrize("path", ["../data-0001.parquet", ".data", "/etc/passwd", "a/b", "x\n"])
def test_a_part_outside_is_refused(folder: Path, path: str) -> None:
    restate(folder, lambda said: said["resources"][0]["path"].__setitem__(1, path))
    with pytest.raises(ReleaseError, match="names a file outside the release"):
        Release(folder)


def test_a_missing_part_a_link_and_another_size_are_refused(folder: Path) -> None:
    second = folder / "data-0002.parquet"
    before = second.read_bytes()
    second.write_bytes(before + b"x")
    with pytest.raises(ReleaseError, match=r"data-0002.parquet is not as it was published"):
        Release(folder)
    second.unlink()
    with pytest.raises(ReleaseError, match=r"data-0002.parquet is missing"):
        Release(folder)
    second.symlink_to(folder / "data-0001.parquet")
    with pytest.raises(ReleaseError, match="is a link"):
        Release(folder)


def test_parts_that_are_swapped_doubled_or_altered_are_refused(folder: Path) -> None:
    first, second = (folder / f"data-000{n}.parquet" for n in (1, 2))
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    reseal(folder)  # now it says of itself that the first has one row, and the second two
    with pytest.raises(ReleaseError, match="not the description of a release"):
        Release(folder)
    second.write_bytes(two)
    restate(folder, lambda said: said["resources"][0]["parts"][0].update(rows=2))
    with pytest.raises(ReleaseError):
        Release(folder).table()


def test_each_part_has_the_columns_and_types_of_the_first(folder: Path) -> None:
    second = folder / "data-0002.parquet"
    table = pq.read_table(second)
    place = table.column_names.index("age_low")
    wide = table.set_column(place, "age_low", table["age_low"].cast(pa.int64()))
    pq.write_table(
        wide, second, version="2.6", data_page_version="1.0", compression="zstd", store_schema=False
    )
    reseal(folder)
    with pytest.raises(ReleaseError, match=r"data-0002\.parquet is not as it was published"):
        Release(folder)._rows("data")
    told = said_by(folder)["resources"][0]["parts"][1]
    assert told["rows"] == 1, "what was described is right"


def test_what_parts_unpack_to_is_added_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many small parts may be little, and all of them together too much."""
    of_rows(monkeypatch, 1 << 17)
    rows = pa.concat_tables([pq.read_table(f) for f in sorted(folder.glob("*.p*"))]).slice(0, 1)
    table = rows.take(pa.array([0] * (1 << 21)))
    bomb = release_of(table, folder.parent / "0004", facts=WHOLE | {"number": 4}, batch=1 << 17)
    assert sum(file.stat().st_size for file in bomb.iterdir()) < 200_000
    assert len(list(bomb.iterdir())) == 17
    with pytest.raises(ReleaseError, match=r"data-0\d+.parquet .*unpack to more than 128 MB"):
        Release(bomb).table()
    [failure] = an.audit(bomb).failures
    assert failure.name == "size"
    assert "would unpack to more than 128 MB" in failure.measured
