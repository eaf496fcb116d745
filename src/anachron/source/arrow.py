"""Arrow tables in memory, and Arrow IPC files (also known as Feather)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from anachron.arrow_files import declared
from anachron.errors import Problem, TableError
from anachron.source.base import RELATION, Source, reading, require_columns, types_of
from anachron.source.bounds import check_texts, check_unpacked

__all__ = ["open_arrow", "open_arrow_file"]


def open_arrow(
    table: pa.Table,
    name: str,
    con: duckdb.DuckDBPyConnection,
    wanted: Sequence[str],
    one_pass: bool = False,
    is_gone: bool = False,
) -> Source:
    """Open an Arrow table, scanned where it lies."""
    require_columns(table.column_names, wanted, name)
    chosen = table.select(list(wanted))
    _whole(chosen, name)
    _readable(chosen, name, con)
    with reading(name):
        con.register(RELATION, chosen)
        opened = Source(name, RELATION, types_of(con, RELATION), one_pass, chosen, is_gone)
    # What is written once may be used in any number of rows.
    shares = any(not _is_plain(field.type) for field in chosen.schema)
    return check_texts(con, opened, chosen.num_rows, chosen.nbytes) if shares else opened


def open_arrow_file(
    file: Path, name: str, con: duckdb.DuckDBPyConnection, wanted: Sequence[str]
) -> Source:
    """Open an Arrow IPC file, mapped into memory, in either of its two layouts."""
    with reading(name):
        mapped = pa.memory_map(str(file))
        check_unpacked(declared(memoryview(mapped.read_buffer())), mapped.size(), name)
        mapped.seek(0)
        if mapped.size() >= 6 and mapped.read_at(6, 0) == b"ARROW1":
            table = pa.ipc.open_file(mapped).read_all()
        else:
            table = pa.ipc.open_stream(mapped).read_all()
    return open_arrow(table, name, con, wanted)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether every row of a column takes bytes of its own."""
    shares = (pa.types.is_dictionary, pa.types.is_run_end_encoded, pa.types.is_string_view)
    return not any(share(kind) for share in shares)


def _whole(table: pa.Table, name: str) -> None:
    """Refuse a table whose parts do not fit together: to look at its cells would end the process.

    Offsets, lengths, codes of dictionaries and the encoding of texts are taken on trust by all
    that read Arrow, so they are looked at here, once, wherever the table comes from.
    """
    with reading(name):
        table.validate(full=True)


def _readable(table: pa.Table, name: str, con: duckdb.DuckDBPyConnection) -> None:
    """Refuse columns of types that DuckDB does not know, or would misread."""
    problems = []
    for field in table.schema:
        known = not isinstance(field.type, pa.BaseExtensionType) or str(
            field.type.extension_name
        ).startswith("arrow.")
        try:
            con.register("probe", pa.table({"probe": pa.array([], field.type)}))
            con.unregister("probe")
        except (duckdb.Error, pa.ArrowException):
            known = False
        if not known:
            problems.append(
                Problem(
                    f"is of the type {field.type}, which cannot be read.",
                    name,
                    field.name,
                    remedy="Convert it to text, numbers, dates or timestamps.",
                )
            )
    if problems:
        raise TableError(problems)
