"""What a release can be asked about: its columns, and what was made of each.

All of it is read from the description of the release, from the types of its published columns
and, for examples that fit, from the first rows of its tables.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from decimal import InvalidOperation
from functools import cached_property
from typing import Any, Literal

import pyarrow as pa

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.calendar.zones import to_datetime
from anachron.errors import InputError, ReleaseError
from anachron.published.coded import Kind, kind_of_way
from anachron.published.ways import Granules, LeftOut, Ordered, Parents, Prefix, Snapshots, Way
from anachron.release.read import Release
from anachron.release.tables import TableFile, opened_parquet

__all__ = ["Catalogue", "Column", "Role", "catalogue_of"]

Role = Literal["quasi", "time", "sensitive", "series", "pattern"]
_LOOKED_AT = 256


@dataclass(frozen=True)
class Column:
    """A column of the schema, and what was published of it."""

    way: Way
    """How it was published."""
    storage: pa.DataType | None = None
    """The type of the first of the published columns."""
    example: tuple[object, ...] = ()
    """What one published record shows in the published columns."""

    @property
    def name(self) -> str:
        """What it is called in the schema."""
        return self.way.column

    @property
    def role(self) -> str:
        """Which part it has."""
        return self.way.role

    @property
    def published(self) -> tuple[str, ...]:
        """The columns it was published as; none if it was left out."""
        return self.way.names

    @cached_property
    def kind(self) -> Kind:
        """What its values are."""
        return kind_of_way(self.way, self.storage)

    @property
    def numeric(self) -> bool:
        """Whether sums and means have a meaning."""
        return self.kind in ("whole", "number")

    @property
    def order(self) -> tuple[str, ...]:
        """Of texts with an order: all of them, neighbours side by side."""
        return self.way.order if isinstance(self.way, Ordered) else ()

    @property
    def covers(self) -> Mapping[str, tuple[str, ...]]:
        """Of parents: the values that each published label stands for."""
        return self.way.covers if isinstance(self.way, Parents) else {}

    @property
    def length(self) -> int | None:
        """Of a prefix: how many characters."""
        return self.way.length if isinstance(self.way, Prefix) else None

    @property
    def granularity(self) -> Granularity | None:
        """Of the time: what its granules are."""
        return self.way.granularity if isinstance(self.way, Granules) else None

    @property
    def domain(self) -> tuple[str, ...]:
        """All texts that the column may hold, where they are known."""
        return self.order or tuple(value for some in self.covers.values() for value in some)


@dataclass(frozen=True)
class Catalogue:
    """All that a release can be asked about."""

    method: str
    columns: Mapping[str, Column]
    time_zone: str
    rows: int
    then: str | None = None
    """How groups of a feed are published, ``anatomy``, ``generalize`` or ``invariance``; of those
    of a register, only the first is said."""
    window: int | None = None
    """Of a feed: an event is published at most ``window − 1`` snapshots late."""
    withheld: int | None = None
    """How many records were not published; None where the release does not tell."""
    granularities: Mapping[str, Granularity] = field(default_factory=dict)
    """What time may be grouped by."""
    times: tuple[str, ...] = ()
    """Of series: all times with anything published, in the order of time."""
    patterns: tuple[str, ...] = ()
    """Of series: the times that the patterns cover, in the order of time."""

    @property
    def time(self) -> Column | None:
        """The time column, if there is one."""
        return next((c for c in self.columns.values() if c.role == "time"), None)

    @property
    def is_series(self) -> bool:
        """Whether it is of series, not of records with values."""
        return bool(self.times)

    @property
    def whole_series(self) -> bool:
        """Whether series are of whole numbers, by the type of what is published of them."""
        kinds = [column.storage for column in self.columns.values() if column.role == "series"]
        known = [kind for kind in kinds if kind is not None]
        return bool(known) and all(pa.types.is_integer(kind) for kind in known)

    def with_role(self, *roles: Role) -> list[Column]:
        """The columns of some roles that were published, in the order of the roles."""
        return [
            column
            for role in roles
            for column in self.columns.values()
            if column.role == role and not isinstance(column.way, LeftOut)
        ]

    def find(self, name: str) -> Column | None:
        """The column of that name, whatever the case if only one is meant."""
        if name in self.columns:
            return self.columns[name]
        folded = [c for c in self.columns.values() if c.name.casefold() == name.casefold()]
        return folded[0] if len(folded) == 1 else None

    def nearest(self, name: str) -> str | None:
        """The column that a mistyped name may mean; of a published part, the column itself."""
        folded = name.casefold()
        for column in self.columns.values():
            if folded in (part.casefold() for part in column.published):
                return column.name
        known = {column.casefold(): column for column in self.columns}
        close = difflib.get_close_matches(folded, list(known), n=1, cutoff=0.6)
        return known[close[0]] if close else None


def catalogue_of(release: Release) -> Catalogue:
    """Read what a release can be asked about."""
    try:
        return _catalogue(release)
    except (KeyError, TypeError, ValueError, AttributeError, InvalidOperation, InputError):
        raise ReleaseError(
            f"{release.place} cannot be asked: its description is not as Anachron writes it. "
            "Fetch the release again."
        ) from None


def _catalogue(release: Release) -> Catalogue:
    form, guarantee = release.form, release.guarantee
    tables = {name: _looked_at(table) for name, table in release.tables.items()}
    shown = {way.column: way for way in form.layout.shapes} | dict(form.columns)
    columns = {
        name: _column(way, tables[form.layout.table_of(way.role)]) for name, way in shown.items()
    }
    if "snapshot" in form.facts:
        columns |= _snapshot(form.facts["snapshot"], guarantee, columns)
    times = form.facts.get("times", {})
    values, patterns = (tuple(times.get(of, ())) for of in ("values", "patterns"))
    then = guarantee.get("then")
    return Catalogue(
        method=str(guarantee["method"]),
        columns=columns,
        time_zone=str(release.description["anachron"]["time_zone"]),
        rows=release.rows,
        then=then["method"] if isinstance(then, Mapping) else then,
        window=guarantee.get("window"),
        withheld=_withheld(form.facts, guarantee),
        granularities=_granularities(guarantee, columns),
        times=_in_order(values, patterns),
        patterns=patterns,
    )


def _looked_at(table: TableFile) -> pa.Table:
    """The first rows of a published table, with its types."""
    with opened_parquet(table) as parquet:
        first = next(parquet.iter_batches(batch_size=_LOOKED_AT), None)
        some = [first] if first is not None else []
        return pa.Table.from_batches(some, schema=parquet.schema_arrow)


def _column(way: Way, table: pa.Table) -> Column:
    storage = table.schema.field(way.names[0]).type if way.names else None
    return Column(way, storage, _example(table, way.names))


def _snapshot(
    stated: Mapping[str, Any], guarantee: Mapping[str, Any], columns: Mapping[str, Column]
) -> dict[str, Column]:
    """The time of a release of an m-invariant feed, whose rows do not repeat it."""
    name = "snapshot"
    while name in columns:
        name += "_time"
    start, end = (to_datetime(int(stated[at])).replace(tzinfo=UTC) for at in ("start", "end"))
    way = Snapshots(name, Granularity.from_dict(guarantee["snapshot"]))
    return {name: Column(way, example=(stated["label"], start, end))}


def _example(table: pa.Table, published: Sequence[str]) -> tuple[object, ...]:
    """The published cells of the first record that has some."""
    if not published or not table.num_rows:
        return ()
    shown = zip(*(table.column(name).to_pylist() for name in published), strict=True)
    return next((cells for cells in shown if None not in cells), ())


def _granularities(
    guarantee: Mapping[str, Any], columns: Mapping[str, Column]
) -> dict[str, Granularity]:
    own = [Granularity.from_dict(given) for given in guarantee.get("granularities") or ()]
    published = [c.granularity for c in columns.values() if c.granularity is not None]
    built_in = [Granularity.named(name) for name in BUILT_IN]
    return {granularity.name: granularity for granularity in (*built_in, *own, *published)}


def _withheld(facts: Mapping[str, Any], guarantee: Mapping[str, Any]) -> int | None:
    stated = ("suppressed_rows", "suppressed_series", "dropped_series")
    if any(name in facts for name in stated):
        return sum(int(facts.get(name, 0)) for name in stated)
    # A register without a way to hold records back publishes all of them, or nothing.
    return 0 if guarantee.get("when_ineligible") == "refuse" else None


def _in_order(values: tuple[str, ...], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Merge two lists of times that are each in order; ties go to the first."""
    merged: list[str] = []
    rest = list(patterns)
    for time in values:
        if time in rest:
            at = rest.index(time)
            merged += rest[:at]
            rest = rest[at + 1 :]
        merged.append(time)
    return (*merged, *rest)
