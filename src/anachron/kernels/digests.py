"""Digests of 32 bytes, in ascending order: find some among others, and make room for more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anachron.arrays import Array, Bytes, Words

__all__ = ["insert", "recall", "texts"]

_ABSENT = -1


def insert(digests: Bytes, at: Array) -> Bytes:
    """Make room at some places of an array of digests, as ``numpy.insert`` would fill it."""
    old = np.ones(len(digests) + len(at), dtype=bool)
    old[at + np.arange(len(at))] = False
    roomy = np.zeros((len(old), 4), dtype=np.uint64)  # eight bytes at a time
    roomy[old] = _whole(digests)
    return roomy.view(np.uint8)


def recall(subjects: Bytes, known: Bytes) -> Array:
    """Find the place of each pseudonym among the known ones, which are sorted, or -1."""
    if not len(known) or not len(subjects):
        return np.full(len(subjects), _ABSENT, dtype=np.int64)
    wanted, found = _words(subjects), _words(known)
    # Neighbours are found near each other: far fewer cache misses.
    ascend = bool((wanted[1:] >= wanted[:-1]).all())
    order: Array | slice = slice(None) if ascend else np.argsort(wanted)
    at = np.minimum(np.searchsorted(found, wanted[order]), len(found) - 1)
    if (found[1:] == found[:-1]).any():  # then eight bytes are not enough to tell people apart
        at = np.minimum(np.searchsorted(texts(known), texts(subjects)[order]), len(found) - 1)
    place = np.empty(len(subjects), dtype=np.int64)
    place[order] = at
    whole = _whole(known).take(place, axis=0) == _whole(subjects)
    return np.where(whole.all(axis=1), place, _ABSENT)


def texts(subjects: Bytes) -> npt.NDArray[np.bytes_]:
    """See each pseudonym as one value that can be compared."""
    return np.ascontiguousarray(subjects).reshape(-1).view("S32")


def _whole(subjects: Bytes) -> Words:
    return np.ascontiguousarray(subjects).view(np.uint64)


def _words(subjects: Bytes) -> Words:
    return np.ascontiguousarray(subjects[:, :8]).view(">u8").reshape(-1).astype(np.uint64)
