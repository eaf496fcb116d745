"""Names of letters that have one way to be written are told apart by all of their spellings."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from anachron.spelling import foldings, letters, one_way, trimmings

SIGNS = {
    "capitals": "AB7",
    "small": "abc7 ",
    "blanks": "AAAAB ",
    "both": "aAB",
    "odd": "a\u200b\u0301é\t",
}


@pytest.mark.parametrize("kind", SIGNS)
def test_names_that_are_plainly_apart_stay_so(kind: str) -> None:
    rng = random.Random(kind)
    seen = set()
    for _ in range(200):
        some = {"".join(rng.choices(SIGNS[kind], k=rng.randint(1, 4))) for _ in range(4)}
        names = sorted(some)
        parts = [pa.array(names[:2]), pa.array(names[2:], pa.string()).slice(0)]
        seen.add(apart := one_way([letters(part) for part in parts]))
        if apart:
            for spelled in (foldings, trimmings):
                assert len(set(spelled(pa.array(names)).to_pylist())) == len(names)
    assert (kind == "capitals") == (seen == {True})


def test_pieces_of_columns_and_none_at_all() -> None:
    names = pa.array(["a", "B", "c"])
    assert not one_way([letters(names)])
    assert one_way([letters(names.slice(1, 1))])
    assert one_way([letters(names.slice(0, 0)), letters(names.slice(2))])
    assert one_way([])
