"""Read a table into codes and instants, and refuse what cannot be read without a doubt."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from anachron.engines.local.coded import Coded, encode, in_order, quasi_problems
from anachron.engines.local.kinds import plain, type_problems
from anachron.engines.local.scan import Scan, open_scan
from anachron.engines.local.series import read_series
from anachron.engines.local.subjects import merged, spelling_twins, subject_problems, subject_sql
from anachron.engines.local.table import LocalTable
from anachron.engines.local.times import read_times
from anachron.errors import TableError
from anachron.schema import MERGE, REFUSE, Schema
from anachron.spelling import SPELT

__all__ = ["load"]


def load(table: object, schema: Schema) -> LocalTable:
    """Read a table of any accepted kind; all problems found are raised as one error."""
    scan = open_scan(table, schema)
    try:
        return _load(scan, schema, table)
    except BaseException:
        scan.close()
        raise


def _load(scan: Scan, schema: Schema, table: object) -> LocalTable:
    file, types = scan.source.name, dict(scan.source.columns)
    problems = list(type_problems(schema, types, file))
    if problems:
        raise TableError(problems)
    who = scan.column(subject_sql(schema.subject, types[schema.subject]))
    quasi = {}
    # Telling subjects apart takes as long as all the rest, so it is done beside it.
    with ThreadPoolExecutor(max_workers=1) as beside:
        telling = beside.submit(encode, who)
        del who
        times = read_times(scan, schema, problems)
        for column in schema.quasi:
            coded = encode(scan.column(plain(column, types[column])))
            problems += quasi_problems(coded, column, file)
            quasi[column] = in_order(coded)
        series = read_series(scan, schema, problems)
        subject = telling.result()
    problems[:0] = subject_problems(subject, schema.subject, file, schema.spelling)
    if problems or times is None:
        raise TableError(problems)
    notes = list(_subject_notes(subject, schema))
    if schema.spelling == MERGE:
        subject = merged(subject)
    return LocalTable(
        schema=schema,
        given=scan.source.held if scan.source.is_gone else table,
        file=file,
        rows=scan.rows,
        subject=subject.codes,
        subject_values=subject.values,
        instants=times.instants,
        quasi=quasi,
        matrix=series,
        recorded_by=times.recorded_by,
        notes=(*notes, *times.notes),
        scan=scan,
        times=times,
    )


def _subject_notes(subject: Coded, schema: Schema) -> Iterator[str]:
    twins = 0 if schema.spelling == REFUSE else spelling_twins(subject.values)
    if not twins:
        return
    many = f"{twins:,} of {len(subject.values):,} subjects in column {schema.subject!r}"
    if schema.spelling == MERGE:
        yield f"{many} are another one, spelled differently, and were merged with it."
    else:
        yield (
            f"{many} differ from another only in {SPELT}. They count as different people, because "
            "spelling is exact; if they are not, groups are smaller than they seem."
        )
