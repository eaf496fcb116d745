"""The head of a catalog: which ledger it is, where its history ends, and that the key fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anachron.errors import LedgerError
from anachron.ledger.entry import seal
from anachron.ledger.feed import Memory

__all__ = ["Execute", "Head", "key_check", "move_to", "read_head"]

Row = tuple[int | str | None, ...]
Execute = Callable[..., list[Row]]
_BROKEN = "its seal is broken"
FOLDED = "folded"


@dataclass(frozen=True)
class Head:
    """Which ledger it is, and where it stands."""

    id: str
    releases: int
    chain: str
    memory: Memory | None
    folded: bool = False
    """Whether people are known by their folded names, not as they are written."""

    @property
    def is_new(self) -> bool:
        """Whether nothing is remembered yet."""
        return not self.releases and self.memory is None

    def sealed(self, key: bytes) -> str:
        """Digest all of it with the key."""
        facts: tuple[int | str, ...] = (self.id, key_check(key), self.releases, self.chain)
        if self.memory is not None:
            facts = (*facts, self.memory.push, self.memory.digest)
        # Ledgers of before have seals that say nothing of it.
        return seal(key, *facts, "folded") if self.folded else seal(key, *facts)


def key_check(key: bytes) -> str:
    """What tells the right key from any other, and nothing else."""
    return seal(key, "key check")


def read_head(
    execute: Execute, key: bytes, damaged: Callable[[str], LedgerError], people: str = "people"
) -> Head:
    """Read the head, and refuse another key and an altered head.

    Formats up to 4 have no column ``people``: then it is ``NULL``.
    """
    # In one statement, and so at one moment.
    rows = execute(
        f"SELECT id, key_check, releases, head, seal, {people}, push, digest "
        "FROM ledger LEFT JOIN feed"
    )
    if len(rows) != 1:
        raise damaged("it does not say which ledger it is")
    id_, check, count, chain, sealed, form, push, digest = rows[0]
    if check != key_check(key):
        raise LedgerError(
            "The key is no longer the one this ledger was made with, or the catalog is damaged. "
            "Restore the whole ledger from a backup."
        )
    match id_, count, chain, push, digest:
        case str(), int(), str(), None, None:
            head = Head(id_, count, chain, None, form == FOLDED)
        case str(), int(), str(), int(), str():
            head = Head(id_, count, chain, Memory(push, digest), form == FOLDED)
        case _:
            raise damaged(_BROKEN)
    if form not in (None, FOLDED) or sealed != head.sealed(key):
        raise damaged(_BROKEN)
    return head


def move_to(execute: Execute, key: bytes, head: Head) -> None:
    """Write where the ledger stands from now on."""
    if head.memory is not None:
        execute("DELETE FROM feed")
        execute("INSERT INTO feed VALUES (?, ?)", head.memory.push, head.memory.digest)
    if head.folded:
        execute("UPDATE ledger SET people = ?", FOLDED)
    execute(
        "UPDATE ledger SET releases = ?, head = ?, seal = ?",
        head.releases,
        head.chain,
        head.sealed(key),
    )
