"""Is everyone published in the group that the ledger remembers, under the same signature?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags
from anachron.auditing.verdict import Check
from anachron.auditing.verify.findings import groups_named, such_as, witnesses
from anachron.auditing.verify.invariance_alone import column_checks
from anachron.auditing.verify.invariance_groups import Groups, groups_of, places
from anachron.auditing.verify.invariance_shape import register_of
from anachron.auditing.verify.invariance_state import Book, State
from anachron.auditing.verify.spelled import keys_of, text_keys
from anachron.release.read import Release

__all__ = ["Hosts", "hosts_of", "real_check", "signature_check", "signatures_of"]


@dataclass(frozen=True, eq=False)
class Hosts:
    """The groups that people were published in, by what was published and what is remembered."""

    place: Array
    """Of each person in the release: the place of the group; -1 if there is no such group."""
    signature: Array
    """Of each person in the release: the set of values that his group was published with."""
    real: Array
    """Of each group: how many people are in it."""
    differing: Flags
    """Of each person in the release: whether another signature is remembered."""


def hosts_of(groups: Groups, state: State, book: Book) -> Hosts:
    """Find the group of everyone who is in a release."""
    present = state.present
    place = groups.places(state.group[present])
    there = place >= 0
    remembered = state.signature[present]
    real = np.bincount(place[there], minlength=len(groups.number))
    # What is remembered of a group is what is remembered of its last member.
    said = np.full(len(groups.number), -1, dtype=np.int64)
    said[place[there]] = remembered[there]
    published = _published(groups, said, book)
    signature = np.full(len(present), book.signature(()), dtype=np.int64)
    signature[there] = published[place[there]]
    return Hosts(place, signature, real, signature != remembered)


def _published(groups: Groups, said: Array, book: Book) -> Array:
    """The signature of each group; only those that are not as said are gathered one by one."""
    value = _in_book(groups.domain, book)[groups.value]
    signature = np.where(said >= 0, said, 0)
    size = book.sizes()
    width = len(book.texts) + 1
    known = np.sort(
        np.array([n * width + v for n, s in enumerate(book.signatures) for v in s], dtype=np.int64)
    )
    belongs = places(known, np.repeat(signature, groups.size) * width + value) >= 0
    of_row = np.repeat(np.arange(len(said)), groups.size)
    matching = np.bincount(of_row[belongs & (value >= 0)], minlength=len(said))
    repeated = np.zeros(len(value), dtype=bool)
    repeated[1:] = (value[1:] == value[:-1]) & (of_row[1:] == of_row[:-1])
    odd = (said < 0) | (matching != groups.size) | (size[signature] != groups.size)
    odd |= np.bincount(of_row[repeated], minlength=len(said)) > 0
    for at in np.flatnonzero(odd).tolist():
        rows = slice(int(groups.start[at]), int(groups.start[at] + groups.size[at]))
        signature[at] = book.signature(value[rows].tolist())
    return signature


def _in_book(domain: pa.Array, book: Book) -> Array:
    """The number of each published value; -1 for one that the ledger does not know.

    The place after the last stands for a missing value.
    """
    # Texts are read as values and not values written as texts: 1 and 1.0 are the same.
    texts = text_keys(list(book.texts), domain.type, exact=book.exact)
    known = {key: number for number, key in enumerate(texts)}
    numbers = [known.get(key, -1) for key in keys_of(domain, exact=book.exact)]
    return np.array([*numbers, -1], dtype=np.int64)


def real_check(groups: Groups, hosts: Hosts) -> Check:
    """Check that each group consists of its people and its counterfeits."""
    wrong = hosts.real + groups.counterfeits != groups.size
    nowhere = int((hosts.place < 0).sum())
    problems = {
        f"people and counterfeits are not its rows{such_as(groups.number, wrong)}": wrong.any(),
        f"{nowhere:,} people in groups that are not published": nowhere,
    }
    found = "; ".join(text for text, there in problems.items() if there)
    return Check(
        "real rows",
        not found,
        "as many people as a group has rows that are not counterfeits",
        found or f"{int(hosts.real.sum()):,} people",
        "people of each group",
        witnesses(groups.number, wrong),
    )


def signature_check(groups: Groups, hosts: Hosts) -> Check:
    """Check that everyone's group was published with the values that are remembered."""
    wrong = int(hosts.differing.sum())
    there = np.unique(hosts.place[hosts.differing & (hosts.place >= 0)])
    return Check(
        "signatures",
        not wrong,
        "the values that the ledger remembers of each person, and no other",
        f"{wrong:,} people in groups with other values" if wrong else "as promised",
        "values of the groups of each person",
        groups_named(groups.number[there].tolist()),
    )


def signatures_of(release: Release | None, state: State, book: Book) -> Array:
    """The set of values of everyone's group: as published, or else as the ledger remembers it."""
    shape = None if release is None else register_of(release)
    if shape is None or not all(check.holds for check in column_checks(shape)):
        return state.signature[state.present]
    return hosts_of(groups_of(shape), state, book).signature
