"""The seam is real: another engine, of rows in shuffled pieces, gives the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.demo import JOBS
from anachron.engines.base import Batch
from anachron.engines.local import load as local
from anachron.engines.local.rows import LocalRows
from tests.daily import daily
from tests.engines.pieces import Pieces, PieceTable
from tests.golden.stories import STORIES
from tests.golden.test_golden import compare

METHODS = (an.TimeGranularity, an.MInvariance, an.Reposition)
"""Those that ask for verbs alone."""
OURS = [name for name, story in STORIES.items() if isinstance(story.promise, METHODS)]
SHOWN = [job for job in JOBS if isinstance(job.guarantee, METHODS)]


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables be held by the engine of pieces, whoever reads them."""
    real = local.load
    monkeypatch.setattr(local, "load", lambda *given: PieceTable(real(*given)))


@pytest.mark.parametrize(
    "name",
    daily(
        OURS,
        "visits",
        "transparent",
        "boxes",
        "ladders",
        "years",
        "paper",
        "careful",
        "in time",
        "apart",
    ),
)
@pytest.mark.usefixtures("one_key", "in_pieces")
def test_a_history_is_the_same_in_pieces(name: str, tmp_path: Path) -> None:
    story = STORIES[name]
    for step in range(1, story.steps + 2):
        story.step(tmp_path, step)
    compare(name, tmp_path / "releases", tmp_path / "ledger")


@pytest.mark.parametrize("name", daily(OURS, "visits", "standing", "several"))
@pytest.mark.usefixtures("one_key")
def test_what_is_remembered_is_the_same_in_pieces(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    states = []
    for engine in ("whole", "pieces"):
        if engine == "pieces":
            request.getfixturevalue("in_pieces")
        story = STORIES[name]
        for step in range(1, story.steps + 2):
            story.step(tmp_path / engine, step)
        ledger = an.Ledger.open(tmp_path / engine / "ledger")
        states.append([_sorted(ledger.state(entry).table()) for entry in ledger.entries()])
    assert states[0] == states[1]
    assert states[0]


def _sorted(state: pa.Table) -> tuple[object, object]:
    return state.sort_by(state.column_names[0]).to_pydict(), state.schema.metadata


def test_verbs_mean_the_same_in_both_engines() -> None:
    rng = np.random.default_rng(7)
    for rows in (0, 1, 40, 900):
        columns = {
            "row": np.arange(rows),
            "cell": rng.integers(-1, 5, rows),
            "far": rng.integers(0, 3, rows) * 2**61,
            "text": pa.array(rng.choice(["a", "b", "ü"], rows).tolist(), pa.string()),
            "lot": rng.integers(0, 2**63, (rows, 2)).astype(np.uint64),
            "box": rng.normal(size=(rows, 2)),
            "flag": rng.random(rows) < 0.5,
        }
        size = np.bincount(columns["cell"] + 1, minlength=6)[1:]
        parts = {
            "cell": np.array([3, 0, 0, 1, 2]),
            "count": np.array([size[3] // 2, size[0] // 3, size[0] // 4, size[1], 0]),
            "to": np.array([7, 8, 9, 10, 11]),
        }
        told = []
        for engine in (LocalRows.of(columns), Pieces.of(columns)):
            summary = {"n": ("sum", "row"), "low": ("least", "box"), "high": ("most", "box"),
                       "first": ("least", "row"), "words": ("sum", "word")}  # fmt: skip
            held = engine.map(lambda batch: {"word": batch["lot"][:, 0]})
            groups = held.counts(("cell", "far", "text"), summary)
            some = held.where("flag").counts(("cell",)).numbered(("cell",), "number")
            held = held.dealt("cell", "lot", parts, "to").join(some, ("cell",))
            held = held.only("row", "cell", "to", "number", "count", "flag").map(
                _place, together="cell"
            )
            with pytest.raises(KeyError):
                held.collect("text")
            told.append([
                _rows(groups, "cell", "far", "text", "count", *summary),
                _rows(held, "row", "to", "number", "count", "place"),
                len(groups), len(held.where("flag")),
            ])  # fmt: skip
        assert told[0] == told[1]


def _place(batch: Batch) -> Batch:
    """Of each row, how many of its cell come before it."""
    cell, row = batch["cell"], batch["row"]
    before = (cell[:, None] == cell) & (row[:, None] > row)
    return {"place": before.sum(axis=1)}


def _rows(held: LocalRows | Pieces, *names: str) -> list[tuple[object, ...]]:
    told = held.collect(*names)
    columns = [told[name].tolist() if isinstance(told[name], np.ndarray) else
               told[name].to_pylist() for name in names]  # fmt: skip
    return sorted(map(tuple, zip(*columns, strict=True)), key=repr)
