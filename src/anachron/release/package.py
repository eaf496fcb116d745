"""The one reader of ``datapackage.json``: it says what a release is, and refuses all else.

A description follows from a few things: the promise, what the columns mean, the facts of the
method, and for each table its columns, rows and files. Those are read strictly. Then the whole
description is written again from them, and must be the same, byte for byte: there is no key, no
text and no space in it that Anachron did not put there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anachron.errors import InputError, ReleaseError
from anachron.guarantees import Guarantee, from_dict
from anachron.published.form import Form, form_of
from anachron.published.strict import (
    Misfit,
    at,
    canonical,
    entries,
    parsed,
    same,
    text,
    whole,
    zone,
)
from anachron.registry import METHODS
from anachron.release.describe import DESCRIPTION, FORMAT, datapackage
from anachron.release.fetching import LARGEST
from anachron.release.tables import TableFile, check_files, read_tables

__all__ = ["Package", "read_package"]

_OURS = "anachron"
_DIGEST = "[0-9a-f]{64}"


@dataclass(frozen=True, eq=False)
class Package:
    """What a release is, by its description."""

    description: dict[str, Any]
    guarantee: Guarantee
    form: Form
    tables: Mapping[str, TableFile]
    """By name, in the order in which they are described."""


def read_package(folder: Path) -> Package:
    """Read the description of a release; the error says where it is none."""
    file = folder / DESCRIPTION
    if not folder.is_dir():
        raise ReleaseError(f"{folder} is not a folder. A release is one, such as releases/0001.")
    if file.is_symlink() or not file.is_file():
        raise ReleaseError(f"{folder} is not a release: it has no {DESCRIPTION}.")
    if file.stat().st_size > LARGEST:
        raise ReleaseError(f"{file} is too large to be the description of a release.")
    content = file.read_bytes()
    try:
        package = _package(folder, parsed(content))
        _check_spelling(content, package.description)
    except Misfit as misfit:
        raise _none(file, f" ({misfit})") from None
    except (ValueError, OverflowError, RecursionError):
        raise _none(file) from None
    for table in package.tables.values():
        check_files(table)
    return package


def _none(file: Path, where: str = "") -> ReleaseError:
    return ReleaseError(
        f"{file} is not the description of a release, or it was altered{where}. "
        "Do not use it; fetch the release again."
    )


def _package(folder: Path, given: Any) -> Package:
    ours = entries(entries(given, "").get(_OURS), _OURS)
    _check_format(folder, ours.get("format"))
    guarantee = _guarantee(folder, ours.get("guarantee"), at(_OURS, "guarantee"))
    form = form_of(guarantee, ours, _OURS)
    tables = read_tables(folder, given.get("resources"), form.tables)
    number = whole(ours["release"], at(_OURS, "release"), least=1)
    expected = datapackage(
        number=number,
        previous=_previous(ours["previous"], number),
        resources={name: table.written for name, table in tables.items()},
        guarantee=guarantee.to_dict(),
        columns=form.columns,
        time_zone=zone(ours["time_zone"], at(_OURS, "time_zone")),
        **form.facts,
    )
    same(given, expected, "")
    return Package(given, guarantee, form, tables)


def _check_format(folder: Path, given: Any) -> None:
    number = whole(given, at(_OURS, "format"))
    if number != FORMAT:
        raise ReleaseError(
            f"{folder / DESCRIPTION} is of format {number}, this version of Anachron reads "
            f"{FORMAT}. Use a newer version."
        )


def _guarantee(folder: Path, given: Any, place: str) -> Guarantee:
    """Take a promise that, read and written again, is what it was."""
    method = entries(given, place).get("method")
    if isinstance(method, str) and method not in METHODS:
        raise ReleaseError(
            f"{folder} promises something that this version does not know. Use a newer version."
        )
    try:
        promise = from_dict(given)
        written = promise.to_dict()
    except (InputError, KeyError, TypeError, ValueError, AttributeError):
        raise Misfit(place, "it is no promise that this version knows") from None
    same(given, written, place)
    return promise


def _previous(given: Any, number: int) -> str | None:
    """Take the digest of the description before it; only the first release has none."""
    place = at(_OURS, "previous")
    if number > 1:
        return text(given, place, _DIGEST)
    same(given, None, place)
    return None


def _check_spelling(content: bytes, description: Mapping[str, Any]) -> None:
    """Demand the one way to write these values: no other space, order, or way to write a letter."""
    expected = canonical(description)
    if content != expected:
        lines = zip(content.split(b"\n"), expected.split(b"\n"), strict=False)
        line = next((n for n, (one, other) in enumerate(lines, 1) if one != other), 0)
        where = f"line {line:,}" if line else "the end"
        raise Misfit(where, "it is not written as Anachron writes it")
