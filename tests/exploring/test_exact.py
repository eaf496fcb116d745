"""What is shown is what is published: a point that is chosen has its risks and losses exactly."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.asking.published import opened
from anachron.behind import read
from anachron.errors import AnachronError
from anachron.exploring.point import Point
from anachron.exploring.rehearsal import QUESTIONS
from anachron.exploring.temporal import curves_of
from anachron.plan import Plan
from anachron.release import Release
from tests.trying import cases

SENSITIVE = an.Schema(subject="who", time="day", quasi=["age", "ward"], sensitive="ill")
Case = tuple[pa.Table, an.Plan, dict[str, list[Any]]]


def events(seed: int, folder: Path) -> Case:
    table, promise, over = cases.events(seed)
    return table, cases.planned(SENSITIVE, promise, folder), dict(over)


def register(seed: int, folder: Path) -> Case:
    promise = an.MInvariance(m=2, when_ineligible="hold")
    over = {"m": [2, 3, 4], "mode": ["paper", "transparent"], "when_ineligible": ["hold", "refuse"]}
    return cases.register(seed), cases.planned(cases.REGISTER, promise, folder), over


def feed(seed: int, folder: Path) -> Case:
    then: Any = ("anatomy", "generalize", an.MInvariance(m=2))[seed % 3]
    inside = not isinstance(then, str)
    promise = an.Reposition(l=2, window=2, repeated="one", then=then)
    over: dict[str, list[Any]] = (
        {"window": [1, 2, 3]} if inside else {"l": [2, 3], "window": [1, 2]}
    )
    return cases.feed(seed), cases.planned(cases.FEED, promise, folder), over


def series(seed: int, folder: Path) -> Case:
    over = {"k": [4, 6, 12], "P": [2, 3], "algorithm": ["kapra", "naive"], "l": [None, 2]}
    return (
        cases.series(seed),
        cases.planned(cases.SERIES, an.KPAnonymity(k=4, P=2), folder),
        over,
    )


KINDS: dict[str, tuple[Callable[[int, Path], Case], tuple[str, ...], tuple[str, ...]]] = {
    "events": (events, ("value", "unique", "attack"), ("windows", "lags", "questions")),
    "register": (register, ("unique", "attack"), ("questions",)),
    "feed": (feed, ("unique", "attack"), ("windows", "trends", "weekdays", "questions")),
    "series": (series, ("unique", "attack"), ("questions",)),
}


BRIEF: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "events": (("value", "unique"), ("windows",)),
    "register": (("unique",), ("questions",)),
    "feed": (("unique",), ("windows", "trends")),
    "series": (("unique",), ()),
}
"""What every day is long enough for."""


def chosen_and_published(kind: str, seed: int, folder: Path, *, brief: bool = False) -> bool:
    """Explore over random settings, publish a random point, and compare all that was shown.

    Gives whether it can be kept; if not, publishing must refuse it for the reason that was shown.
    """
    make, risks, losses = KINDS[kind]
    risks, losses = BRIEF[kind] if brief else (risks, losses)
    table, plan, over = make(seed, folder)
    an.Ledger.open(plan.ledger)  # its key draws the lots, of candidates and releases alike
    rng = random.Random(seed)
    some = {name: rng.sample(values, 1) for name, values in over.items()}
    found = an.frontier(plan, some, risk=risks, loss=losses, table=table)
    point = rng.choice([point for point in found if point.plan is not None])
    if not point.kept:
        with pytest.raises(AnachronError) as refused:
            an.publish(table, plan.schema, point.guarantee, ledger=plan.ledger, to=plan.releases)
        assert str(refused.value) == point.reason
        return False
    written = found.write(point.number, folder / "chosen.toml")
    published(point, Plan.read(written), table, (*risks, *losses))
    return True


_ATTACKS = {"unique": "uniqueness", "value": "homogeneity"}


def published(point: Point, plan: an.Plan, table: pa.Table, names: tuple[str, ...]) -> None:
    assert plan == point.plan
    an.publish(table, plan.schema, plan.guarantee, ledger=plan.ledger, to=plan.releases)
    entries = an.Ledger.open(plan.ledger).entries()
    evidence: dict[str, Any] = {"table": table, "schema": plan.schema, "ledger": plan.ledger}
    only = () if "attack" in names else {_ATTACKS[name] for name in names if name in _ATTACKS}
    every = [one for entry in entries for one in an.attack(entry.path, only=only, **evidence)]
    shares = {
        "attack": [one.exposed / one.people for one in every if one.people],
        "unique": [one.exposed / one.people for one in every if one.attack == "uniqueness"],
        "value": [one.figures["largest_share"] for one in every if one.attack == "homogeneity"],
    }
    for name, found in shares.items():
        if name in names:
            assert point.risks[name] == max(found, default=None), name
    releases = [entry.path for entry in entries]
    if "questions" in names:
        asked = an.utility(releases, questions=QUESTIONS, **evidence)
        assert point.losses["questions"] == asked.measures[0].median
    with closing(read(table, plan.schema)) as rows:
        held = [Release(path) for path in releases]
        curves = None if "windows" not in names else curves_of(opened(held), held, rows)
        for name in {"windows", "trends", "weekdays", "lags"} & set(names):
            assert curves is not None
            assert point.losses[name] == getattr(curves, name)(), name
    # The same plan, once more from the ledger: the figures are those of the release that is there.
    again = an.frontier(plan, {}, table=table)
    own = next(one for one in again if one.own and one.first)
    figures: Any = point.figures
    assert own.figures is not None
    told, shown = own.figures.to_dict(), figures.to_dict()
    # Ladders that were cut are not told of any more.
    loose = {"steps", "quasi_loss"} if not point.first else set()
    assert {n: v for n, v in told.items() if n not in loose} == {
        n: v for n, v in shown.items() if n not in loose
    }
    assert own.resolution == point.resolution
    quick = set(own.losses) & set(point.losses)
    assert {name: own.losses[name] for name in quick} == {n: point.losses[n] for n in quick}


@pytest.mark.parametrize("kind", KINDS)
def test_a_chosen_point_is_what_is_published(kind: str, tmp_path: Path) -> None:
    assert chosen_and_published(kind, 3, tmp_path, brief=True)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_two_hundred_candidates_of_all_methods(kind: str, tmp_path: Path) -> None:
    seeds = range(100, 150)
    assert sum(chosen_and_published(kind, seed, tmp_path / f"{seed}") for seed in seeds) > 25


def test_each_of_several_least_answers_is_published_by_its_own_plan(tmp_path: Path) -> None:
    table, plan, _ = events(1, tmp_path)
    found = an.frontier(plan, {"max_suppressed": ["0.1"], "k": [2]}, table=table)
    several = [point for point in found if point.beside]
    assert len({point.resolution.name for point in several}) > 1
    for point in several[:2]:
        aside = tmp_path / f"{point.number}"
        assert point.plan is not None
        release = an.publish(
            table, plan.schema, point.plan.guarantee, ledger=aside / "l", to=aside / "r"
        )
        assert release.explanation is not None
        [answer] = release.explanation["answers"][:1]
        figures: Any = point.figures
        assert answer["granularity"] == figures.granularity
        assert answer["gen_c"] == [figures.smallest_group, figures.people_in_groups]
        assert answer["suppressed_rows"] == figures.left_out
        if not point.first:
            assert len(release.explanation["answers"]) == 1


def test_other_answers_of_what_is_published_already_cannot_be(tmp_path: Path) -> None:
    table, plan, _ = events(1, tmp_path)
    fresh = an.frontier(plan, {"k": [2]}, table=table)
    several = [point for point in fresh if point.own]
    assert len(several) > 1
    an.publish(table, plan.schema, plan.guarantee, ledger=plan.ledger, to=plan.releases)
    first, *others = (point for point in an.frontier(plan, {}, table=table) if point.own)
    assert first.kept
    assert others
    assert all("was published before, as release 1" in point.reason for point in others)
