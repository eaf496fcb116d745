"""A register that is judged some people at a time is judged in the same words.

Every scene in which a check of a register fails is shown twice: held, and with pieces so small that
most have nobody or one person in them.
"""

from __future__ import annotations

import random
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.evidence import register
from anachron.auditing.run import verify
from anachron.behind import Large, Microdata, read, read_aside
from anachron.flow.evidence import remembered_of
from anachron.making.openness import opened_by
from anachron.schema import Schema
from anachron.scratch import near
from tests.auditing import invariance_draft
from tests.auditing.kinds import KINDS, SEEDED
from tests.auditing.scenes import SCENES
from tests.auditing.seeding import Bug
from tests.auditing.test_every_check import SHOWN_BY

OF_REGISTERS = sorted({SHOWN_BY[one] for one in SHOWN_BY if one.startswith(("inv", "comp"))})
OF_SEEDS = [bug for name, bug in SEEDED if name == "register"]
SOME = OF_REGISTERS[::9]


@pytest.mark.parametrize(
    "scene",
    [pytest.param(n, marks=() if n in SOME else pytest.mark.campaign) for n in OF_REGISTERS],
)
def test_the_verdict_is_the_same(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_key: None
) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "pieces").mkdir()
    held = SCENES[scene](tmp_path / "held")
    monkeypatch.setattr(register, "AT_ONCE", 1)
    pieces = SCENES[scene](tmp_path / "pieces")
    assert pieces.to_dict() == held.to_dict()


def passing(rows: list[dict[str, Any]], schema: Schema) -> Large:
    """A table of these rows that is not held: one row passes by after the other."""
    found = read_aside(pa.Table.from_pylist(rows), schema, 1)
    assert isinstance(found, Large)
    weakref.finalize(found, found._opened.close)
    return found


@pytest.mark.parametrize("bug", OF_SEEDS, ids=[bug.name for bug in OF_SEEDS])
def test_a_seeded_bug_is_told_in_the_same_words(
    bug: Bug, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS["register"]
    bad = kind.spoilt(bug)
    release = kind.write(bad, tmp_path)
    held = kind.judged(bad, release)
    monkeypatch.setattr(register, "AT_ONCE", 1)
    pieces = kind.judged(bad, release)
    assert pieces.to_dict() == held.to_dict()
    monkeypatch.setattr(invariance_draft, "held", passing)
    assert kind.judged(bad, release).to_dict() == held.to_dict()
    assert not held.holds


def test_pieces_of_a_state_are_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.auditing.invariance_story import third

    table = third().state_table()
    whole = register.register_state(table, register.Book())
    assert whole is not None
    for parts in (1, 2, 7, 400):
        pieces = list(register.memory_of(table, register.Book()).pieces(parts))
        assert len(pieces) == parts
        assert sum(len(piece.subject) for piece in pieces) == table.num_rows
        assert [s for piece in pieces for s in piece.subject.to_pylist()] == (
            whole.subject.to_pylist()
        )
        assert [m for piece in pieces for m in piece.mark.tolist()] == whole.mark.tolist()
        assert [n for piece in pieces for n in piece.earlier.tolist()] == whole.earlier.tolist()
    monkeypatch.setattr(register, "AT_ONCE", 1)
    assert register.parts_of(table.num_rows) == table.num_rows
    assert register.parts_of(0) == 1


SCHEMA = Schema(subject="person", quasi=["age", "area"], sensitive="diagnosis")


@pytest.mark.parametrize("then", ["generalize", "anatomy"])
def test_a_published_register_is_judged_alike_by_a_table_that_is_not_held(
    then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, draw = tmp_path / "l", random.Random(1)
    for release in range(2):
        people = range(release * 60, 500 + release * 20)
        table = pa.table(
            {
                "person": [f"P{one}" for one in people],
                "age": [draw.randrange(90) for _ in people],
                "area": [draw.randrange(40) for _ in people],
                "diagnosis": [f"D{(one * 7 + release * (one % 50 == 0)) % 23}" for one in people],
            }
        )
        made = an.publish(
            table, SCHEMA, an.MInvariance(m=4, then=then), ledger=ledger, to=tmp_path / "r"
        )
    entry, past, _ = remembered_of(made, ledger)

    def told(by: Microdata | Large) -> list[object]:
        alone, aided = (
            verify(made, microdata=by, entry=of, history=before)
            for of, before in ((None, None), (entry, past))
        )
        assert alone.holds
        assert aided.holds
        return [alone.to_dict(), aided.to_dict(), opened_by(made, by)]

    with near(ledger), closing(read(table, SCHEMA)) as held:
        whole = told(held)
    monkeypatch.setattr(register, "AT_ONCE", 37)
    with near(ledger), closing(read_aside(table, SCHEMA, 50)) as aside:
        assert isinstance(aside, Large)
        assert told(aside) == whole
