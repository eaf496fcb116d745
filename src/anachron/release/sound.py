"""Is a release whole, and nothing but a release? Asked before any of its rows is used."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
        most = allowed(table.parquet.stat().st_size)
        try:
            check_size(table.parquet, table.names, table.rows, most)
            walk(table.parquet, table.names, table.rows)
            odd = None if table.csv is None else first_odd_byte(table.parquet, table.csv)
        except Unfit as unfit:
            what = f"The rows of {table.parquet} are not as described: it {unfit}."
            raise ReleaseError(f"{what} Do not use it.") from None
        except Beside as beside:
            raise ReleaseError(f"{table.parquet}: {beside}. Do not use it.") from None
        except (pa.ArrowException, ValueError, OverflowError, AttributeError):
            # Not chained: it may quote cells.
            raise altered(table.parquet) from None
        if odd is not None:
            raise ReleaseError(f"{table.csv} has other rows than {table.parquet}. Do not use it.")
