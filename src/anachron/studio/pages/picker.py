"""The file picker: the one way to a file outside the folder, by a choice of its owner."""

from __future__ import annotations

import os
from pathlib import Path

from starlette.responses import Response

from anachron.errors import InputError
from anachron.studio.folder import is_table
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]

_MANY = 1_000
"""No more files of a folder are listed."""


def show(visit: Visit) -> Response:
    """The folders and tables of a folder, by their names alone."""
    at = Path(os.path.realpath(visit.said("at") or visit.studio.folder.root))
    try:
        there = sorted(os.scandir(at), key=lambda entry: entry.name.casefold())[:_MANY]
        there = [entry for entry in there if not entry.name.startswith(".")]
        folders = [entry.name for entry in there if entry.is_dir()]
        tables = [entry.name for entry in there if entry.is_file() and is_table(entry.name)]
    except (OSError, ValueError):
        raise InputError("cannot be opened.", str(at)) from None
    return visit.page("picker.html", at=at, folders=folders, tables=tables)


def take(visit: Visit) -> Response:
    """Choose a file, or whatever a plan names outside."""
    place = visit.said("place")
    if not place:
        raise InputError("nothing was chosen.")
    visit.studio.folder.choose(place)
    if plan := visit.said("plan"):
        return visit.see("/table", plan=plan)
    return visit.see("/table", file=place)


VIEWS = (View("/pick", show, take, writes=False),)
