"""The folder that is worked on, and what may be opened outside of it: what its owner chose."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from anachron.errors import PlanError, Refusal
from anachron.plan.source import ending

__all__ = ["Folder", "NotChosen", "is_table"]

_TABLES = (".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".jsonl", ".ndjson",
           ".xlsx", ".xlsm", ".ods", ".dta", ".sav", ".zsav", ".sas7bdat", ".xpt")  # fmt: skip
"""Endings of files that may hold a table, packing apart."""
_DEEP = 2
"""Plans are looked for so many folders down."""
_MANY = 500
"""No more files than these are listed."""
_NAME = re.compile(r"[\w][\w .()+-]{0,120}")
"""A file name that means the same everywhere, and hides nothing."""


class NotChosen(Refusal):
    """A file outside the folder that nobody chose to open yet."""

    def __init__(self, place: str) -> None:
        self.place = place
        super().__init__(
            f"{place} lies outside this folder. It is opened once you choose it on the page Table."
        )


def is_table(name: str) -> bool:
    """Whether a file may hold a table, by its name."""
    return ending(name) in _TABLES and not name.startswith(".")


@dataclass(frozen=True)
class Folder:
    """A folder, and the places outside that were chosen on the page."""

    root: Path
    _chosen: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def choose(self, place: str) -> None:
        """Let a file outside be opened from now on, until the page is closed."""
        with self._lock:
            self._chosen.add(self._real(place))

    def holds(self, place: str | Path) -> bool:
        """Whether something lies inside, wherever links lead."""
        return Path(self._real(str(place))).is_relative_to(self.root)

    def check(self, place: str | Path) -> None:
        """Refuse what lies outside and was not chosen."""
        if not self.holds(place) and self._real(str(place)) not in self._chosen:
            raise NotChosen(str(place))

    def _real(self, place: str) -> str:
        if _is_address(place):
            return place
        return os.path.realpath(self.root / place)

    def shown(self, place: str | Path) -> str:
        """Say where something is: from the folder, if it lies there."""
        text = str(place)
        if _is_address(text):
            return text
        real = self._real(text)
        return os.path.relpath(real, self.root) if self.holds(text) else real

    def file(self, name: str) -> Path:
        """A file that is there and may be opened, by the name that a page was asked with."""
        if "\0" in name or not name:
            raise PlanError("that is not the name of a file.")
        self.check(name)
        path = Path(self._real(name))
        if not path.is_file():
            raise PlanError("is not there.", file=self.shown(name))
        return path

    def plan_file(self, name: str) -> Path:
        """A plan by its name; plans lie inside."""
        path = Path(self._real(name)) if "\0" not in name else self.root
        if path.suffix != ".toml" or not path.is_relative_to(self.root) or not path.is_file():
            raise PlanError("there is no such plan in this folder.")
        return path

    def new_file(self, name: str, endings: tuple[str, ...] = ()) -> Path:
        """The place of a file that is to be made in the folder; none that exists is touched."""
        if not _NAME.fullmatch(name) or (endings and not name.endswith(endings)):
            told = f" and end with {' or '.join(endings)}" if endings else ""
            raise PlanError(f"a name may have letters, digits, and . - _ ( ) +{told}.")
        path = self.root / name
        if os.path.lexists(path):
            raise PlanError("exists already.", file=name, remedy="Choose another name.")
        return path

    def tables(self) -> list[str]:
        """Files that may hold a table."""
        found = (path for path in self._walk(self.root, 0) if is_table(path.name))
        return sorted(os.path.relpath(path, self.root) for path in found)[:_MANY]

    def plans(self) -> list[str]:
        """Files that may be plans."""
        found = (path for path in self._walk(self.root, 0) if path.suffix == ".toml")
        return sorted(os.path.relpath(path, self.root) for path in found)[:_MANY]

    def _walk(self, folder: Path, depth: int) -> Iterator[Path]:
        try:
            there = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            return
        for entry in there:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_file():
                yield Path(entry.path)
            elif entry.is_dir() and depth < _DEEP and not _is_ours(Path(entry.path)):
                yield from self._walk(Path(entry.path), depth + 1)


def _is_address(place: str) -> bool:
    """Whether it is the table of a database, or comes from afar: no path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", place) is not None


def _is_ours(folder: Path) -> bool:
    """Whether a folder is a release or a ledger, which hold no tables to publish."""
    return any((folder / name).exists() for name in ("datapackage.json", "catalog.sqlite"))
