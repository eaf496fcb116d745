"""The form of a release: its layout, and the way in which each column is published.

This is the form. Whether a way is one that the guarantee offered is for the audit to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from anachron.guarantees import Guarantee
from anachron.guarantees.reposition import register_in
from anachron.published.layouts import Layout, layout_of
from anachron.published.margins import MARGINS, check_margins
from anachron.published.strict import Misfit, at, entries, keys
from anachron.published.ways import Way

__all__ = ["COMMON", "Form", "form_of", "read_columns"]

COMMON = ("format", "release", "previous", "guarantee", "columns", "time_zone")
"""What every release states under ``anachron``."""


@dataclass(frozen=True)
class Form:
    """What a release is made of."""

    layout: Layout
    columns: Mapping[str, Way]
    """By their name in the schema."""
    facts: Mapping[str, Any]
    """What the method states beside, as plain values."""

    @property
    def tables(self) -> dict[str, list[str]]:
        """The tables in order, each with its columns in any order."""
        return {name: self.layout.columns_of(name, self.columns) for name in self.layout.tables}


def form_of(guarantee: Guarantee, ours: Mapping[str, Any], place: str) -> Form:
    """Take what a release says of itself, if one with this promise says it so."""
    layout = layout_of(guarantee)
    stated = layout.stated(ours)
    keys(ours, place, (*COMMON, *stated))
    columns = read_columns(layout, ours["columns"], at(place, "columns"))
    _check_named(guarantee, columns, at(place, "guarantee"))
    for name, take in stated.items():
        take(ours[name], at(place, name))
    if MARGINS in stated:
        register = register_in(guarantee)
        step = 0 if register is None else register.margins or 0
        check_margins(ours[MARGINS], at(place, MARGINS), step, columns)
    return Form(layout, columns, {name: ours[name] for name in stated})


def read_columns(layout: Layout, given: Any, place: str) -> dict[str, Way]:
    """Take what is said of the columns of the schema."""
    columns = {
        name: _way(layout, name, said, at(place, name))
        for name, said in entries(given, place).items()
    }
    for role, (least, most) in layout.how_many.items():
        there = sum(way.role == role for way in columns.values())
        if not least <= there <= most:
            raise Misfit(place, f"{there:,} of its columns are {role}")
    return columns


def _way(layout: Layout, column: str, given: Any, place: str) -> Way:
    said = entries(given, place)
    of_role = [way for way in layout.ways if way.role == said.get("role")]
    if not of_role:
        raise Misfit(at(place, "role"), "it is no role that this method knows")
    fitting = [way for way in of_role if way.step == said.get("step")]
    if not fitting:
        raise Misfit(at(place, "step"), "it is no step of this method")
    # Intervals are on a grid of numbers, or by an order of texts.
    fitting.sort(key=lambda way: not way.tells(said))
    return fitting[0].taken(column, said, place)


def _check_named(guarantee: Guarantee, columns: Mapping[str, Way], place: str) -> None:
    """A guarantee says something only of columns that are there."""
    for parts, role, named in guarantee.named():
        if not named <= {name for name, way in columns.items() if way.role == role}:
            what = "time" if role == "series" else "column"
            raise Misfit(reduce(at, parts, place), f"it names a {what} that is not in the release")
