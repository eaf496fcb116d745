"""What all pages share while the process runs; everything else is in the folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from anachron.studio.aside import Aside
from anachron.studio.explored import Explorations
from anachron.studio.folder import Folder
from anachron.studio.keys import Keys
from anachron.studio.shelf import Shelf
from anachron.studio.tables import Tables
from anachron.studio.work import Works

__all__ = ["UPLOAD_MOST", "Studio"]

UPLOAD_MOST = 1 << 30
"""Bytes that a file may have that is dropped on the page; larger ones are chosen where they lie."""


@dataclass(frozen=True)
class Studio:
    """A folder that is open, by whom it may be, and what goes on in it."""

    folder: Folder
    keys: Keys = field(default_factory=Keys)
    read_only: bool = False
    upload: int = UPLOAD_MOST
    tables: Tables = field(default_factory=Tables)
    shelf: Shelf = field(default_factory=Shelf)
    works: Works = field(default_factory=Works)
    aside: Aside = field(default_factory=Aside)
    explorations: Explorations = field(default_factory=Explorations)

    @classmethod
    def of(cls, folder: Path, *, read_only: bool = False, upload: int = UPLOAD_MOST) -> Studio:
        """Open a folder."""
        return cls(Folder(folder.resolve(strict=True)), read_only=read_only, upload=upload)

    def close(self) -> None:
        """Stop what still runs, and let go of what was looked at."""
        self.works.stop_all()
        self.explorations.stop_all()
        self.tables.close()
        self.shelf.close()
        self.aside.close()
