"""Is a release whole, and nothing but a release? Asked before any of its rows is used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from anachron.errors import ReleaseError
from anachron.parquet import Beside, Unfit, allowed, check_size, walk
from anachron.release.commas import first_odd_byte
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import digest_of
from anachron.release.tables import TableFile, altered

__all__ = ["check_content", "check_folder"]

_PLAIN = re.compile(r"\.?[A-Za-z][\w-]{0,39}(\.[a-z]{1,8})?", re.ASCII)


def check_folder(folder: Path, tables: Iterable[TableFile]) -> None:
    """Refuse a folder that holds other files than described, or files with other bytes."""
    files = dict(file for table in tables for file in table.written.files)
    for name in sorted(file.name for file in folder.iterdir()):
        if name not in {DESCRIPTION, *files}:
            # Any other name may be anything, and is not shown.
            what = folder / name if _PLAIN.fullmatch(name) else f"something in {folder}"
            raise ReleaseError(f"{what} does not belong to the release. Remove it.")
    for name, stated in files.items():
        if digest_of(folder / name) != stated.sha256:
            raise altered(folder / name)


def check_content(tables: Iterable[TableFile]) -> None:
    """Refuse tables that hold anything beside their rows, or more than can be unpacked."""
    for table in tables:
        size, most = 0, allowed(sum(stated.bytes for _, stated in table.written.parquet))
        for part in table.parts:
            with _trouble_of(part.file):
                size = check_size(part.file, table.names, part.rows, most, size)
        for part in table.parts:
            with _trouble_of(part.file):
                walk(part.file, table.names, part.rows)
        _check_commas(table)


@contextmanager
def _trouble_of(file: Path) -> Iterator[None]:
    """Say what is wrong with a Parquet file."""
    try:
        yield
    except Unfit as unfit:
        what = f"The rows of {file} are not as described: it {unfit}."
        raise ReleaseError(f"{what} Do not use it.") from None
    except Beside as beside:
        raise ReleaseError(f"{file}: {beside}. Do not use it.") from None
    except (pa.ArrowException, ValueError, OverflowError, AttributeError):
        # Not chained: it may quote cells.
        raise altered(file) from None


def _check_commas(table: TableFile) -> None:
    if table.csv is None:
        return
    files = [part.file for part in table.parts]
    with _trouble_of(files[0]):
        odd = first_odd_byte(files, table.csv)
    if odd is not None:
        raise ReleaseError(f"{table.csv} has other rows than {table.called}. Do not use it.")
