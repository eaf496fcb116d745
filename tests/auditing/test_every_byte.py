"""No bit of a published file is free: change one, and the file is refused or has other rows.

A bit that could be changed without either would be a place to hide something.
"""

from __future__ import annotations

import errno
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.reading.database import reading
from anachron.errors import ReleaseError
from anachron.parquet import Beside, check_size, walk
from tests.auditing.surgery import Opened, decoded, field, packed, unpacked
from tests.auditing.test_published_bugs import WORK, feed

PUBLISHED = {
    "granularity": WORK["events"],
    "invariance": WORK["register"],
    "patterns": WORK["series"],
    "anatomy": ((feed(),), WORK["feed"][1], an.Reposition(l="7/3", window=3)),
}


@pytest.fixture(scope="module", params=PUBLISHED)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> an.Release:
    tables, schema, promise = PUBLISHED[request.param]
    folder = tmp_path_factory.mktemp("published")
    return an.publish(tables[0], schema, promise, ledger=folder / "ledger", to=folder / "releases")


def is_free(file: Path, rows: pa.Table) -> bool:
    """Whether a changed file passes for the one that was published."""
    try:
        walk(file, rows.column_names, rows.num_rows)
        return bool(pq.read_table(file).equals(rows))
    except (Beside, pa.ArrowException, OSError, ValueError):
        return False


def structure(opened: Opened) -> list[int]:
    """Where the bytes stand that are not packed: heads of pages, and the footer."""
    packed = set()
    for column in range(len(opened.columns())):
        at = opened.page(column, 0)[0]
        end = at + field(opened.columns()[column], 7)
        while at < end:
            head, start = decoded(opened.body, at)
            at = start + field(head, 3)
            packed |= set(range(start, at))
    content = opened.file.read_bytes()
    writer = re.search(rb"version [\d.]+", content)
    assert writer is not None
    packed |= set(range(*writer.span()))  # another version of the same writer is another version
    return [at for at in range(len(content)) if at not in packed]


def opened_tables(release: an.Release, scratch: Path) -> Iterator[tuple[Path, pa.Table]]:
    for name, table in release.tables.items():
        file = Path(shutil.copy(table.parts[0].file, scratch / f"{name}.parquet"))
        rows = release.table(name)
        if rows.num_rows:
            assert is_free(file, rows)
            yield file, rows


def free_structure(release: an.Release, flips: int, scratch: Path) -> list[str]:
    """Change a bit of the structure at a time; tell which changes nobody notices."""
    luck, found = random.Random(7), []
    for file, rows in opened_tables(release, scratch):
        content, places = file.read_bytes(), structure(Opened(file))
        for _ in range(flips):
            at, bit = luck.choice(places), 1 << luck.randrange(8)
            file.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            if is_free(file, rows):
                found.append(f"{file.name}, byte {at} of {len(content)}, {bit}")
    return found


def free_content(release: an.Release, flips: int, scratch: Path) -> list[str]:
    """Change a bit of what pages hold, and pack it again; tell which changes nobody notices.

    Packed bytes are not changed themselves: a few bits of how Zstandard packs are free.
    """
    luck, found = random.Random(7), []
    for file, rows in opened_tables(release, scratch):
        content = file.read_bytes()
        for _ in range(flips):
            column, page, bit = luck.randrange(rows.num_columns), luck.randrange(2), luck.random()

            def flip(head: list[Any], body: bytes, bit: float = bit) -> bytes:
                held = bytearray(unpacked(body, field(head, 2)))
                at = int(bit * len(held) * 8)
                held[at // 8] ^= 1 << at % 8
                return packed(bytes(held))

            file.write_bytes(content)
            opened = Opened(file)
            opened.repage(column, page, flip)
            opened.close()
            if is_free(file, rows):
                found.append(f"{file.name}, column {column}, page {page}, {bit}")
    return found


def test_no_byte_of_the_structure_is_free(release: an.Release, tmp_path: Path) -> None:
    assert free_structure(release, 60, tmp_path) == []


def test_no_bit_of_a_page_is_free(release: an.Release, tmp_path: Path) -> None:
    assert free_content(release, 40, tmp_path) == []


@pytest.mark.campaign
def test_nothing_is_free_at_length(release: an.Release, tmp_path: Path) -> None:
    assert free_structure(release, 5_000, tmp_path) == []
    assert free_content(release, 3_000, tmp_path) == []


def test_a_map_that_the_system_refuses_is_no_fault_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")

    def refused(_: str) -> None:
        raise OSError("Memory mapping file failed: Input/output error")  # as Arrow says it

    monkeypatch.setattr(pa, "memory_map", refused)
    for look in (lambda f: walk(f, ["a"], 1), lambda f: check_size(f, ["a"], 1, None)):
        with pytest.raises(OSError, match="Memory mapping file failed") as told:
            look(tmp_path / "t.parquet")
        assert told.value.errno == errno.EIO


def test_a_file_that_the_disk_does_not_give_is_no_mistake_of_ours(tmp_path: Path) -> None:
    gone = reading([tmp_path / "t.parquet"])
    with pytest.raises(ReleaseError, match="Check the disk"):
        gone.__enter__()
