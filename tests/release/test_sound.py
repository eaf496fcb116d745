"""Whoever uses a release uses nothing but a release: every reader examines it first."""

from __future__ import annotations

import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import PlanError, ReleaseError
from anachron.parquet import allowed, check_size
from tests.release.forging import reseal, restate

SCHEMA = an.Schema("who", quasi="age", sensitive="ill")
PEOPLE = pa.table(
    {"who": range(40), "age": range(20, 60), "ill": ["flu", "cold", "gout", "cough"] * 10}
)
RAW = b"Ann Onymous,1961-02-03,asthma\n" * 40


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("published")
    an.publish(PEOPLE, SCHEMA, an.MInvariance(m=2), ledger=root / "l", to=root / "r", csv=True)
    return root


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(published / "r" / "0001", tmp_path / "0001"))


READERS: dict[str, Callable[[Path], object]] = {
    "table": lambda folder: an.Release(folder).table("counterfeits"),
    "ask": lambda folder: an.ask(folder, "SELECT COUNT(*)"),
    "attack": an.attack,
    "attack the owner's": lambda folder: an.attack(folder, table=PEOPLE, schema=SCHEMA),
    "report": lambda folder: an.report(folder, folder.parent / "report.html"),
    "utility": lambda folder: an.utility(folder, table=PEOPLE, schema=SCHEMA, questions=5),
}


def another_file(folder: Path) -> None:
    (folder / "raw.csv").write_bytes(RAW)


def a_folder(folder: Path) -> None:
    (folder / ".raw").mkdir()


def a_link(folder: Path) -> None:
    (folder / "data.csv").rename(folder.parent / "elsewhere")
    (folder / "data.csv").symlink_to(folder.parent / "elsewhere")


def another_csv(folder: Path) -> None:
    with (folder / "data.csv").open("ab") as file:
        file.write(RAW)
    reseal(folder)


def another_digest(folder: Path) -> None:
    content = bytearray((folder / "data.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "data.parquet").write_bytes(content)


def bytes_before_the_footer(folder: Path) -> None:
    content = (folder / "data.parquet").read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    (folder / "data.parquet").write_bytes(content[:footer] + RAW + content[footer:])
    reseal(folder)


HIDING = {
    another_file: "raw.csv does not belong",
    a_folder: "does not belong",
    a_link: "is a link",
    another_csv: "other rows than",
    another_digest: "not as it was published",
    bytes_before_the_footer: "1,200 bytes before the footer",
}


@pytest.mark.parametrize("hide", HIDING)
def test_no_reader_takes_more_than_a_release(hide: Callable[[Path], None], folder: Path) -> None:
    assert READERS["table"](folder) is not None
    hide(folder)
    for reader in READERS.values():
        with pytest.raises(ReleaseError, match=HIDING[hide]):
            reader(folder)


def equal_rows(folder: Path) -> None:
    """Eight million rows in a few kilobytes: as many as one file may have."""
    rows = pq.read_table(folder / "data.parquet").slice(0, 1)
    group = rows.take(pa.array([0] * (1 << 17)))
    write(folder, [group] * 64)


def one_long_text(folder: Path) -> None:
    """A text of a hundred kilobytes in a hundred thousand rows: ten gigabytes."""
    rows = pq.read_table(folder / "data.parquet").take(pa.array([0] * 100_000))
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), ["x" * 100_000])
    write(folder, [rows.set_column(3, "ill", texts)])


def write(folder: Path, groups: list[pa.Table]) -> None:
    with pq.ParquetWriter(
        folder / "data.parquet", groups[0].schema, version="2.6", data_page_version="1.0",
        compression="zstd", store_schema=False,
    ) as writer:  # fmt: skip
        for group in groups:
            writer.write_table(group, row_group_size=1 << 17)
    for file in folder.glob("*.csv"):
        file.unlink()
    restate(folder, lambda said: said.update(resources=said["resources"][::2]))
    reseal(folder)


@pytest.mark.parametrize("bomb", [equal_rows, one_long_text])
def test_what_would_grow_is_refused_before_it_does(
    bomb: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb(folder)
    assert (folder / "data.parquet").stat().st_size < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for reader in READERS.values():
        with pytest.raises(ReleaseError, match=r"unpack to more than 128 MB.*ANACHRON_UNPACKED"):
            reader(folder)
    [failure] = an.audit(folder).failures
    assert (failure.name, "unpack to more than 128 MB" in failure.measured) == ("size", True)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # kilobytes
    monkeypatch.setenv("ANACHRON_UNPACKED", "much")
    with pytest.raises(PlanError, match="Write it like '2GB'"):
        an.Release(folder).table()


def test_more_or_less_is_allowed_if_the_reader_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANACHRON_UNPACKED", "0MB")
    with pytest.raises(ReleaseError, match="unpack to more than 0 MB"):
        an.Release(folder).table()
    one_long_text(folder)
    monkeypatch.setenv("ANACHRON_UNPACKED", "12 GB")
    release = an.Release(folder).tables["data"]
    check_size(release.parts[0].file, release.names, release.rows, allowed(0))


def test_a_ledger_vouches_for_what_it_recorded(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner may attack, measure and audit a release of any size."""
    monkeypatch.setenv("ANACHRON_UNPACKED", "0MB")
    release, ledger = published / "r" / "0001", published / "l"
    assert an.audit(release, ledger=ledger).holds
    assert an.attack(release, table=PEOPLE, ledger=ledger)
    assert an.utility(release, table=PEOPLE, ledger=ledger, questions=5).holds
    assert not an.audit(release).holds
