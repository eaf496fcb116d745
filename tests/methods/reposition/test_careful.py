"""Careful feeds: who is on time is hidden without those who came late, and cut by quasi alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import GuaranteeError, InternalError, PlanError
from anachron.kernels.diversity import cell_size
from anachron.kernels.mondrian import sized
from anachron.methods.reposition import anatomy
from anachron.methods.reposition.deal import deal
from anachron.methods.reposition.eligible import is_eligible, kept
from anachron.methods.reposition.plan import Due, Rule, arrive, begin, finish
from anachron.methods.reposition.rule import linear

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
ELLS = [Fraction(n, d) for n, d in ((2, 1), (3, 1), (5, 1), (3, 2), (5, 2), (7, 3))]


def planned(arrived: list[np.ndarray], rule: Rule) -> list[Due]:
    window, dues = begin(rule), []
    for counts in arrived:
        window, due = arrive(window, rule, counts)
        dues += due
    return dues + finish(window, rule)


def own(due: Due) -> np.ndarray:
    return due.count[due.home == due.position]


@pytest.mark.parametrize("seed", range(40))
def test_whoever_is_on_time_is_eligible_without_latecomers(seed: int) -> None:
    """A recycled plan needs nobody to be given up; and it publishes each record once, in time."""
    rng = np.random.default_rng(seed)
    l, window = ELLS[seed % 6], int(rng.integers(1, 6))  # noqa: E741
    arrived = [rng.poisson(rng.gamma(0.7, 3, 5)).astype(np.int64) for _ in range(25)]
    rule = Rule(l, window, linear(window), Fraction(window), strict=True, first="cold")
    dues = planned(arrived, rule)
    assert all(is_eligible(own(due), l) for due in dues)
    left = np.array(arrived)
    for due in dues:
        assert ((due.position - due.home >= 0) & (due.position - due.home < window)).all()
        total = np.bincount(due.value, due.count, 5).astype(np.int64)
        assert is_eligible(total, l)
        np.subtract.at(left, (due.home, due.value), due.count)
        np.subtract.at(left, (due.suppressed.home, due.suppressed.value), due.suppressed.count)
    assert not left.any()


def test_without_care_somebody_is_on_time_only_because_of_a_latecomer() -> None:
    days = [np.array([3, 1, 0]), np.array([0, 0, 1])]
    rule = Rule(Fraction(2), 2, linear(2), Fraction(2), first="cold")
    assert not all(is_eligible(own(due), rule.l) for due in planned(days, rule))


@pytest.mark.parametrize("l", ELLS, ids=str)
def test_groups_are_diverse_with_latecomers_and_without(l: Fraction) -> None:  # noqa: E741
    rng = np.random.default_rng(l.numerator)
    for _ in range(60):
        rows = [
            (snapshot, value, late)
            for snapshot in range(3)
            for value, late, count in _snapshot(rng, l)
            for _ in range(count)
        ]
        if not rows:
            continue
        snapshot, value, late = np.array(rows).T
        snapshot = np.unique(snapshot, return_inverse=True)[1]
        lot = rng.permutation(len(rows)).astype(np.uint64)
        group = deal(snapshot, value, lot, late.astype(bool), l)
        assert sorted(set(group.tolist())) == list(range(group.max() + 1))
        for one in range(group.max() + 1):
            mine = group == one
            assert len(set(snapshot[mine])) == 1
            assert is_eligible(np.bincount(value[mine]), l)
            assert is_eligible(np.bincount(value[mine & (late == 0)]), l)


def _snapshot(rng: np.random.Generator, l: Fraction) -> list[tuple[int, int, int]]:  # noqa: E741
    on_time = kept(rng.integers(0, 7, 6), l)
    together = kept(on_time + rng.integers(0, 5, 6) * (rng.random(6) < 0.5), l)
    assert (together >= on_time).all(), "who is on time is never left out for a latecomer"
    pairs = zip(on_time.tolist(), (together - on_time).tolist(), strict=True)
    return [(v, late, n) for v, both in enumerate(pairs) for late, n in enumerate(both) if n]


def test_cells_do_not_look_at_values() -> None:
    rng = np.random.default_rng(1)
    x, counts = rng.random((200, 2)), rng.random(200) < 0.9
    snapshot = np.repeat([0, 1], 100)
    group = sized(x, counts, np.array([12, 1000]), snapshot)
    sizes = np.bincount(group[counts])
    assert len(set(group[snapshot == 1])) == 1
    assert (sizes >= 12).all()
    assert len(sizes) > 4


def test_the_size_of_cells_follows_from_how_often_values_occur() -> None:
    flat, skewed = np.full(50, 20), np.array([450, *[11] * 50])
    assert cell_size(flat, Fraction(2), Fraction(1, 200)) < 20
    assert cell_size(skewed, Fraction(2), Fraction(1, 200)) > 80
    assert cell_size(np.array([3, 3]), Fraction(2), Fraction(1, 200)) == 0


def feed(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    day = np.sort(rng.integers(0, 8, 260))
    ill = np.array(list("abcdefghij"))[np.minimum(rng.geometric(0.3, 260) - 1, 9)]
    return pa.table({
        "who": [f"p{i}" for i in range(260)],
        "age": rng.permutation(260),
        "day": [f"2024-05-{d + 1:02d}" for d in day],
        "ill": ill,
    })  # fmt: skip


def published(table: pa.Table, folder: Path, **promise: object) -> an.Release:
    given = an.Reposition(**{"l": 3, "window": 3, **promise})
    return an.publish(table, SCHEMA, given, ledger=folder / "ledger", to=folder / "releases")


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
@pytest.mark.parametrize("solver", ["recycle", "rolling"])
def test_a_careful_feed_is_audited_without_its_latecomers(tmp_path, then, solver) -> None:
    table = feed(1)
    release = published(table, tmp_path, then=then, solver=solver)
    assert release.explanation["moved"]
    verdict = an.audit(release, table=table, ledger=tmp_path / "ledger")
    assert verdict.holds
    assert "on time" in {check.name for check in verdict.checks}


@pytest.mark.usefixtures("one_key")
def test_the_audit_sees_groups_that_need_their_latecomers(tmp_path, monkeypatch) -> None:
    """The same groups as without care, under a careful promise: publishing stops."""

    def as_before(snapshot, value, lot, late, ell, largest):
        return anatomy.bucketize(snapshot, value, lot, ell, largest)

    monkeypatch.setattr(anatomy, "deal", as_before)
    with pytest.raises(InternalError, match="on time"):
        published(feed(1), tmp_path)


def test_what_careless_feeds_promise_is_what_they_promised_before(tmp_path) -> None:
    careless = an.Reposition(l=3, window=3, careful=False)
    assert "careful" not in careless.to_dict()
    assert an.Reposition.from_dict(careless.to_dict()) == careless
    assert an.Reposition.from_dict(an.Reposition(l=3, window=3).to_dict()).careful
    published(feed(1), tmp_path, careful=False)
    with pytest.raises(PlanError, match="careful has no meaning"):
        an.Reposition(window=3, then=an.MInvariance(m=2), careful=True)


def rows(day: int, people: dict[str, str]) -> pa.Table:
    return pa.table({
        "who": list(people),
        "age": list(range(30, 30 + len(people))),
        "day": [f"2024-05-{day:02d}"] * len(people),
        "ill": list(people.values()),
    })  # fmt: skip


def test_a_feed_does_not_hold_people_back_against_its_owners_word(tmp_path) -> None:
    """Only a and b are ever possible for x and y, so that nothing is left for x with a c."""

    def opened(word: str) -> an.Publisher:
        then = an.MInvariance(m=2, when_ineligible=word)
        promise = an.Reposition(window=1, then=then)
        return an.open(an.Plan("feed.csv", SCHEMA, promise, tmp_path / "r", tmp_path / "l"))

    tuesday = rows(2, {"x": "c", "y": "b"})
    assert len(opened("refuse").push(rows(1, {"x": "a", "y": "b"}))) == 1
    before = opened("refuse").standing
    for _ in range(2):
        with pytest.raises(GuaranteeError, match=r"2024-05-02 is neither.*push the same again"):
            opened("refuse").push(tuesday)
        assert opened("refuse").standing == before
    [release] = opened("hold").push(tuesday)
    assert release.explanation["refused"] == 1
    assert opened("hold").standing.account.total.refused == 1
