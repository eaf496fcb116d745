"""A DuckDB connection that sees the rows of a release, as they stand in the file."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from anachron.database import connected, lacking
from anachron.errors import ReleaseError

__all__ = ["literal", "pattern", "quoted", "reading"]

_MEMORY = "1GB"


@contextmanager
def reading(files: Sequence[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection with Parquet files, one after the other, as the view ``data``."""
    names = ", ".join(map(pattern, files))
    with connected(_MEMORY) as con:
        try:
            con.execute(f"CREATE VIEW data AS FROM read_parquet([{names}])")
            yield con
        except duckdb.IOException as error:
            if lacking(error) is not None:
                raise
            # What is wrong in a file is found before it is opened here: this is the disk's.
            raise ReleaseError(
                f"{files[0]} could not be read to its end. Check the disk and who may read it, and "
                "try again."
            ) from None


def quoted(name: str) -> str:
    """Write a column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Write a text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def pattern(file: Path) -> str:
    """Write a file's name in SQL, where ``*`` and ``[`` would stand for other names."""
    return literal(glob.escape(str(file)))
