"""Draw lots with a keyed hash: who comes first is uniform, secret and repeatable.

==============  ==========================================================================
``key``         the ledger's secret key
``release``     number of the release that the draw is made for
``purpose``     what is drawn, in a word: two purposes are two independent draws
``subject``     the pseudonym of a subject, always 32 bytes
``row``         what tells two rows of one subject apart; empty where there is only one
``rank key``    first 128 bits of SHA-256 over all of these: the smallest comes first
==============  ==========================================================================

Notes
-----
The order of the input rows has no influence: a rank key depends on what is hashed alone.
Key, release and purpose are gathered into one salt first, so that every member costs a single
short digest. All parts have a fixed length or are preceded by their length, so that no two
different draws hash the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from anachron.arrays import Array, Bytes, Words

__all__ = ["SUBJECT_BYTES", "places", "rank_keys", "ranks", "shuffled"]

SUBJECT_BYTES = 32


def rank_keys(
    key: bytes,
    release: int,
    purpose: str,
    subjects: Bytes,
    rows: Sequence[bytes] | None = None,
) -> Words:
    """Give the rank key of every member as two 64-bit words, the more significant first.

    ``subjects`` is an (n, 32) array of bytes; ``rows`` has one row key for each, or is left out.
    """
    if subjects.dtype != np.uint8 or subjects.ndim != 2 or subjects.shape[1] != SUBJECT_BYTES:
        raise ValueError("subjects must be an array of n pseudonyms of 32 bytes each")
    salt = _salt(key, release, purpose)
    text = subjects.tobytes()
    starts = range(0, len(text), SUBJECT_BYTES)
    sha256 = hashlib.sha256
    if rows is None:
        digests = [sha256(salt + text[at : at + SUBJECT_BYTES]).digest() for at in starts]
    else:
        digests = [
            sha256(salt + text[at : at + SUBJECT_BYTES] + row).digest()
            for at, row in zip(starts, rows, strict=True)
        ]
    words = np.frombuffer(b"".join(digests), dtype=">u8").reshape(-1, 4)
    return words[:, :2].astype(np.uint64)


def ranks(
    key: bytes,
    release: int,
    purpose: str,
    subjects: Bytes,
    rows: Sequence[bytes] | None = None,
) -> Array:
    """Give every member its place, from 0, in the order of the rank keys: no two are equal."""
    return places(rank_keys(key, release, purpose, subjects, rows))


def shuffled(key: bytes, release: int, purpose: str, subject: bytes, n: int) -> Iterator[int]:
    """Give 0, 1, … n - 1 in an order of the subject's own, all orders being equally likely.

    A shuffle of Fisher and Yates that goes no further than somebody looks: a few of many
    numbers cost a few digests.
    """
    salt = _salt(key, release, purpose) + subject
    moved: dict[int, int] = {}
    for at in range(n):
        digest = hashlib.sha256(salt + at.to_bytes(8, "big")).digest()
        # 256 bits: what does not divide evenly is beyond counting.
        other = at + int.from_bytes(digest, "big") % (n - at)
        yield moved.get(other, other)
        moved[other] = moved.pop(at, at)


def places(words: Words) -> Array:
    """Turn keys of several words, the most significant first, into places 0, 1, 2, …"""
    order = np.argsort(words[:, 0])
    first = words[order, 0]
    if (first[1:] == first[:-1]).any():
        order = np.lexsort(words.T[::-1])
        twice = (words[order[1:]] == words[order[:-1]]).all(axis=1)
        if twice.any():
            raise ValueError("two members are the same: one subject twice, or no row key")
    place = np.empty(len(words), dtype=np.int64)
    place[order] = np.arange(len(words))
    return place


def _salt(key: bytes, release: int, purpose: str) -> bytes:
    """Gather key, release and purpose into 23 bytes: one SHA-256 block holds them and a subject."""
    name = purpose.encode()
    parts = (len(key).to_bytes(8, "big"), key, release.to_bytes(8, "big"), name)
    return hashlib.sha256(b"".join(parts)).digest()[:23]
