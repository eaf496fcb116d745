"""The judge judged: it sees what is planted, and nothing where nothing is."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.engines.local.table import LocalTable
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.patterns import diversity
from anachron.methods.reposition import deal
from tests.daily import daily
from tests.oracle.worlds import desk
from tests.oracle.worlds.judge import judge, judge_by_lot
from tests.oracle.worlds.leaks import LEAKS, PAPER
from tests.oracle.worlds.lots import Lots, every_run
from tests.oracle.worlds.play import Ending, Player
from tests.oracle.worlds.playing import player
from tests.oracle.worlds.story import Person, Story, World

FOUR = tuple(Person(f"P{age}", (age,)) for age in (31, 32, 50, 51))
ONCE = Story(
    "once",
    an.MInvariance(m=2, mode="transparent"),
    (*FOUR, Person("P60", (60,))),
    (),
    dealt=("a", "a", "b", "b", "c"),
)
DAY = Story("a day", an.Reposition(l=2, window=1), FOUR, (), dealt=("a", "a", "b", "c"))
ROWS = Story(
    "rows",
    an.TimeGranularity(k=3, granularities=["week"]),
    tuple(Person(f"P{i}", ("q",), (i,)) for i in range(3)),
    ("x", "y", "z"),
    columns=("ward",),
    dealt=("x", "y", "z"),
)


class Teller(Player):
    """Publishes the value of the first person with some probability, or a made-up one."""

    def __init__(self, truth: Fraction) -> None:
        super().__init__(Story("teller", an.MInvariance(m=2), FOUR[:2], ("a", "b")))
        self.truth = truth

    def all_endings(self, world: World) -> Iterator[tuple[Ending, Fraction]]:
        yield self._told(world[0]), self.truth
        yield self._told("ab".replace(world[0], "")), 1 - self.truth

    def ending(self, world: World, rng: random.Random, full: bool = False) -> Ending:
        true = rng.random() < self.truth
        return self._told(world[0] if true else "ab".replace(world[0], ""))

    def _told(self, value: str) -> Ending:
        return Ending((("told", value),), ("shown", "shown"))


def test_beliefs_are_exact() -> None:
    assert judge(Teller(Fraction(1, 2))).holds
    verdict = judge(Teller(Fraction(501, 1000)))
    assert verdict.worst.chance == Fraction(501, 1000)
    assert verdict.outputs_above == 2
    assert {belief.person for belief in verdict.above} == {"P31"}


def test_runs_by_lot_see_what_they_say_they_see() -> None:
    power = judge_by_lot(Teller(Fraction(1, 2)), 1_000, 1).power
    assert 0.5 < power < 0.7
    seen = [not judge_by_lot(Teller(Fraction(power)), 1_000, seed).holds for seed in range(25)]
    assert sum(seen) >= 20
    quiet = [judge_by_lot(Teller(Fraction(1, 2)), 1_000, seed).holds for seed in range(25)]
    assert all(quiet)


def test_all_draws_are_gone_through_once() -> None:
    def run(lots: Lots) -> tuple[list[int], int]:
        order = lots.order([0, 1, 0, 0])
        return order, lots.pick(2) if order[0] == 0 else -1

    found = list(every_run(run))
    assert len(found) == 2 * 2 + 4
    assert sum(chance for _, chance in found) == 1
    assert len({(*order, more) for (order, more), _ in found}) == len(found)


@pytest.mark.campaign
def test_a_draw_by_age_is_caught(monkeypatch) -> None:
    """Who of those with one value goes where must be drawn: the youngest first is a leak."""
    assert judge(player(ONCE)).holds
    monkeypatch.setattr(KeyedLots, "subjects", lambda self, purpose, who: np.arange(len(who)))
    assert not judge(player(ONCE)).holds


def test_groups_that_follow_the_table_are_caught(monkeypatch) -> None:
    assert not judge(player(DAY)).unadmitted
    real = deal.bucketize

    def in_order(snapshot, value, lot, ell, largest):
        return real(snapshot, value, np.arange(len(lot)), ell, largest)

    monkeypatch.setattr(deal, "bucketize", in_order)
    assert judge(player(DAY)).unadmitted


def test_a_cut_that_is_tried_whatever_it_tells_is_caught(monkeypatch) -> None:
    assert judge(player(LEAKS["D5"])).holds
    monkeypatch.setattr(diversity, "_quiet", lambda *_: True)
    assert judge(player(LEAKS["D5"])).worst.chance == 1


def test_rows_in_the_order_of_the_table_are_caught(monkeypatch) -> None:
    assert judge(player(ROWS)).holds
    real = LocalTable.sort

    def as_they_came(table, kind, batches):
        rows = pa.Table.from_batches(list(batches), kind)
        in_order = pa.Table.from_batches(list(real(table, kind, iter(rows.to_batches()))))
        return iter(in_order.set_column(1, kind.field(1), rows.column(1)).to_batches())

    monkeypatch.setattr(LocalTable, "sort", as_they_came)
    assert judge(player(ROWS)).worst.chance == 1


FIVE = Story(
    "five series",
    an.KPAnonymity(k=2, P=2, l=2),
    tuple(Person(f"S{i}", (i, 9 * (i % 2), 20 - 3 * i)) for i in range(5)),
    (),
    times=("t1", "t2", "t3"),
    dealt=("a", "a", "b", "c", "d"),
)
FIVE_VALUES = an.MInvariance(m=2, mode="transparent", values=("a", "b", "c", "d", "e"))
LISTED = an.MInvariance(
    m=2, mode="sticky", values=("a", "b", "c", "d", "e", "f"),
    changes={"a": "bcd", "b": "cd", "c": "de", "d": "ef", "e": "fa", "f": "ab"},
)  # fmt: skip
BOTH = Story(
    "two change",
    an.MInvariance(m=2, mode="sticky", values=("a", "b", "c", "d", "e", "f")),
    tuple(Person(f"P{age}", (age,), (0, 1), (1,)) for age in (30, 40)),
    ("a", "b", "c", "d", "e", "f"),
    named=True,
)
DRAWN = {
    "two changed": (BOTH, ("a", "e", "b", "d")),
    "two changed as listed": (replace(BOTH, promise=LISTED), ("a", "b", "b", "d")),
    "two changed to the same": (replace(BOTH, promise=FIVE_VALUES), ("a", "e", "b", "e")),
    "a register": (PAPER, ("a", "a", "b", "c", "d")),
    "changed": (LEAKS["D1 transparent"], None),
    "a feed": (LEAKS["D3"], ("flu", "flu", "burn", "hiv")),
    "series": (FIVE, ("a", "b", "c", "a", "d")),
}


@pytest.mark.parametrize("name", daily(DRAWN, "a feed", "series"))
def test_draws_that_are_left_out_make_no_difference(name: str) -> None:
    """Lots in every order there is lead to the same endings, as often."""
    told, world = DRAWN[name]
    playing = player(told)
    world = world or next(w for w in told.worlds() if "hiv" in w)
    assert world in set(told.worlds())
    exact: dict[Ending, Fraction] = defaultdict(Fraction)
    for ending, chance in playing.all_endings(world):
        exact[ending] += chance
    assert sum(exact.values()) == 1
    rng, runs = random.Random(1), 80
    found = Counter(playing.ending(world, rng, full=True) for _ in range(runs))
    assert set(found) <= set(exact)
    for ending, chance in exact.items():
        spread = (float(chance * (1 - chance)) / runs) ** 0.5
        assert abs(found[ending] / runs - float(chance)) <= 4.5 * spread


@pytest.mark.parametrize("name", DRAWN)
def test_nothing_is_drawn_elsewhere(monkeypatch, name: str) -> None:
    """With the same lots, another key gives the same endings: all draws go through the judge."""
    told, chosen = DRAWN[name]
    world = chosen or list(told.worlds())[-1]
    first = list(player(told).all_endings(world))
    monkeypatch.setattr(desk, "KEY", b"quite another key, of 32 bytes, ")
    assert list(player(told).all_endings(world)) == first


def test_what_is_seen_is_what_is_published(tmp_path) -> None:
    """The public API, files, audit and all, publishes what the judge says may be seen."""
    told, world = LEAKS["D2 sticky"], ("flu", "hiv", "hiv", "flu", "hiv")
    shown = []
    for at in range(told.snapshots):
        rows = [r for r in told.records if r.at == at]
        table = pa.table({
            "who": [told.people[r.person].name for r in rows],
            "age": [told.people[r.person].quasi[0] for r in rows],
            "ill": [world[r.slot] for r in rows],
        })  # fmt: skip
        schema = an.Schema(subject="who", quasi="age", sensitive="ill")
        release = an.publish(
            table, schema, told.promise, ledger=tmp_path / "ledger", to=tmp_path / "releases"
        )
        shown.append({n: release.table(n).to_pydict() for n in ("data", "counterfeits")})
    endings = [ending.seen for ending, _ in player(told).all_endings(world)]
    assert shown in [[_tables(seen) for seen in ending] for ending in endings]


def _tables(seen: desk.Seen) -> dict[str, dict[str, list[object]]]:
    return {name: {column: cells for column, *cells in columns} for name, *columns in seen[1:]}
