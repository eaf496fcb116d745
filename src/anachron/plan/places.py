"""Where things lie: paths and database addresses of a plan."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

from anachron.errors import Problem
from anachron.stores import Address, Place, holds_key

__all__ = [
    "absolute",
    "key_problems",
    "password_problems",
    "place_problems",
    "relative",
    "table_file",
]

_FILE_DATABASE = re.compile(r"(duckdb|sqlite):(?!//)(.*)", re.DOTALL)
_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|postgres(ql)?:")
_PASSWORDS = (
    # scheme://user:password@host, whatever the password holds: @, / and ? included. What is
    # no password is a port, and after it the name of a user with @ in it.
    re.compile(rf"^({_SERVER.pattern})[^/@?]*:(?!\d+(/[^@?]*)?\?[^@]*=)[^@]+@"),
    # …?password=, &sslpassword=, or the words "host=… password=…" in the place of an address.
    re.compile(r"(password|passwd|secret)\s*=\s*[^&#\s]", re.IGNORECASE),
)


def absolute(text: str, folder: Path) -> str:
    """Make the path in a text absolute; the address of a server stays as it is."""
    # abspath, not realpath: a link keeps the name by which the owner knows it.
    return _of_path(text, lambda path: os.path.abspath(folder / Path(path).expanduser()))  # noqa: PTH100


def relative(text: str, folder: Path) -> str:
    """Write a path as seen from a folder if it lies inside it; the way back of `absolute`."""
    base = Path(absolute(".", folder.absolute()))

    def inside(path: str) -> str:
        if not Path(path).is_relative_to(base):
            return path
        within = Path(path).relative_to(base).as_posix()
        # A name such as "sqlite:x" would be read as an address.
        return f"./{within}" if ":" in within else within

    return _of_path(text, inside)


def _of_path(text: str, change: Callable[[str], str]) -> str:
    """Change the path in a text, also that of a database; the address of a server has none."""
    if _SERVER.match(text):
        return text
    database = _FILE_DATABASE.match(text)
    if database:
        file, mark, name = _split(database[2])
        return f"{database[1]}:{_of_path(file, change)}{mark}{name}"
    return change(text)


def table_file(table: str) -> Path | None:
    """The file or folder that a table lies in, if it is one."""
    if _SERVER.match(table):
        return None
    database = _FILE_DATABASE.match(table)
    return Path(_split(database[2])[0]) if database else Path(table)


def password_problems(table: str) -> Iterator[Problem]:
    """Refuse an address with a password, which would be read in plans, histories and lists.

    Also what was meant as one: signs that an address may not hold as they are do not hide it.
    """
    if any(mark.search(text) for text in (table, unquote(table)) for mark in _PASSWORDS):
        yield Problem(
            "the address of the table holds a password, which others could read in the plan, in "
            "the history of the shell and in the list of processes.",
            remedy="Leave it out, and give it to the driver: in the environment variable "
            "PGPASSWORD, in the file ~/.pgpass (mode 0600), or in a service file, as "
            "postgresql:///?service=NAME#TABLE.",
        )


def key_problems(table: str) -> Iterator[Problem]:
    """Refuse an address with a key or a signature of a store, which is a password, too."""
    if _SERVER.match(table) and holds_key(table):
        yield Problem(
            "the address of the table holds a key or a signature, which others could read in the "
            "plan, in the history of the shell and in the list of processes.",
            remedy="Leave it out, and give it to the store in the environment, such as in "
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or copy the file first.",
        )


def place_problems(table: str, releases: Place, ledger: Path) -> Iterator[Problem]:
    """What must not lie inside what, links followed."""
    places = {"table": table, "releases": str(releases), "ledger": str(ledger)}
    broken = [name for name, place in places.items() if "\0" in place]
    yield from (Problem(f"{_KEY[name]} is not a path.") for name in broken)
    if broken:
        return
    source = table_file(table)
    if isinstance(releases, Path):
        yield from _nested(releases, ledger)
    if _is_among(table, source, releases):
        yield Problem(
            "source.table lies inside destination.releases, which is meant to be handed out.",
            remedy="Choose another folder for the releases.",
        )
    for name, place in (("releases", releases), ("ledger", ledger)):
        if source is not None and isinstance(place, Path) and _inside(place, source):
            yield Problem(
                f"{_KEY[name]} is the source itself, or lies inside it.",
                remedy="Choose another folder.",
            )


_KEY = {"table": "source.table", "releases": "destination.releases", "ledger": "destination.ledger"}


def _nested(releases: Path, ledger: Path) -> Iterator[Problem]:
    """The ledger stays with its owner, and releases do not."""
    if _inside(releases, ledger):
        yield Problem(
            "destination.releases lies inside the ledger, which must stay with the owner.",
            remedy="Choose two folders, neither inside the other.",
        )
    elif _inside(ledger, releases):
        yield Problem(
            "destination.ledger lies inside the releases, which are meant to be handed out.",
            remedy="Choose two folders, neither inside the other.",
        )


def _is_among(table: str, source: Path | None, releases: Place) -> bool:
    """Whether a table lies where its releases are to be."""
    if isinstance(releases, Address):
        return releases.holds(table)
    return source is not None and _inside(source, releases)


def _inside(inner: Path, outer: Path) -> bool:
    """Whether a path is another one or lies below it."""
    steps = [inner, *inner.parents]
    real = Path(os.path.realpath(inner))
    steps += [real, *real.parents]
    if outer in steps or Path(os.path.realpath(outer)) in steps:
        return True
    try:
        # The same folder by another spelling, where upper and lower case are one.
        return outer.exists() and any(step.exists() and step.samefile(outer) for step in steps)
    except OSError:
        return False


def _split(database: str) -> tuple[str, str, str]:
    """The file, the mark and the table of FILE#TABLE."""
    file, mark, name = database.rpartition("#")
    return (file, mark, name) if mark else (database, "", "")
