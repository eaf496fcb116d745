from __future__ import annotations

import builtins
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest

from anachron.errors import InputError, ReleaseError
from anachron.release import Release
from tests.release.forging import restate
from tests.release.tables import WHOLE, release_of, whole


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return release_of(whole(), tmp_path / "0003", csv=True, facts=WHOLE)


def test_a_release_tells_what_it_is(folder: Path) -> None:
    release = Release(str(folder), explanation={"why": "because"})
    assert (release.path, release.number, release.rows) == (folder, 3, 3)
    assert release.guarantee["k"] == 5
    assert release.description["title"] == "Release 3"
    assert release.explanation == {"why": "because"}
    assert Release(folder).explanation is None
    assert str(release) == f"Release 3: 3 rows, method granularity, k 5 ({folder})"
    assert repr(release) == f"Release({str(folder)!r})"
    assert "<td>granularity</td>" in release._repr_html_()
    release.check_digests()


def test_it_cannot_be_changed(folder: Path) -> None:
    release = Release(folder)
    with pytest.raises(AttributeError):
        release.number = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        release.description["title"] = "x"  # type: ignore[index]


def test_a_release_is_given_in_the_form_you_work_with(folder: Path) -> None:
    release = Release(folder)
    table = release.table()
    assert table["ward"].to_pylist() == ["plain", "=1+1", None]
    assert release.to("arrow").equals(table)
    assert isinstance(release.to("pandas"), pandas.DataFrame)
    assert isinstance(release.to("polars"), polars.DataFrame)
    relation = release.to("duckdb")
    assert isinstance(relation, duckdb.DuckDBPyRelation)
    assert relation.aggregate("count(*)").fetchall() == [(3,)]
    with pytest.raises(InputError, match="one of arrow, duckdb, pandas, polars"):
        release.to("excel")
    with pytest.raises(ReleaseError, match="no table 'more'"):
        release.table("more")


def test_a_library_that_is_not_there_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "polars":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match="pip install polars"):
        Release(folder).to("polars")


def test_what_is_not_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="is not a folder"):
        Release(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match=r"has no datapackage\.json"):
        Release(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", "{}", '{"anachron": {}}', "[" * 100_000, "\udc00"],
    ids=lambda text: text[:9],
)
def test_a_description_that_is_none_is_refused(folder: Path, text: str) -> None:
    (folder / "datapackage.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ReleaseError, match="is not the description of a release"):
        Release(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("resources"),
        lambda d: d.update(resources=[]),
        lambda d: d.update(resources=["x"]),
        lambda d: d["resources"][0].pop("bytes"),
        lambda d: d["resources"][0].update(rows="many"),
        lambda d: d["resources"][0].update(path=7),
        lambda d: d["anachron"].update(guarantee=7),
        lambda d: d["anachron"].update(guarantee=[]),
        lambda d: d["anachron"].update(release="x"),
        lambda d: d["anachron"].update(release=float("inf")),
        lambda d: d["anachron"].update(release=10**30),
        lambda d: d["anachron"].update(release=3.0),
    ],
)
def test_a_description_with_gaps_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    restate(folder, change)
    with pytest.raises(ReleaseError, match="is not the description of a release"):
        Release(folder)


def test_a_newer_format_is_refused(folder: Path) -> None:
    restate(folder, lambda d: d["anachron"].update(format=2))
    with pytest.raises(ReleaseError, match="of format 2, this version of Anachron reads 1"):
        Release(folder)


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../secret.parquet", "a/data.parquet", "..", "", "http://x/data.parquet",
     "data.parquet\x00", "data.txt", ".data.parquet"],
)  # fmt: skip
def test_a_path_out_of_the_release_is_refused(folder: Path, path: str) -> None:
    restate(folder, lambda d: d["resources"][0].update(path=path))
    with pytest.raises(ReleaseError, match=r"a file outside the release|not the tables of this"):
        Release(folder)


@pytest.mark.parametrize("name", ["data.parquet", "datapackage.json"])
def test_a_link_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(ReleaseError, match=r"is a link|has no datapackage\.json"):
        Release(folder)


def test_a_missing_file_is_noticed(folder: Path) -> None:
    (folder / "data.csv").unlink()
    with pytest.raises(ReleaseError, match=r"data\.csv is missing"):
        Release(folder)


def test_altered_bytes_are_noticed(folder: Path) -> None:
    data = folder / "data.parquet"
    content = data.read_bytes()
    release = Release(folder)
    data.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ReleaseError, match="not as it was published"):
        release.check_digests()
    with pytest.raises(ReleaseError, match="not as it was published"):
        release.table()
    data.write_bytes(content + b"\0")
    with pytest.raises(ReleaseError, match="not as it was published"):
        Release(folder)


def test_a_file_more_is_noticed(folder: Path) -> None:
    (folder / "notes.txt").touch()
    with pytest.raises(ReleaseError, match=r"notes\.txt does not belong"):
        Release(folder).check_digests()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to the superuser")
def test_an_unreadable_release_is_a_clear_error(folder: Path) -> None:
    (folder / "datapackage.json").chmod(0)
    with pytest.raises(ReleaseError, match="Permission denied"):
        Release(folder)


def test_html_is_escaped(folder: Path) -> None:
    moved = folder.rename(folder.with_name("<script>"))
    assert "<script>" not in Release(moved)._repr_html_()


def test_a_table_without_rows_keeps_its_columns(tmp_path: Path) -> None:
    table = whole().slice(0, 0)
    release = Release(release_of(table, tmp_path / "r", facts=WHOLE))
    assert release.table().schema.names == table.schema.names


def test_another_number_of_rows_is_refused_before_they_are_read(folder: Path) -> None:
    restate(folder, lambda d: [resource.update(rows=4) for resource in d["resources"]])
    with pytest.raises(ReleaseError, match="are not as described: it has 3, not 4"):
        Release(folder).table()


def test_a_method_of_tomorrow_is_refused(folder: Path) -> None:
    restate(folder, lambda d: d["anachron"]["guarantee"].update(method="magic"))
    with pytest.raises(ReleaseError, match="Use a newer version"):
        Release(folder)


@pytest.mark.parametrize("method", [None, 7, 0.5, True, ["granularity"], {"granularity": 1}, ""])
def test_a_method_that_is_no_word_is_refused(folder: Path, method: object) -> None:
    restate(folder, lambda d: d["anachron"]["guarantee"].update(method=method))
    with pytest.raises(ReleaseError):
        Release(folder)
