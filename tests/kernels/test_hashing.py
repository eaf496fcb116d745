"""Draws are uniform, repeatable, secret, and blind to the order of the input."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice, permutations

import numpy as np
import pytest

from anachron.kernels.hashing import places, rank_keys, ranks, shuffled


def subjects(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (n, 32), dtype=np.uint8)


def test_a_rank_key_is_the_beginning_of_a_digest_over_all_parts() -> None:
    who = subjects(1)
    salt = hashlib.sha256((3).to_bytes(8, "big") + b"key" + (7).to_bytes(8, "big") + b"choose")
    digest = hashlib.sha256(salt.digest()[:23] + who.tobytes() + b"row").digest()
    found = rank_keys(b"key", 7, "choose", who, [b"row"])
    assert found.tolist() == [
        [int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")]
    ]


def test_the_order_of_the_input_does_not_matter() -> None:
    who = subjects(500)
    shuffled = np.random.default_rng(1).permutation(500)
    assert (ranks(b"k", 1, "p", who)[shuffled] == ranks(b"k", 1, "p", who[shuffled])).all()


@pytest.mark.parametrize(
    "other", [(b"l", 1, "p"), (b"k", 2, "p"), (b"k", 1, "q")], ids=["key", "release", "purpose"]
)
def test_every_part_makes_another_draw(other: tuple[bytes, int, str]) -> None:
    who = subjects(200)
    first, second = ranks(b"k", 1, "p", who), ranks(*other, who)
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.25


def test_row_keys_tell_rows_of_one_subject_apart() -> None:
    who = np.repeat(subjects(1), 3, axis=0)
    assert sorted(ranks(b"k", 1, "p", who, [b"a", b"b", b"c"])) == [0, 1, 2]
    with pytest.raises(ValueError, match="same"):
        ranks(b"k", 1, "p", who)


def test_all_orders_are_equally_likely() -> None:
    who = subjects(4)
    seen = Counter(tuple(ranks(b"k", release, "p", who)) for release in range(4800))
    assert set(seen) == set(permutations(range(4)))
    chi_square = sum((n - 200) ** 2 / 200 for n in seen.values())
    assert chi_square < 49.7  # 23 degrees of freedom, one in a thousand; the draw is fixed


def test_all_shuffles_are_equally_likely() -> None:
    seen = Counter(tuple(shuffled(b"k", release, "p", b"s" * 32, 4)) for release in range(4800))
    assert set(seen) == set(permutations(range(4)))
    chi_square = sum((n - 200) ** 2 / 200 for n in seen.values())
    assert chi_square < 49.7  # 23 degrees of freedom, one in a thousand; the draw is fixed


def test_a_few_of_many_numbers_are_drawn_at_once() -> None:
    some = list(islice(shuffled(b"k", 1, "p", b"s" * 32, 10**12), 5))
    assert len(set(some)) == 5
    assert some != list(islice(shuffled(b"k", 1, "p", b"t" * 32, 10**12), 5))


def test_places_look_at_later_words_only_when_they_must() -> None:
    words = np.array([[5, 1], [5, 0], [2, 9]], dtype=np.uint64)
    assert places(words).tolist() == [2, 1, 0]


def test_only_pseudonyms_are_accepted() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        rank_keys(b"k", 1, "p", subjects(2)[:, :16])
    assert rank_keys(b"k", 1, "p", subjects(0)).shape == (0, 2)
