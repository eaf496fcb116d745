"""What a question, an audit or an attack starts from: releases, and what their owner can show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from anachron.errors import InputError, ReleaseError
from anachron.progress import Tell
from anachron.schema import Schema
from anachron.scratch import near
from anachron.stores import Address, placed

if TYPE_CHECKING:
    from anachron.auditing.history import FeedPast, History, TablePast
    from anachron.behind import Large, Microdata
    from anachron.ledger import Entry
    from anachron.release import Release

    Past = History | FeedPast | TablePast | None

__all__ = [
    "Evidence",
    "Place",
    "Progress",
    "Where",
    "check_sound",
    "evidence",
    "holds_releases",
    "releases_of",
    "remembered_of",
    "roles_of",
    "rows_of",
]

_NUMBER = re.compile(r"\d{4,}")

Progress = Tell | bool
"""A function that hears what is being done, and which share of the work is done; or whether to
show it."""
Place = str | PathLike[str]
"""Where something is on disk."""
Where = Place | Address
"""Where a release is: on disk, or in a store."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A release, what the ledger knows of it, and the rows it was made from."""

    release: Release
    entry: Entry | None
    past: Past
    earlier: tuple[Release, ...]
    """Releases before it that the ledger knows and that are still there."""
    schema: Schema | None
    microdata: Microdata | None


@contextmanager
def evidence(
    release: Release | Where,
    *,
    table: object | None = None,
    schema: Schema | None = None,
    ledger: Place | None = None,
    judged: bool = False,
    passing: bool = False,
) -> Iterator[Evidence]:
    """Gather what there is of a release; the table is closed in the end.

    Unless it is to be judged, a release that holds anything else is refused before the table is
    read. Who only judges it may have ``passing`` rows, if its promise is judged so.
    """
    (opened,) = releases_of([release])
    entry, past, earlier = remembered_of(opened, ledger)
    if not judged:
        check_sound(opened, entry)
    if table is None:
        known = schema if entry is None else roles_of(schema, entry)
        with near(ledger):
            yield Evidence(opened, entry, past, earlier, known, None)
        return
    schema = roles_of(schema, entry)
    passing = passing and _passes([opened])
    with near(ledger), rows_of(table, schema, passing=passing) as microdata:
        # Who did not ask for rows that pass by gets none.
        yield Evidence(opened, entry, past, earlier, schema, cast("Microdata", microdata))


def _passes(releases: Sequence[Release]) -> bool:
    from anachron.auditing.run import passes

    return all(passes(release.guarantee) for release in releases)


@contextmanager
def rows_of(table: object, schema: Schema, *, passing: bool = False) -> Iterator[Microdata | Large]:
    """The rows that a release was made from, all of them; they are let go in the end.

    Those that do not fit into memory are held, unless they may pass by.
    """
    from anachron.auditing.records import check_count
    from anachron.behind import read, read_aside

    with closing((read_aside if passing else read)(table, schema)) as microdata:
        check_count(table, len(schema.columns), microdata.rows)
        yield microdata


def roles_of(schema: Schema | None, entry: Entry | None) -> Schema:
    """The roles of a table's columns: as given, or else as the ledger remembers them."""
    if schema is not None:
        return schema
    if entry is None:
        raise InputError("with the table, give its schema, or the ledger, which remembers it.")
    return Schema.from_dict(entry.plan["schema"])


def releases_of(given: Release | Where | Sequence[Release | Where]) -> tuple[Release, ...]:
    """Open a release, several, or all that a folder holds."""
    from anachron.release import Release

    if isinstance(given, Release):
        return (given,)
    if isinstance(given, str | PathLike | Address):
        place = placed(given)
        if holds_releases(place):
            return tuple(map(Release, _numbered(place)))
        return (Release(place),)
    return tuple(release for one in given for release in releases_of(one))


def holds_releases(folder: Where) -> bool:
    """Whether a folder is not a release but one of releases: ``0001``, ``0002``, …"""
    place = placed(folder)
    if isinstance(place, Address):
        from anachron.ledger.sending import is_there

        with _looking(place):
            return not is_there(place) and bool(_numbered(place))
    return not (place / "datapackage.json").exists() and bool(_numbered(place))


def _numbered(folder: Path | Address) -> list[Path] | list[Address]:
    if isinstance(folder, Address):
        from anachron.ledger.sending import numbers_at

        with _looking(folder):
            return [folder / f"{number:04d}" for number in numbers_at(folder)]
    found = (path for path in folder.glob("[0-9]*") if _NUMBER.fullmatch(path.name))
    return sorted((path for path in found if path.is_dir()), key=lambda path: int(path.name))


def _looking(place: Address) -> AbstractContextManager[None]:
    from anachron.release.durable import failures_as

    return failures_as(ReleaseError, f"Looking for releases at {place}")


def check_sound(release: Release, entry: Entry | None) -> None:
    """Refuse a release that holds anything beside what was published, before it is used."""
    from anachron.release.read import examined

    examined(release, None if entry is None else entry.files)


def remembered_of(
    release: Release, ledger: Place | None
) -> tuple[Entry | None, Past, tuple[Release, ...]]:
    """What the ledger recorded of a release, and of those before it."""
    if ledger is None:
        return None, None, ()
    from anachron.auditing.history import remembered, still_there
    from anachron.ledger import Ledger

    held = Ledger.open(Path(ledger), create=False)
    entries = held.entries()
    if not 1 <= release.number <= len(entries):
        raise InputError(
            f"the ledger does not know release {release.number}. "
            "Give the ledger it was published with."
        )
    known = entries[: release.number]
    return known[-1], remembered(held, known), still_there(known[:-1])
