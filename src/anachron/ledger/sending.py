"""Releases that lie in an object store: claimed, sent, found again.

Nothing can be renamed there, so a release is there once its description is, which is put last. It
is staged in the ledger and leaves it only after the catalog has recorded it: whatever can be seen
in a store, were it one file of a release, is known to the ledger. Objects are put where none is and
never again; where there is one, it must be the same byte for byte.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from anachron import steps
from anachron.errors import LedgerError
from anachron.ledger.entry import Entry, seal
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import remove
from anachron.stores import Address, Place, Store, content_of, digest_at, opened

__all__ = [
    "OUTGOING",
    "check_claim",
    "check_free",
    "claim",
    "damage_there",
    "is_sent",
    "is_there",
    "numbers_at",
    "send",
]

OUTGOING = "outgoing"
"""The folder of a ledger in which releases wait until they are in their store."""
_CLAIM = ".anachron"
"""The object that says whose the releases of a place are."""
_LONGEST = 200
_LARGEST = 5 << 30
"""The most bytes of an object that is put at once."""


def check_claim(place: Address, key: bytes) -> bool:
    """Refuse a place that another ledger publishes into; say whether this one claimed it."""
    found = content_of(opened(place), _CLAIM, _LONGEST)
    if found is not None and found != _claim_of(key):
        raise LedgerError(
            f"{place} holds the releases of another ledger. Use the ledger that they belong to, or "
            "a place of its own for the releases of each ledger."
        )
    return found is not None


def claim(place: Address, key: bytes) -> None:
    """Let a place be for this ledger alone, if it is nobody's, for ever.

    Whoever claims first has it. That a store keeps its word, and puts nothing where something is,
    is seen on the claim itself.
    """
    if check_claim(place, key):
        return
    store, content = opened(place), _claim_of(key)
    for _ in range(2):
        steps.reached("claim place")
        new = store.put_new(_CLAIM, io.BytesIO(content), sha256(content).hexdigest())
        steps.reached("claimed place")
    if new:
        raise LedgerError(
            f"The store of {place} overwrites what is there although it was asked not to "
            "(If-None-Match), so releases would not be safe in it. Use another store, or a folder."
        )
    if not check_claim(place, key):
        raise LedgerError(f"The store of {place} does not find what was put there. Try again.")


def _claim_of(key: bytes) -> bytes:
    """What says whose a place is, and tells nobody who has not the key which ledger that is."""
    return f"Releases of one ledger of Anachron lie here: {seal(key, 'claim')}\n".encode()


def check_free(entry: Entry, where: Address, staging: Path) -> None:
    """Refuse to record a release that its store cannot take, or whose place holds anything else."""
    store = opened(where)
    for name, digest in _in_order(entry):
        if (staging / name).stat().st_size > _LARGEST:
            raise LedgerError(
                f"{name} would have more than 5 GB, which no store takes at once. Publish into a "
                "folder, or fewer rows at a time."
            )
        if digest_at(store, name) not in (None, digest):
            raise _in_the_way(where / name, entry)


def send(entry: Entry, where: Address, staging: Path) -> None:
    """Bring a recorded release into its store, the description last; some may be there already."""
    store = opened(where)
    if staging.is_dir():
        # Another publisher, in their recovery, may have done it meanwhile, and tidied up.
        with suppress(FileNotFoundError):
            for name, digest in _in_order(entry):
                _put(store, staging / name, digest, entry, where / name)
    if not is_sent(entry, where):
        raise LedgerError(f"{where} is not whole, and {staging} is gone. Publish the table again.")
    remove(staging)


def _put(store: Store, file: Path, digest: str, entry: Entry, target: Address) -> None:
    with file.open("rb") as content:
        steps.reached("put object")
        new = store.put_new(file.name, content, digest)
        steps.reached("object was put")
    if not new and digest_at(store, file.name) != digest:
        raise _in_the_way(target, entry)


def is_there(where: Place) -> bool:
    """Whether a release is in its place, as it is or damaged."""
    if isinstance(where, Path):
        return where.exists()
    return content_of(opened(where), DESCRIPTION, 0) is not None


def is_sent(entry: Entry, where: Address) -> bool:
    """Whether a release is in its store: its description is, which comes last."""
    return digest_at(opened(where), DESCRIPTION) == entry.package


def damage_there(entry: Entry, where: Address) -> list[str]:
    """Say what is wrong with a release in a store, of which every byte is read."""
    store, problems = opened(where), []
    for name, digest in _in_order(entry):
        found = digest_at(store, name)
        if found is None:
            problems.append(f"{where / name} is missing.")
        elif found != digest:
            problems.append(f"{where / name} is not as it was published.")
    strange = sorted({*store.names()} - set(entry.files))
    return problems + [f"{where / name} does not belong to the release." for name in strange]


def numbers_at(place: Address, expected: Iterable[int] = ()) -> list[int]:
    """The numbers of the releases in a store, in order.

    A list may be late: those that are expected, and the one that comes next, are asked for.
    """
    store, ending = opened(place), f"/{DESCRIPTION}"
    listed = [name.removesuffix(ending) for name in store.names() if name.endswith(ending)]
    found = {int(name) for name in listed if name.isdecimal() and len(name) >= 4}
    wanted = {*expected}
    top = max(found | wanted, default=0)
    wanted |= {*(() if wanted else range(1, top)), top + 1}
    while wanted:
        number = min(wanted)
        wanted.remove(number)
        if number not in found and is_there(place / f"{number:04d}"):
            found.add(number)
            wanted |= {number + 1} - found
    return sorted(found)


def _in_order(entry: Entry) -> list[tuple[str, str]]:
    """The files of a release, with their digests: the description last."""
    return sorted(entry.files.items(), key=lambda file: (file[0] == DESCRIPTION, file[0]))


def _in_the_way(target: Address, entry: Entry) -> LedgerError:
    return LedgerError(
        f"{target} is there already, and is no part of release {entry.number} of this ledger. "
        "Nothing was overwritten. Use the newest copy of the ledger, or a place of its own for the "
        "releases of each ledger."
    )
