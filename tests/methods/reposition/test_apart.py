"""Who is put where they are already changes places with another, or is left out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from anachron.engines.local.rows import LocalRows
from anachron.methods.reposition.apart import apart
from tests.engines.pieces import Pieces


def _records(rows: list[tuple[str, int, int, int]]) -> dict[str, np.ndarray | pa.Array]:
    """Records of (person, home, value, position), ranked as they are listed."""
    who, home, value, position = zip(*rows, strict=True)
    number = np.arange(len(rows))
    return {
        "subject": pa.array(who),
        "home": np.array(home),
        "value": np.array(value),
        "position": np.array(position),
        "number": number,
        "key": np.stack([number + 1, number], axis=1).astype(np.uint64),
        "free": np.zeros(len(rows), dtype=bool),
        "out": np.zeros(len(rows), dtype=bool),
    }


def _parted(rows: list[tuple[str, int, int, int]], *, exchange: bool = True):
    told = []
    for engine in (LocalRows, Pieces):
        found, changed = apart(engine.of(_records(rows)), exchange=exchange)
        columns = found.collect("number", "position", "out")
        by = np.argsort(columns["number"])
        told.append((columns["position"][by].tolist(), columns["out"][by].tolist(), changed))
    assert told[0] == told[1]
    return told[0]


def test_nobody_is_moved_where_all_are_once() -> None:
    assert _parted([("a", 0, 0, 0), ("b", 0, 0, 1)]) == ([0, 1], [False, False], set())


def test_records_change_places() -> None:
    rows = [("a", 0, 0, 1), ("a", 1, 1, 1), ("b", 0, 0, 0)]
    assert _parted(rows) == ([0, 1, 1], [False] * 3, set())
    assert _parted(rows, exchange=False) == ([-1, 1, 0], [True, False, False], {1})


def test_who_was_left_out_may_take_a_place_and_another_is_left_out_instead() -> None:
    rows = [
        ("a", 0, 0, 1),  # is there already, and finds nobody to change with
        ("b", 0, 0, 2),  # is there already: a, who is out, takes the place
        ("a", 1, 1, 1),
        ("b", 1, 1, 1),
        ("b", 2, 1, 2),
    ]
    assert _parted(rows) == ([2, -1, 1, 1, 2], [False, True, False, False, False], {1})


def test_random_crowds_are_parted_alike_by_all_engines() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(1, 60))
        once = {(int(w), int(h)) for w, h in rng.integers(0, (8, 5), (n, 2))}
        rows = [
            (f"p{w}", h, int(rng.integers(0, 2)), int(h + rng.integers(0, 3)) if rng.random() < 0.9
             else -1) for w, h in sorted(once)
        ]  # fmt: skip
        position, out, _ = _parted([rows[at] for at in rng.permutation(len(rows))])
        assert all(there == -1 for there, gone in zip(position, out, strict=True) if gone)
