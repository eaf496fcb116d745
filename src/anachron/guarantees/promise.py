"""What all promises have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

from anachron.errors import Problem
from anachron.parts.part import Plain, parts_of
from anachron.schema import EACH_ROW, Schema

__all__ = ["Promise", "a_time", "no_series", "one_sensitive", "some_quasi", "somebody"]


class Promise(Plain, ABC):
    """What is promised, as a frozen value: a dataclass of parts."""

    method: ClassVar[str]
    """The name of the method that keeps it."""
    one_spelling: ClassVar[bool] = True
    """Whether sensitive values that differ only in spelling are published as one."""
    bytes_a_row: ClassVar[int] = 260
    """The memory that a row of the table takes while its release is made and verified; measured."""
    lies_aside: ClassVar[bool] = False
    """Whether rows that do not fit into memory may lie on a disk meanwhile."""

    def __repr__(self) -> str:
        told = {
            name: part.kind.show(getattr(self, name))
            for name, part in parts_of(type(self)).items()
            if part.shown and getattr(self, name) and getattr(self, part.only_with or name)
        }
        return f"{type(self).__name__}({', '.join(f'{n}={text}' for n, text in told.items())})"

    def to_dict(self) -> dict[str, Any]:
        """Give the guarantee as plain values, for plans, ledgers and releases."""
        return {"method": self.method, **super().to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read back what :meth:`to_dict` gave."""
        return super().from_dict({n: value for n, value in values.items() if n != "method"})

    def misfits(self, schema: Schema) -> Iterator[Problem]:
        """List what it needs of a schema, and the columns that it names and a schema does not."""
        yield from self._needs(schema)
        yield from self._unknown(schema, "guarantee")

    def named(self) -> Iterator[tuple[tuple[str, ...], str, frozenset[str]]]:
        """Give each part that names columns: where it stands, and which it names of which role."""
        for name, part in parts_of(type(self)).items():
            kept = getattr(self, name)
            if isinstance(kept, Promise):
                for place, role, columns in kept.named():
                    yield (name, *place), role, columns
            elif part.by_column:
                yield (name,), "quasi", frozenset(column for column, _ in kept)
            elif part.of_times:
                yield (name,), "series", frozenset(kept or ())

    @abstractmethod
    def _needs(self, schema: Schema) -> Iterator[Problem]:
        """List what it needs of a schema."""

    def _unknown(self, schema: Schema, place: str) -> Iterator[Problem]:
        for name, part in parts_of(type(self)).items():
            kept = getattr(self, name)
            if isinstance(kept, Promise):
                yield from kept._unknown(schema, f"{place}.{name}")
            for column, _ in kept if part.by_column else ():
                if column not in schema.quasi:
                    yield Problem(
                        f"{place}.{name}.{column} is for a column that is not quasi.",
                        column=column,
                        remedy=f"Name it in schema.quasi, or remove the {part.by_column}.",
                    )


def somebody(schema: Schema, why: str) -> Iterator[Problem]:
    """Ask for columns that tell people apart."""
    if schema.each_row:
        yield Problem(
            f"schema.subject is {EACH_ROW!r}, and {why}.",
            remedy="Name the column that tells people apart, or the columns that do so together.",
        )


def no_series(schema: Schema, method: str) -> Iterator[Problem]:
    """Refuse series."""
    if schema.series:
        yield Problem(
            f"schema.series has no meaning for the method {method}.",
            remedy="Remove it, or give its columns another role.",
        )


def a_time(schema: Schema) -> Iterator[Problem]:
    """Ask for a time."""
    if not schema.time:
        yield Problem("the key 'schema.time' is missing.", remedy="It is the name of a column.")


def one_sensitive(schema: Schema, what: str) -> Iterator[Problem]:
    """Ask for one sensitive column, and no more."""
    if len(schema.sensitive) != 1:
        yield Problem(
            f"schema.sensitive names {len(schema.sensitive)} columns.",
            remedy=f"For {what}, name exactly one.",
        )


def some_quasi(schema: Schema, what: str) -> Iterator[Problem]:
    """Ask for a quasi column."""
    if not schema.quasi:
        yield Problem(
            "schema.quasi names no column.",
            remedy=f"For {what}, name what an outsider may know of a person.",
        )
