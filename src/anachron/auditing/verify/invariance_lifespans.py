"""Does everyone keep his signature for life, gaps included?

The paper's Definition 17 asks for the same signature from a person's first release to the last.
It assumes that nobody returns and no value changes; here both happen. As long as the value of a
person is the same, so is the signature. When it changes, the new signature is the old one, or an
earlier one again, or one that has no value in common with any of them; and, where the guarantee
says which values can change to which, one that knowing so does not narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import SHOWN
from anachron.auditing.verify.invariance_state import Book, State

__all__ = [
    "Step",
    "change_check",
    "leaves_candidates",
    "lifespan_check",
    "memory_check",
    "step_between",
]

Changes = Mapping[int, frozenset[int]]
"""For each value, by its number in the book, the others that it can become."""


@dataclass(frozen=True, eq=False)
class Step:
    """What happened to people from one state to the next."""

    vanished: int
    """People who are not remembered any more."""
    forgotten: int
    """Signatures of people that are not remembered any more."""
    rewritten: int
    """Absent people of whom something else is remembered now."""
    unpublished: int
    """People who are remembered without having been published."""
    moved: int
    """People with another signature although their value is the same."""
    moved_to: tuple[int, ...]
    """Some of the groups in which these people are now."""
    changed: frozenset[tuple[int, int]]
    """Pairs of a signature and the one that followed it."""


def step_between(before: State, after: State, place: Array) -> Step:
    """Compare two states in a row; ``place`` says where those of the first are in the second."""
    old = np.flatnonzero(place >= 0)
    new = place[old]
    same_value = before.mark[old] == after.mark[new]
    same_signature = before.signature[old] == after.signature[new]
    absent = after.group[new] == 0
    fresh = np.ones(len(after.subject), dtype=bool)
    fresh[new] = False
    moved = np.unique(after.group[new[same_value & ~same_signature]])
    turned = np.flatnonzero(~same_signature & ~absent)
    pairs = np.stack([before.signature[old[turned]], after.signature[new[turned]]], axis=1)
    return Step(
        vanished=len(place) - len(old),
        forgotten=_forgotten(before, after, place),
        rewritten=int((absent & ~(same_value & same_signature)).sum()),
        unpublished=int((fresh & (after.group == 0)).sum()),
        moved=int((same_value & ~same_signature).sum()),
        moved_to=tuple(moved[moved > 0][:SHOWN].tolist()),
        changed=frozenset((int(a), int(b)) for a, b in np.unique(pairs, axis=0)),
    )


def _forgotten(before: State, after: State, place: Array) -> int:
    """How many signatures the state before lists of people, and this one does not."""
    width = int(
        max(s.max(initial=0) for t in (before, after) for s in (t.signature, t.earlier)) + 1
    )
    owner = np.concatenate([place, place[before.owner]])
    had = owner * width + np.concatenate([before.signature, before.earlier])
    everyone = np.arange(len(after.subject))
    has = np.concatenate([everyone, after.owner]) * width
    has += np.concatenate([after.signature, after.earlier])
    if len(after.owner):  # else it ascends as it is
        has = np.sort(has)
    return int((~_among(has, had[owner >= 0])).sum())


def _among(ascending: Array, wanted: Array) -> Flags:
    """Tell which numbers are among ascending ones, of which some may be equal."""
    if not len(ascending):
        return np.zeros(len(wanted), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    found: Flags = ascending[at] == wanted
    return found


def memory_check(state: State, steps: Sequence[Step], first: bool) -> Check:
    """Check that nothing that was published is forgotten, and nothing else remembered."""
    idle = int((state.group == 0).sum()) if first else 0
    problems = {
        "{:,} people forgotten": sum(step.vanished for step in steps),
        "{:,} signatures forgotten": sum(step.forgotten for step in steps),
        "{:,} absent people remembered otherwise": sum(step.rewritten for step in steps),
        "{:,} people remembered who were never published": idle
        + sum(step.unpublished for step in steps),
    }
    found = "; ".join(text.format(count) for text, count in problems.items() if count)
    return Check(
        "memory",
        not found,
        "everyone who was ever published, for ever",
        found or f"{len(state.subject):,} people",
        "people whom the ledger remembers",
    )


def lifespan_check(state: State, steps: Sequence[Step], m: int, book: Book, number: int) -> Check:
    """Check that signatures of a person are the same, or have nothing in common.

    ``number`` is that of the release of the last state.
    """
    moved = sum(step.moved for step in steps)
    size = book.sizes()
    small = int((size[state.signature] < m).sum() + (size[state.earlier] < m).sum())
    crossing, where = _crossing(state, book)
    places = [
        f"release {at:04d}, group {group}"
        for at, step in enumerate(steps, number - len(steps) + 1)
        for group in step.moved_to
    ]
    problems = {
        "{:,} people with another signature for the same value": moved,
        "{:,} people with signatures that overlap": crossing,
        f"{{:,}} signatures of fewer than {m:,} values": small,
    }
    found = "; ".join(text.format(count) for text, count in problems.items() if count)
    return Check(
        "lifespans",
        not found,
        "the same signature for life, or one without a common value when the value changes",
        found or "as promised",
        "signatures of each person over all releases",
        tuple(dict.fromkeys([*places, *(f"release {number:04d}, group {g}" for g in where)]))[
            :SHOWN
        ],
    )


def _crossing(state: State, book: Book) -> tuple[int, list[int]]:
    """How many people have two signatures that share a value, and the groups they are in."""
    if not len(state.owner):
        return 0, []
    owners, start = np.unique(state.owner, return_index=True)
    kept: dict[tuple[int, ...], bool] = {}
    crossing: list[int] = []
    for person, part in zip(owners, np.split(state.earlier, start[1:]), strict=True):
        held = (int(state.signature[person]), *part.tolist())
        if held not in kept:
            sets = [book.signatures[number] for number in held]
            kept[held] = all(a.isdisjoint(b) for a, b in combinations(sets, 2))
        if not kept[held]:
            crossing.append(int(person))
    groups = np.unique(state.group[np.array(crossing, dtype=np.int64)])
    return len(crossing), groups[groups > 0].tolist()


def change_check(
    steps: Sequence[Step],
    m: int,
    said: Mapping[str, Sequence[str]],
    book: Book,
    kind: pa.DataType,
) -> Check:
    """Check that knowing the possible changes of values, of a type, leaves m candidates."""
    changes: dict[int, frozenset[int]] = {}
    for value, others in said.items():
        number = book.named(value, kind)
        become = frozenset(book.named(other, kind) for other in others)
        changes[number] = changes.get(number, frozenset()) | become
    pairs = frozenset().union(*(step.changed for step in steps))
    wrong = sum(
        not leaves_candidates(book.signatures[a], book.signatures[b], m, changes) for a, b in pairs
    )
    return Check(
        "changes",
        not wrong,
        f"at least {m:,} possible values before and after, whatever can become what",
        f"{wrong:,} of {len(pairs):,} changes leave fewer" if wrong else "as promised",
        "changes of signatures",
    )


def leaves_candidates(old: frozenset[int], new: frozenset[int], m: int, changes: Changes) -> bool:
    """Tell whether every old value can become a new one, and m of them different ones."""
    becomes = {a: {b for b in new if a == b or b in changes.get(a, ())} for a in old}
    if not all(becomes.values()) or set().union(*becomes.values()) != new:
        return False
    # A largest matching; where every old value can change, one exists for each that uses it.
    taken: dict[int, int] = {}
    return sum(_place(a, becomes, taken, set()) for a in old) >= m


def _place(a: int, becomes: Mapping[int, set[int]], taken: dict[int, int], tried: set[int]) -> bool:
    for b in becomes[a]:
        if b in tried:
            continue
        tried.add(b)
        if b not in taken or _place(taken[b], becomes, taken, tried):
            taken[b] = a
            return True
    return False
