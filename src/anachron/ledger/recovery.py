"""Put right what a crash left behind, and notice when the ledger is not up to date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from anachron.errors import LedgerError
from anachron.ledger.catalog import Catalog
from anachron.ledger.entry import Entry
from anachron.ledger.feed import forget, leftovers
from anachron.ledger.folder import discard, unfinished
from anachron.ledger.sending import OUTGOING, damage_there, is_sent, numbers_at, send
from anachron.ledger.state import STATE, state_file
from anachron.ledger.witness import check, file_of, witnessed
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import digest_of, move, remove, sync_folder
from anachron.stores import Address, NoSuchPlace, Place, digest_at, opened

__all__ = [
    "check_up_to_date",
    "damage",
    "expose",
    "finish",
    "numbers_in",
    "settle",
    "staging_folder",
]

_NUMBER = re.compile(r"\d{4,}")


def staging_folder(to: Place, ledger: Path, ledger_id: str, number: int) -> Path:
    """Where a release is put together: hidden, beside its final place, and known as ours.

    What goes to a store waits in the ledger until it is there.
    """
    beside = ledger / OUTGOING if isinstance(to, Address) else to
    return beside / f".anachron-{ledger_id}-{number:04d}"


def settle(catalog: Catalog, ledger: Path) -> list[str]:
    """Finish what was committed and remove what was not; say what was done.

    The caller is the only writer. What was marked as done is durable once he commits.
    """
    entries = catalog.entries()
    ours = {entry.to for entry in entries}
    # Where nothing was published after all, there may be releases of others by now.
    check_up_to_date(entries, numbers_in(ours, entries))
    witness = file_of(catalog.identify())
    check(catalog, witness)
    places = sorted({*catalog.places(), *ours}, key=str)
    unrecorded = leftovers(ledger, catalog.feed())
    id_ = catalog.identify()
    done: list[str] = []
    # What is exposed was seen before.
    witnessed(catalog, witness)
    for entry in entries:
        if not entry.exposed:
            done.append(finish(entry, staging_folder(entry.to, ledger, id_, entry.number)))
            catalog.mark_exposed(entry)
    folders = [ledger / OUTGOING, *(place for place in places if isinstance(place, Path))]
    for folder in sorted(file for place in folders for file in place.glob(f".anachron-{id_}-*")):
        remove(folder)
        done.append(f"Removed {folder}, an unfinished release that was never recorded.")
    for place in sorted({*places} - ours, key=str):
        catalog.forget_place(place)
        done.append(f"{place} holds no release of this ledger, and is not looked into any more.")
    for folder in unfinished(ledger):
        if discard(folder):
            done.append(f"Removed {folder}, an unfinished ledger.")
    known = {state_file(ledger, entry.number).name for entry in entries if entry.state}
    for file in sorted((ledger / STATE).iterdir()):
        if file.name not in known:
            remove(file)
            done.append(f"Removed {file}, which belongs to no recorded release.")
    for file in unrecorded:
        forget(file)
        done.append(f"Removed {file}, which the feed does not need.")
    return done


def finish(entry: Entry, staging: Path) -> str:
    """Expose a recorded release after a crash, if its files are as they were recorded."""
    where = entry.path
    if isinstance(where, Address):
        wrong = _damaged_unless_sent(entry, where, staging)
        if wrong and not staging.exists():
            return (
                f"Release {entry.number} was recorded, and its files are lost: publish its table "
                "again, which makes the same release."
            )
    elif entry.copied_from is not None and where.is_dir():
        wrong = _damaged_copies(entry, where, staging)
    else:
        wrong = damage(entry, staging if staging.is_dir() else where)
    if wrong:
        raise LedgerError(
            f"{wrong[0]} Release {entry.number} is recorded but cannot be finished: restore its "
            "files before you go on."
        )
    expose(entry, staging)
    return f"Release {entry.number} was recorded and is now at {where}."


def _damaged_unless_sent(entry: Entry, where: Address, staging: Path) -> list[str]:
    """Say what is wrong with what waits for its store, if it still waits."""
    wrong = [f"{staging} is missing."]
    if is_sent(entry, where):
        return []
    # Whoever recorded it may be bringing it there, and tidying up, at this very moment.
    with suppress(FileNotFoundError):
        wrong = damage(entry, staging)
    return [] if wrong and is_sent(entry, where) else wrong


def expose(entry: Entry, staging: Path) -> None:
    """Bring a recorded release into its final place; it may be there already."""
    where = entry.path
    if isinstance(where, Address):
        send(entry, where, staging)
        return
    if entry.copied_from is not None and where.is_dir():
        _expose_copies(entry, where, staging)
        return
    # In this order: another publisher, in his recovery, may do the same at this very moment.
    if where.exists() and staging.is_dir():
        raise LedgerError(f"{where} is in the way of release {entry.number}. Move it away.")
    with suppress(FileNotFoundError):
        # Until now only the owner could look inside.
        staging.chmod(where.parent.stat().st_mode & 0o777)
        move(staging, where)
    sync_folder(where.parent)


def _copied(entry: Entry) -> list[str]:
    """The files that were written beside a release later; its description comes last."""
    return [*sorted(set(entry.files) - set(entry.copied_from or ())), DESCRIPTION]


def _damaged_copies(entry: Entry, where: Path, staging: Path) -> list[str]:
    """Say what is wrong with files that are beside a release, or still on their way there."""
    for name in _copied(entry):
        there = [folder / name for folder in (staging, where) if (folder / name).is_file()]
        if not there:
            return [f"{where / name} is missing."]
        if digest_of(there[0]) != entry.files[name]:
            return [f"{there[0]} is not as it was written."]
    return []


def _expose_copies(entry: Entry, where: Path, staging: Path) -> None:
    """Bring files beside a release, each at once; some may be there already."""
    for name in _copied(entry):
        with suppress(FileNotFoundError):
            move(staging / name, where / name)
    remove(staging)
    sync_folder(where.parent)


def damage(entry: Entry, folder: Place) -> list[str]:
    """Say what is wrong with the folder of a release, or with what is in its place of a store."""
    if isinstance(folder, Address):
        return damage_there(entry, folder)
    if not folder.is_dir():
        return [f"{folder} is missing."]
    problems = []
    found = {file.name for file in folder.iterdir()}
    for name in sorted(found - set(entry.files)):
        problems.append(f"{folder / name} does not belong to the release.")
    for name, digest in sorted(entry.files.items()):
        if name not in found:
            problems.append(f"{folder / name} is missing.")
        elif digest_of(folder / name) != digest:
            problems.append(f"{folder / name} is not as it was published.")
    return problems


def numbers_in(places: Iterable[Place], entries: Sequence[Entry]) -> dict[Place, list[int]]:
    """Give the numbers of the releases in each place, in order, whatever the ledger knows."""
    found: dict[Place, list[int]] = {}
    for place in sorted(places, key=str):
        if isinstance(place, Address):
            known = [entry.number for entry in entries if entry.to == place]
            with suppress(NoSuchPlace):  # as a folder that is gone
                found[place] = numbers_at(place, [*known[-1:], len(entries) + 1])
        elif place.is_dir():
            numbers = (int(p.name) for p in place.iterdir() if _NUMBER.fullmatch(p.name))
            found[place] = sorted(numbers)
    return found


def check_up_to_date(entries: Sequence[Entry], found: Mapping[Place, Sequence[int]]) -> None:
    """Refuse to go on if a folder holds releases that the ledger does not know.

    That is so when the ledger was restored from a backup: it would give out the same number
    again, and two different releases of the same people intersect.
    """
    for place, numbers in found.items():
        if not numbers:
            continue
        newest = place / f"{numbers[-1]:04d}"
        if numbers[-1] > len(entries) or numbers[0] < 1:
            raise LedgerError(
                f"{newest} is not in the ledger. The ledger is older than the releases (was it "
                "restored from a backup?), or they come from another ledger. Use the newest "
                "copy of the ledger, or a folder of its own for the releases of each ledger."
            )
        if _described(newest) != entries[numbers[-1] - 1].package:
            raise LedgerError(
                f"{newest / DESCRIPTION} is not the one that this ledger published. Restore it, or "
                "use the ledger that it belongs to."
            )


def _described(release: Place) -> str | None:
    """The digest of the description of a release; None if it has none."""
    if isinstance(release, Address):
        return digest_at(opened(release), DESCRIPTION)
    file = release / DESCRIPTION
    return digest_of(file) if file.is_file() else None
