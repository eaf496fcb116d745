"""What a release can be asked about: its columns, and what was made of each.

All of it is read from the description of the release, from the types of its published columns
and, for examples that fit, from the first rows of its tables.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, cast

import pyarrow as pa

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.errors import InputError, ReleaseError
from anachron.published import ways
from anachron.release.read import Release
from anachron.release.tables import TableFile, opened_parquet

__all__ = ["Catalogue", "Column", "Form", "Kind", "Role", "catalogue_of"]

Role = Literal["quasi", "time", "sensitive", "series", "pattern"]
Form = Literal[
    "exact", "interval", "ordered", "bins", "prefix", "parents", "granules", "snapshots", "series",
    "left out",
]  # fmt: skip
Kind = Literal["whole", "number", "text", "boolean", "date", "instant", "series", "other"]

_FORMS: dict[type[ways.Way], Form] = {
    ways.AsItIs: "exact",
    ways.Content: "exact",
    ways.Bins: "bins",
    ways.Interval: "interval",
    ways.Ordered: "ordered",
    ways.LeftOut: "left out",
    ways.Parents: "parents",
    ways.Prefix: "prefix",
    ways.Granules: "granules",
    ways.Snapshots: "snapshots",
    ways.Envelope: "series",
}
_LOOKED_AT = 256


@dataclass(frozen=True)
class Column:
    """A column of the schema, and what was published of it."""

    name: str
    role: Role
    form: Form
    kind: Kind
    published: tuple[str, ...] = ()
    """The columns it was published as."""
    storage: pa.DataType | None = None
    """The type of the first of them."""
    order: tuple[str, ...] = ()
    """Of an ordered column: all its values, neighbours side by side."""
    covers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of parents: the values that each published label stands for."""
    width: Decimal | None = None
    """Of intervals and bins of numbers: the least width."""
    origin: Decimal | None = None
    """Of bins: where one of them begins."""
    length: int | None = None
    """Of a prefix: how many characters."""
    granularity: Granularity | None = None
    """Of the time: what its granules are."""
    example: tuple[object, ...] = ()
    """What one published record shows in the published columns."""

    @property
    def numeric(self) -> bool:
        """Whether sums and means have a meaning."""
        return self.kind in ("whole", "number")

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
    """Of a feed: how its snapshots are published, ``anatomy``, ``generalize`` or ``invariance``."""
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
            if column.role == role and column.form != "left out"
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
            f"{release.path} cannot be asked: its description is not as Anachron writes it. "
            "Fetch the release again."
        ) from None


def _catalogue(release: Release) -> Catalogue:
    ours, guarantee = release.description["anachron"], release.guarantee
    tables = {name: _looked_at(table) for name, table in release.tables.items()}
    columns = {
        name: _column(way, _table_of(way, tables)) for name, way in release.form.columns.items()
    }
    if "times" in ours:
        columns = {**_of_patterns(tables["data"]), **columns}
    values, patterns = (tuple(ours.get("times", {}).get(x, ())) for x in ("values", "patterns"))
    then = guarantee.get("then")
    return Catalogue(
        method=str(guarantee["method"]),
        columns=columns,
        time_zone=str(ours["time_zone"]),
        rows=release.rows,
        then=then["method"] if isinstance(then, Mapping) else then,
        window=guarantee.get("window"),
        withheld=_withheld(ours, guarantee),
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


def _table_of(way: ways.Way, tables: Mapping[str, pa.Table]) -> pa.Table:
    """The table that holds a column: envelopes may use the name of a column of another."""
    if isinstance(way, ways.Envelope):
        return tables["envelopes"]
    published = set(way.names)
    return next((t for t in tables.values() if published <= {*t.column_names}), tables["data"])


def _column(way: ways.Way, table: pa.Table) -> Column:
    storage = table.schema.field(way.names[0]).type if way.names else None
    return Column(
        name=way.column,
        role=cast(Role, way.role),
        form=_FORMS[type(way)],
        kind=_kind(way.role, storage),
        published=way.names,
        storage=storage,
        order=way.order if isinstance(way, ways.Ordered) else (),
        covers=way.covers if isinstance(way, ways.Parents) else {},
        width=way.width if isinstance(way, ways.Bins | ways.Interval) else None,
        origin=way.origin if isinstance(way, ways.Bins) else None,
        length=way.length if isinstance(way, ways.Prefix) else None,
        granularity=way.granularity if isinstance(way, ways.Granules) else None,
        example=_example(table, way.names),
    )


def _of_patterns(table: pa.Table) -> dict[str, Column]:
    """What is published of the shape of a series: letters, and from how many they are taken."""
    return {
        name: Column(
            name=name,
            role="pattern",
            form="exact",
            kind=_kind("pattern", table.schema.field(name).type),
            published=(name,),
            storage=table.schema.field(name).type,
            example=_example(table, (name,)),
        )
        for name in ("level", "pattern")
    }


def _kind(role: str, storage: pa.DataType | None) -> Kind:
    if role in ("time", "series"):
        return "instant" if role == "time" else "series"
    if storage is None:
        return "other"
    return next((kind for kind, matches in _KINDS if matches(storage)), "other")


_KINDS: tuple[tuple[Kind, Any], ...] = (
    ("boolean", pa.types.is_boolean),
    ("whole", pa.types.is_integer),
    ("number", pa.types.is_floating),
    ("number", pa.types.is_decimal),
    ("text", pa.types.is_string),
    ("text", pa.types.is_large_string),
    ("date", pa.types.is_date),
    ("instant", pa.types.is_timestamp),
)


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


def _withheld(ours: Mapping[str, Any], guarantee: Mapping[str, Any]) -> int | None:
    stated = ("suppressed_rows", "suppressed_series", "dropped_series")
    if any(name in ours for name in stated):
        return sum(int(ours.get(name, 0)) for name in stated)
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
