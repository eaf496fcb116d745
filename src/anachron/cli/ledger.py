"""``anachron ledger``: look at the memory of what was published."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import PATH, json_option
from anachron.registry import METHODS
from anachron.stores import placed

if TYPE_CHECKING:
    from anachron.ledger import Ledger

__all__ = ["ledger"]

_place = click.argument("folder", metavar="LEDGER", type=PATH)


@click.group(short_help="Show, check or recover a ledger; its key and witness.")
def ledger() -> None:
    """Look at the ledger: the owner's memory of what was published."""


@ledger.command(short_help="List the releases that a ledger knows.")
@_place
@json_option
def show(folder: Path) -> Answer:
    """List the releases that LEDGER knows, and say where a feed stands."""
    from anachron.flow import standing

    known = _open(folder)
    entries: list[dict[str, Any]] = [
        {
            "number": entry.number,
            "folder": str(entry.path),
            "committed_at": entry.committed_at,
            "in_place": entry.exposed,
            "guarantee": entry.plan.get("guarantee"),
            "as_of": entry.plan.get("as_of"),
            "snapshot": entry.snapshot,
        }
        for entry in known.entries()
    ]
    rows = [
        (
            f"{e['number']:04d}",
            e["committed_at"],
            _promise(e["guarantee"]) + (f", as of {e['as_of']}" if e["as_of"] else ""),
            shown(placed(e["folder"])),
        )
        for e in entries
    ]
    feed = standing(folder)
    title = f"Ledger {known.id[:8]} in {shown(folder)}: {len(entries)} releases"
    data: dict[str, Any] = {"ledger": str(folder), "id": known.id, "releases": entries}
    data["feed"] = None if feed is None else feed.to_dict()
    text = [title, *([] if feed is None else [f"  {feed}", f"  {feed.books}"]), *aligned(rows)]
    return Answer(data, "\n".join(text))


@ledger.command(short_help="Check that a ledger and its releases are whole.")
@_place
@json_option
def check(folder: Path) -> Answer:
    """Check that LEDGER and the releases it knows are whole; exit with 1 if not."""
    problems = _open(folder).check()
    text = "\n".join(problems) if problems else "The ledger and its releases are whole."
    data = {"ledger": str(folder), "whole": not problems, "problems": problems}
    return Answer(data, text, 1 if problems else 0)


@ledger.command(short_help="Finish or remove what a crash left behind.")
@_place
@json_option
def recover(folder: Path) -> Answer:
    """Finish or remove what a crash left behind in LEDGER. Publishing does so by itself."""
    done = _open(folder).recover()
    text = "\n".join(done) if done else "There was nothing to recover."
    return Answer({"ledger": str(folder), "done": done}, text)


@ledger.command(short_help="Say where the key of a ledger is, or move it out.")
@_place
@click.option(
    "--move",
    "to",
    metavar="FOLDER",
    type=PATH,
    help="Move the key into a folder of keys, which ANACHRON_KEYS must name from then on.",
)
@json_option
def key(folder: Path, to: Path | None) -> Answer:
    """Say where the key of LEDGER is, or move it to a place of its own.

    Who copies a ledger without its key learns nothing of the people in it.
    """
    known = _open(folder)
    file = known.key_file if to is None else known.move_key(to)
    text = f"The key is {shown(file)}."
    if to is not None:
        text += f"\nFrom now on set ANACHRON_KEYS to {shown(file.parent)}, and keep a backup of it."
    return Answer({"ledger": str(folder), "key": str(file)}, text)


@ledger.command(short_help="Say what the witness of a ledger has seen, or begin one.")
@_place
@click.option(
    "--at",
    metavar="FOLDER",
    type=PATH,
    help="Begin one in a folder of witnesses, which ANACHRON_WITNESS must name from then on.",
)
@json_option
def witness(folder: Path, at: Path | None) -> Answer:
    """Say what the witness of LEDGER has seen, or begin one in a place of its own.

    With a witness, an older copy of the ledger cannot go on in the place of the newest, even if
    its releases were moved away.
    """
    known = _open(folder)
    found = known.witness(at)
    data: dict[str, Any] = {"ledger": str(folder), "witness": None}
    if found is None:
        return Answer(data, "The ledger has no witness. Begin one with --at.")
    file, seen = found
    text = f"The witness {shown(file)} has seen {seen.releases} releases"
    text += f" and {seen.pushes} pushes." if seen.pushes else "."
    if at is not None:
        text += f"\nFrom now on set ANACHRON_WITNESS to {shown(file.parent)}."
    told = {"file": str(file), "releases": seen.releases, "pushes": seen.pushes}
    return Answer({**data, "witness": told}, text)


def _open(folder: Path) -> Ledger:
    from anachron.ledger import Ledger

    return Ledger.open(folder, create=False)


def _promise(guarantee: Any) -> str:
    known = guarantee or {}
    method = known.get("method", "?")
    letter = METHODS[method].letter if method in METHODS else "k"
    return f"{method}, {letter} = {known.get(letter, '?')}"
