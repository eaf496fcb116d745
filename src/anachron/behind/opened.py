"""Open a table of any accepted kind, once more: as Arrow columns, on a connection of its own."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import narwhals as nw
import pyarrow as pa

from anachron import scratch
from anachron.arrays import Words
from anachron.arrow_files import declared
from anachron.behind.bounds import refuse_bomb, refuse_endless, size_of
from anachron.behind.databases import read_postgresql, read_sqlite
from anachron.behind.folders import files_of, keys_of, read_many
from anachron.behind.ods import read_ods
from anachron.behind.refusing import reading
from anachron.behind.remote import REMOTE, fetched
from anachron.behind.sheets import read_sheet
from anachron.behind.spark import AT_ONCE, gathered, is_frame_of_spark
from anachron.behind.statistics import ENDINGS as STATISTICS
from anachron.behind.statistics import read_statistics
from anachron.database import connected, cursor_of
from anachron.errors import Problem, TableError
from anachron.plan import Source
from anachron.plan.places import password_problems

__all__ = ["Opened", "is_text", "open_table", "quoted"]

_TEXTS = tuple(end + packed for end in (".csv", ".tsv", ".txt") for packed in ("", ".gz", ".zst"))
_JSON = tuple(end + packed for end in (".jsonl", ".ndjson") for packed in ("", ".gz", ".zst"))
_ARROW = (".arrow", ".feather", ".ipc")
_SHEETS = (".xlsx", ".xlsm", ".ods")
_ROWS = "rows_behind"
_BESIDE_SPARK = "128MB"
_NESTED = ("STRUCT(", "MAP(", "UNION(")


@dataclass(frozen=True, eq=False)
class Opened:
    """A table on a connection; every query gives its rows in the same order."""

    name: str
    """How messages call it."""
    types: dict[str, str]
    """The columns that were asked for, and their DuckDB types."""
    rows: int
    at_once: int | None
    """If it lies aside: so many rows of it may be held at a time."""
    _con: duckdb.DuckDBPyConnection = field(repr=False)
    _held: pa.Table | None = field(repr=False)
    _open: ExitStack = field(repr=False)

    def fetch(self, **expressions: str) -> pa.Table:
        """The values of SQL expressions, by name, a row for each row."""
        with self._asked(expressions) as result:
            table: pa.Table = result.to_arrow_table()
        self._check(table.num_rows)
        return table

    def batches(self, rows: int, **expressions: str) -> Iterator[pa.RecordBatch]:
        """The same, so many rows at a time, or fewer."""
        seen = 0
        with self._asked(expressions) as result:
            for batch in result.to_arrow_reader(rows):
                seen += batch.num_rows
                # What it gives is a whole number of its own vectors.
                yield from (batch.slice(at, rows) for at in range(0, batch.num_rows, rows))
        self._check(seen)

    def total(self, *numbers: str) -> list[int]:
        """The sums of whole numbers over all rows."""
        with self._asked({f"s{i}": f"sum({sql})" for i, sql in enumerate(numbers)}) as result:
            return [int(total) for total in result.fetchall()[0]]

    def different(self, **expressions: str) -> pa.Table:
        """The different rows of such values, in any order."""
        with self._asked(expressions, " GROUP BY ALL") as result:
            return result.to_arrow_table()

    def hashes(self, values: pa.Array, salt: int = 0) -> Words:
        """A number of 64 bits for each value: the same for the same, and hardly ever for others."""
        with reading(self.name), cursor_of(self._con) as cursor:
            cursor.register(_ROWS, pa.table({"value": values}))
            salted = f"hash(value, {salt})" if salt else "hash(value)"
            found = cursor.sql(f"SELECT {salted} AS hash FROM {_ROWS}").to_arrow_table()
        words: Words = found.column(0).to_numpy()
        return words

    def schema(self, **expressions: str) -> pa.Schema:
        """Names and types of such values."""
        with self._asked(expressions, " LIMIT 0") as result:
            return result.to_arrow_table().schema

    @contextmanager
    def _asked(
        self, expressions: Mapping[str, str], limit: str = ""
    ) -> Iterator[duckdb.DuckDBPyRelation]:
        parts = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in expressions.items())
        with reading(self.name), cursor_of(self._con) as cursor:
            if self._held is not None:
                cursor.register(_ROWS, self._held)
            yield cursor.sql(f"SELECT {parts} FROM {_ROWS}{limit}")

    def _check(self, rows: int) -> None:
        if rows != self.rows:
            raise TableError(
                Problem(
                    "changed while it was being read.",
                    self.name,
                    remedy="Wait until whatever writes it has finished, or work on a copy.",
                )
            )

    def aside(self, what: str) -> Path:
        """A private folder that is gone when the table is let go of."""
        return self._open.enter_context(scratch.folder(what))

    def close(self) -> None:
        """Let go of the table, and remove what was put aside."""
        self._open.close()


def quoted(name: str) -> str:
    """Quote a name for SQL."""
    return '"{}"'.format(name.replace('"', '""'))


def is_text(kind: str) -> bool:
    """Whether values of a DuckDB type are texts, as far as they are published."""
    return kind in ("VARCHAR", "UUID", "JSON", '"NULL"', "NULL") or kind.startswith("ENUM(")


def open_table(table: object, wanted: Sequence[str], as_written: Collection[str]) -> Opened:
    """Open the wanted columns of a table; text files leave some ``as_written``."""
    with ExitStack() as opening:
        how, at_once = _source(table), None
        if how is None and is_frame_of_spark(table):
            room = opening.enter_context(scratch.room())
            frame = gathered(table, wanted, room)
            at_once = AT_ONCE if isinstance(frame, Path) else None
            # Spark has the memory of its driver, too.
            con = opening.enter_context(connected(None if at_once is None else _BESIDE_SPARK))
            name, content = "the table", _scan([frame]) if isinstance(frame, Path) else frame
        else:
            con = opening.enter_context(connected())
            if how is not None:
                name, content = _addressed(how, con, wanted, as_written)
            else:
                name, content = "the table", _frame(table, wanted)
        held = content if isinstance(content, pa.Table) else None
        with reading(name):
            if held is not None:
                held.validate(full=True)
                con.register(_ROWS, held)
            else:
                chosen = ", ".join(map(quoted, wanted))
                con.execute(f"CREATE VIEW {_ROWS} AS SELECT {chosen} FROM {content}")
            empty = con.sql(f"SELECT * FROM {_ROWS} LIMIT 0")
            types = dict(zip(empty.columns, map(str, empty.types), strict=True))
            _refuse_nested(types, name)
            rows = con.sql(f"SELECT count(*) FROM {_ROWS}").fetchall()[0][0]
            size = size_of(how, held)
            if size is not None:
                refuse_bomb(rows, 0, size, name)
                refuse_bomb(rows, _text_bytes(con, types), size, name)
        return Opened(name, types, rows, at_once, con, held, opening.pop_all())


def _refuse_nested(types: Mapping[str, str], name: str) -> None:
    """Refuse columns whose cells hold several values: none of them is ever published."""
    nested = [n for n, of in types.items() if of.endswith("]") or of.startswith(_NESTED)]
    if nested:
        raise TableError([Problem("holds nested values.", name, column) for column in nested])


def _text_bytes(con: duckdb.DuckDBPyConnection, types: Mapping[str, str]) -> int:
    """The bytes of all texts of the table, added up, some columns at a time."""
    texts = [f"coalesce(sum(strlen({quoted(n)})), 0)" for n, of in types.items() if of == "VARCHAR"]
    parts = [texts[start : start + 40] for start in range(0, len(texts), 40)]
    found = (con.sql(f"SELECT {' + '.join(part)} FROM {_ROWS}").fetchall() for part in parts)
    return sum(int(total) for ((total,),) in found)


def _source(table: object) -> Source | None:
    """The place of a table, and how to read it; None for what is in memory."""
    if isinstance(table, Source) or not isinstance(table, str | os.PathLike):
        return table if isinstance(table, Source) else None
    if problems := list(password_problems(os.fspath(table))):
        raise TableError(problems)
    return Source(table)


def _addressed(
    how: Source, con: duckdb.DuckDBPyConnection, wanted: Sequence[str], as_written: Collection[str]
) -> tuple[str, pa.Table | str]:
    """The name of a file or of a table in a database, and its columns or the SQL to scan it."""
    text = how.table
    scheme, _, rest = text.partition(":")
    place, _, name = rest.rpartition("#")
    if scheme in ("postgresql", "postgres"):
        return name, read_postgresql(text.rpartition("#")[0], name, wanted)
    if scheme in ("duckdb", "sqlite") and place:
        file = Path(place).expanduser()
        called = f"{file.name}#{name}"
        if not file.is_file():  # a pipe would be waited for
            raise TableError(Problem("is not a file.", file.name, remedy="Check the address."))
        with reading(called):
            file.open("rb").close()
        if scheme == "sqlite":
            return called, read_sqlite(file, name, called, wanted)
        with reading(called):
            con.execute(f"ATTACH {_literal(str(file))} AS attached (READ_ONLY)")
        inside = (name if "." in name else f"main.{name}").split(".", 1)
        table = "attached." + ".".join(map(quoted, inside))
        views = "SELECT (schema_name, view_name) FROM duckdb_views() WHERE database_name='attached'"
        if (tuple(inside),) in con.sql(views).fetchall():
            refuse_endless(con, table, wanted, file.stat().st_size, called)
        return called, table
    if text.startswith(REMOTE):
        return _elsewhere(how, con, wanted, as_written)
    return _file(Path(text).expanduser(), how, wanted, as_written)


def _elsewhere(
    how: Source, con: duckdb.DuckDBPyConnection, wanted: Sequence[str], as_written: Collection[str]
) -> tuple[str, pa.Table]:
    """A file of a server, which is held, because the copy of it is not kept."""
    with scratch.folder() as aside:
        file = fetched(how.table, aside)
        name, content = _file(file, how.at(file), wanted, as_written)
        if isinstance(content, str):
            with reading(name):
                chosen = ", ".join(map(quoted, wanted))
                content = con.sql(f"SELECT {chosen} FROM {content}").to_arrow_table()
        return name, content


def _file(
    file: Path, how: Source, wanted: Sequence[str], as_written: Collection[str]
) -> tuple[str, pa.Table | str]:
    lowered = file.name.lower()
    if file.is_file():
        with reading(file.name):
            file.open("rb").close()
    if file.is_file() and lowered.endswith(_SHEETS):
        read = read_ods if lowered.endswith(".ods") else read_sheet
        return file.name, read(file, how, wanted)
    if file.is_file() and lowered.endswith(STATISTICS):
        return file.name, read_statistics(file, how, wanted)
    if file.is_file() and lowered.endswith(_ARROW):
        with reading(file.name), pa.memory_map(str(file)) as mapped:
            refuse_bomb(*declared(memoryview(mapped.read_buffer())), mapped.size(), file.name)
            mapped.seek(0)
            is_file = mapped.size() >= 6 and mapped.read_at(6, 0) == b"ARROW1"
            reader = pa.ipc.open_file(mapped) if is_file else pa.ipc.open_stream(mapped)
            return file.name, _chosen(reader.read_all(), wanted, file.name)
    files = files_of(file, (*_TEXTS, *_JSON, ".parquet"))
    if not files:
        raise TableError(
            Problem(
                "is not a table that can be read.",
                file.name,
                remedy="Give the table that was published.",
            )
        )
    of_folders = not keys_of(files[0], file).keys().isdisjoint(wanted)
    if of_folders or not files[0].name.lower().endswith(".parquet"):
        return file.name, read_many(files, how, wanted, as_written)
    return file.name, _scan(files)


def _scan(files: Sequence[Path]) -> str:
    """SQL for the rows of Parquet files, one after the other."""
    listed = ", ".join(_literal(_as_it_is(f)) for f in files)
    return f"read_parquet([{listed}])"


def _as_it_is(file: Path) -> str:
    """A path of which no sign stands for others."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(file))


def _literal(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))


def _frame(table: object, wanted: Sequence[str]) -> pa.Table:
    """The wanted columns of a frame of any library."""
    with reading("the table"):
        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        elif isinstance(table, pa.RecordBatchReader):
            table = table.read_all()
        elif not isinstance(table, pa.Table):
            frame = nw.from_native(table, pass_through=True)
            if isinstance(frame, nw.LazyFrame):
                frame = frame.select(*wanted).collect(backend="pyarrow")
            if isinstance(frame, nw.DataFrame):
                table = frame.select(*wanted).to_arrow()
            else:
                table = pa.RecordBatchReader.from_stream(table).read_all()
        return _chosen(table, wanted, "the table").replace_schema_metadata(None)


def _chosen(table: pa.Table, wanted: Sequence[str], name: str) -> pa.Table:
    missing = [column for column in wanted if table.column_names.count(column) != 1]
    if missing:
        raise TableError(
            [Problem("is not in the table, or more than once.", name, column) for column in missing]
        )
    return table.select(list(wanted))
