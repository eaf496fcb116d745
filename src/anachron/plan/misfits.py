"""What is right by itself but does not fit together: a schema and a promise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anachron.errors import Problem
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition
from anachron.schema import Schema

__all__ = ["misfits"]


def misfits(schema: Schema, promise: Guarantee) -> Iterator[Problem]:
    """List what the promise needs of the schema, and what it names that is not there."""
    if isinstance(promise, KPAnonymity):
        yield from _patterns(schema, promise)
        return
    if schema.series:
        yield Problem(
            f"schema.series has no meaning for the method {promise.method}.",
            remedy="Remove it, or give its columns another role.",
        )
    if isinstance(promise, MInvariance):
        yield from _one_sensitive(schema, promise.method)
        if schema.time:
            yield Problem(
                "schema.time has no meaning for the method invariance.",
                remedy="Remove it: a register has one row for each person, and no times.",
            )
        yield from _some_quasi(schema, "the method invariance")
        yield from _grid(schema, "guarantee", promise)
    elif isinstance(promise, Reposition):
        yield from _reposition(schema, promise)
    else:
        yield from _a_time(schema)
        yield from _not_quasi(schema, "guarantee.ladders", promise.ladders, "ladder")


def _reposition(schema: Schema, promise: Reposition) -> Iterator[Problem]:
    yield from _a_time(schema)
    yield from _one_sensitive(schema, promise.method)
    if promise.then != "anatomy":
        yield from _some_quasi(schema, "intervals")
    yield from _grid(schema, "guarantee", promise)
    if isinstance(promise.then, MInvariance):
        yield from _grid(schema, "guarantee.then", promise.then)


def _patterns(schema: Schema, promise: KPAnonymity) -> Iterator[Problem]:
    if not schema.series:
        yield Problem(
            "the key 'schema.series' is missing.",
            remedy="Name the columns of each time, or the column of values beside schema.time.",
        )
    if schema.quasi:
        yield Problem(
            "schema.quasi has no meaning for the method patterns.",
            remedy="Remove it: the series is what an outsider may know of a person.",
        )
    if promise.l is not None and len(schema.sensitive) != 1:
        yield Problem(
            f"schema.sensitive names {len(schema.sensitive)} columns.",
            remedy="For guarantee.l, name exactly one.",
        )
    if schema.time and promise.granularity is None:
        yield Problem(
            "the key 'guarantee.granularity' is missing.",
            remedy="For a table with a time, it says what two neighbouring times are apart.",
        )
    if not schema.time and promise.granularity is not None:
        yield Problem(
            "guarantee.granularity has no meaning without schema.time.", remedy="Remove it."
        )
    if len(schema.series) > 1:
        for name, times in (("values", promise.values), ("patterns", promise.patterns)):
            for column in times or ():
                if column not in schema.series:
                    yield Problem(
                        f"guarantee.{name} names a column that is not in schema.series.",
                        column=column,
                        remedy="Name it there, or remove it.",
                    )


def _a_time(schema: Schema) -> Iterator[Problem]:
    if not schema.time:
        yield Problem("the key 'schema.time' is missing.", remedy="It is the name of a column.")


def _one_sensitive(schema: Schema, method: str) -> Iterator[Problem]:
    if len(schema.sensitive) != 1:
        yield Problem(
            f"schema.sensitive names {len(schema.sensitive)} columns.",
            remedy=f"For the method {method}, name exactly one.",
        )


def _some_quasi(schema: Schema, what: str) -> Iterator[Problem]:
    if not schema.quasi:
        yield Problem(
            "schema.quasi names no column.",
            remedy=f"For {what}, name what an outsider may know of a person.",
        )


def _grid(schema: Schema, key: str, promise: MInvariance | Reposition) -> Iterator[Problem]:
    yield from _not_quasi(schema, f"{key}.widths", promise.widths, "entry")
    yield from _not_quasi(schema, f"{key}.orders", promise.orders, "entry")
    yield from _not_quasi(schema, f"{key}.domains", promise.domains, "entry")


def _not_quasi(
    schema: Schema, key: str, entries: Iterable[tuple[str, object]], what: str
) -> Iterator[Problem]:
    for column, _ in entries:
        if column not in schema.quasi:
            yield Problem(
                f"{key}.{column} is for a column that is not quasi.",
                column=column,
                remedy=f"Name it in schema.quasi, or remove the {what}.",
            )
