"""Questions about series: the truth is always within the bounds, and exact where they align."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from anachron.asking.figures import Estimates
from anachron.asking.question import (
    EVERYTHING,
    NOTHING,
    Aggregate,
    All,
    Among,
    FeatureIn,
    Grouping,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from anachron.asking.question import Any as Either
from anachron.asking.run import ask
from anachron.asking.series import PublishedSeries
from anachron.asking.series_spread import Spread
from anachron.errors import GuaranteeError, QuestionError, ReleaseError
from anachron.release.read import Release
from tests.asking.series_cases import KINDS, TIMES, Case, leaf, published, question
from tests.oracle.asking_series import answer, cell_moments, meets
from tests.release.forging import restate

COUNT = Aggregate()


@pytest.fixture(scope="module", params=KINDS)
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    settings = KINDS[request.param]
    return published(tmp_path_factory.mktemp("series"), len(request.param), **settings)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Case:
    return published(tmp_path_factory.mktemp("plain"), 3)


def test_the_true_count_is_always_within_the_bounds(case: Case) -> None:
    found = sound(case, 5, 80)
    # Bounds that say nothing would be sound, too.
    assert np.median(found.high - found.low) < 0.7 * len(case.people)


def sound(case: Case, seed: int, questions: int) -> Estimates:
    """Demand bounds that hold the truth."""
    rng = np.random.default_rng(seed)
    conditions = [question(rng, case) for _ in range(questions)]
    found = case.series.figures(conditions, COUNT)
    for at, condition in enumerate(conditions):
        truth = sum(meets(condition, who) for who in case.people)
        assert found.low[at] <= truth <= found.high[at], condition
    assert (found.low <= found.estimate + 1e-9).all()
    assert (found.estimate <= found.high + 1e-9).all()
    assert (found.variance >= 0).all()
    return found


def test_true_sums_and_means_are_within_the_bounds(case: Case) -> None:
    rng = np.random.default_rng(6)
    conditions = [question(rng, case) for _ in range(12)]
    for column in ("bill", case.value_times[0], case.pattern_times[-1]):
        for kind in ("sum", "avg"):
            found = case.series.figures(conditions, Aggregate(kind, column))
            for at, condition in enumerate(conditions):
                own = [who for who in case.people if meets(condition, who)]
                numbers = [{**who.columns, **who.values}[column] for who in own]
                if numbers or kind == "sum":
                    truth = math.fsum(numbers) / (len(numbers) if kind == "avg" else 1)
                    assert found.low[at] - 1e-6 <= truth <= found.high[at] + 1e-6, condition


def test_what_aligns_with_the_publication_is_exact(case: Case) -> None:
    everyone = len(case.people)
    low = np.full(6, -1e9)
    asked = [
        EVERYTHING,
        All((ValueIn(((case.value_times[0], 1.0),), (Span(-1e9, 1e9),)),)),
        Similar(tuple(low[: len(case.pattern_times)].tolist()), 1e3),
        FeatureIn(((case.pattern_times[0], 1.0),), (Span(-3, 3),)),
        NOTHING,
        ValueIn(((case.value_times[0], 1.0),), ()),
        Ranges("bill", (Span(None, None),)),
    ]
    found = case.series.figures(asked, COUNT)
    expected = [everyone, everyone, everyone, everyone, 0, 0, everyone]
    for part in (found.low, found.estimate, found.high):
        assert part.tolist() == expected
    assert not found.variance.any()


def test_a_range_that_holds_whole_envelopes_is_exact(tmp_path: Path) -> None:
    case = published(tmp_path, 2, k=12)
    rows = case.rows()
    time, low, high = rows[0].envelope[0]
    rest = sum(row.envelope[0][1:] == (low, high) for row in rows)
    asked = [ValueIn(((time, 1.0),), (Span(low, high),))]
    found = case.series.figures(asked, COUNT)
    assert found.low[0] >= rest
    widest = ValueIn(
        ((time, 1.0),),
        (Span(min(r.envelope[0][1] for r in rows), max(r.envelope[0][2] for r in rows)),),
    )
    assert case.series.figures([widest], COUNT).low[0] == len(rows)


def test_letters_that_differ_settle_which_value_is_larger(plain: Case) -> None:
    first, last = TIMES[0], TIMES[-1]
    words = [row.word for row in plain.rows()]
    up = sum(word[-1] > word[0] for word in words)
    alike = [row.constant for row in plain.rows() if row.word[-1] == row.word[0]]
    rises = (Span(0.0, None, low_closed=False),)
    weights = ((first, -1.0), (last, 1.0))
    for word in {*words}:
        only, rows = Among("pattern", frozenset([word])), words.count(word)
        for kind in (FeatureIn, ValueIn):
            found = plain.series.figures([All((kind(weights, rises), only))], COUNT)
            assert found.low[0] == rows or word[-1] <= word[0]
            assert found.high[0] == 0 or word[-1] >= word[0]
    shape = plain.series.figures([FeatureIn(weights, rises)], COUNT)
    unknown = alike.count(False)
    assert (shape.low[0], shape.high[0]) == (up, up + unknown)
    # With the same letter twice, either may be larger.
    assert shape.estimate[0] == pytest.approx(up + unknown / 2)
    assert shape.variance[0] == pytest.approx(unknown / 4)


def test_chances_of_ranges_that_leave_nothing_out_add_up(case: Case) -> None:
    first, last = case.pattern_times[0], case.pattern_times[-1]
    ends = [None, -1.2, -0.3, 0.1, 0.8, None]
    parts = [Span(a, b, high_closed=False) for a, b in itertools.pairwise(ends)]
    for weights in (((last, 1.0),), ((first, -1.0), (last, 1.0)), ((first, 2.0), (last, 0.3))):
        asked = [FeatureIn(weights, (part,)) for part in parts]
        found = case.series.figures([*asked, FeatureIn(weights, (parts[1], parts[3]))], COUNT)
        assert found.estimate[:5].sum() == pytest.approx(len(case.people))
        assert found.estimate[5] == pytest.approx(found.estimate[1] + found.estimate[3])
    sequence = tuple(float(3 * i % 5) for i in range(len(case.pattern_times)))
    near = case.series.figures([Similar(sequence, 4.0, inside) for inside in (True, False)], COUNT)
    assert near.estimate.sum() == pytest.approx(len(case.people))
    assert near.variance[0] == pytest.approx(near.variance[1])


@pytest.mark.parametrize("kind", ["kapra", "overlap", "coarse"])
def test_answers_are_those_of_the_definitions(kind: str, tmp_path: Path) -> None:
    defined(published(tmp_path, 11, people=30, **KINDS[kind]), 8, 24)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_many_releases(kind: str, seed: int, tmp_path: Path) -> None:
    try:
        case = published(tmp_path, 100 + seed, **KINDS[kind])
    except GuaranteeError:
        pytest.skip("the table cannot be published in this way")
    sound(case, seed, 1000)
    defined(case, seed, 60)


def defined(case: Case, seed: int, questions: int) -> None:
    """Demand the answers of the definitions."""
    rng, rows = np.random.default_rng(seed), case.rows()
    asked = [[leaf(rng, case, simple=True) for _ in range(1 + i % 2)] for i in range(questions)]
    found = case.series.figures([All(tuple(leaves)) for leaves in asked], COUNT)
    same = 0
    for at, leaves in enumerate(asked):
        low, estimate, high = answer(leaves, rows)
        assert found.low[at] <= low, leaves
        assert found.high[at] >= high, leaves
        # Bounds that touch an end of a range by rounding alone are not judged the same.
        if (found.low[at], found.high[at]) == (low, high) and not math.isnan(estimate):
            # The quadrature of the definitions is the coarser of the two.
            assert found.estimate[at] == pytest.approx(estimate, abs=1e-4), leaves
        same += (found.low[at], found.high[at]) == (low, high)
    # Bounds are sound above; mostly they are the best, too.
    assert same >= 0.8 * len(asked)


def test_groups_are_told_apart_by_column_level_and_pattern(plain: Case) -> None:
    series, data = plain.series, plain.release.table()
    for column in ("bill", "kind", "level", "pattern"):
        keys = series.keys(Grouping(column))
        figures = series.figures([condition for _, condition in keys], COUNT)
        told = dict(zip([label for label, _ in keys], figures.estimate.tolist(), strict=True))
        counts = {r["values"]: r["counts"] for r in data[column].value_counts().to_pylist()}
        assert told == counts
        labels = [label for label in told if label is not None]
        assert labels == sorted(labels)
        assert (figures.low == figures.high).all()


def test_noise_widens_bounds_but_not_of_numbers_that_stand_twice(tmp_path: Path) -> None:
    case = published(tmp_path, 13, **KINDS["noisy"])
    shown = case.release.table()["bill"].to_pylist()
    twice = next(value for value in shown if shown.count(value) > 1)
    once = next(value for value in shown if shown.count(value) == 1)
    series = case.series
    asked = [Ranges("bill", (Span(value, value),)) for value in (twice, once)]
    found = series.figures(asked, COUNT)
    near = sum(shown.count(v) == 1 and 0 < abs(v - twice) <= 6 for v in shown)
    assert (found.low[0], found.high[0]) == (shown.count(twice), shown.count(twice) + near)
    assert (found.low[1], found.estimate[1]) == (0, 1)
    assert any("noise" in note for note in series.notes(asked[0]))
    assert not any("noise" in note for note in series.notes(EVERYTHING))


def test_notes_name_what_was_estimated(tmp_path: Path) -> None:
    case = published(tmp_path, 14, **KINDS["overlap"])
    ask = All(
        (
            ValueIn(((TIMES[5], 1.0),), (Span(0, None),)),
            FeatureIn(((TIMES[0], 1.0),), (Span(0, None),)),
        )
    )
    notes = "\n".join(case.series.notes(ask))
    assert f"Values of '{TIMES[5]}' were not published" in notes
    assert f"The pattern leaves out '{TIMES[0]}'" in notes


def test_a_time_outside_the_pattern_is_normal_within_its_estimated_letter(tmp_path: Path) -> None:
    case = published(tmp_path, 19, **KINDS["overlap"])
    beyond, inside, series = TIMES[0], TIMES[4], case.series
    records = series._records
    _, _, mean, variance = records.outside(beyond)
    level = records.words.level[records.word]
    for at in range(len(level)):
        moments = [cell_moments(int(level[at]), letter)[:2] for letter in range(level[at])]
        spreads = [(z, zz - z * z) for z, zz in moments]
        assert (mean[at], variance[at]) in [pytest.approx(one, abs=1e-6) for one in spreads]
    own, spread = Spread(records.words).sums(np.eye(4)[[TIMES[2:].index(inside)]])
    rows = records.class_rows
    sums = [
        (FeatureIn(((beyond, 1.0),), (Span(0.2, 1.1),)), mean, variance),
        (
            FeatureIn(((beyond, -2.0), (inside, 1.0)), (Span(0.2, 1.1),)),
            own[0, records.word] - 2 * mean,
            spread[0, records.word] + 4 * variance,
        ),
    ]
    for asked, middle, doubt in sums:
        found = series.figures([asked], COUNT)
        expected = sum(
            count * (NormalDist(m, v**0.5).cdf(1.1) - NormalDist(m, v**0.5).cdf(0.2))
            for m, v, count in zip(middle.tolist(), doubt.tolist(), rows.tolist(), strict=True)
        )
        # Bounds take some of it away, but not much.
        assert found.estimate[0] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        (Either((EVERYTHING, NOTHING)), "AND only"),
        (Similar((1.0, 2.0), 1.0), "6 times"),
        (ValueIn((("sun", 1.0),), (Span(0, None),)), "'sun'"),
        (FeatureIn((("sun", 1.0),), (Span(0, None),)), "'sun'"),
        (Among("colour", frozenset(["red"])), "'colour'"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_question_that_can(
    condition: Any, why: str, plain: Case
) -> None:
    with pytest.raises(QuestionError, match=why) as error:
        plain.series.figures([condition], COUNT)
    assert "SELECT COUNT(*)" in str(error.value)


def test_without_a_common_time_nothing_is_estimated(tmp_path: Path) -> None:
    case = published(tmp_path, 16, **KINDS["overlap"])
    restate(case.release.path, lambda said: said["anachron"]["times"].update(values=TIMES[:2]))
    series = PublishedSeries(Release(case.release.path))
    for kind, time in ((ValueIn, TIMES[4]), (FeatureIn, TIMES[0])):
        with pytest.raises(QuestionError, match="Disjoint") as error:
            series.figures([kind(((time, 1.0),), (Span(0, None),))], COUNT)
        assert "This one works: SELECT COUNT(*) WHERE value('mon')" in str(error.value)
    asked = [ValueIn(((TIMES[0], 1.0),), (Span(0),)), FeatureIn(((TIMES[4], 1.0),), (Span(0),))]
    found = series.figures(asked, COUNT)
    for at, condition in enumerate(asked):
        assert found.low[at] <= sum(meets(condition, who) for who in case.people) <= found.high[at]


def test_an_altered_release_is_refused(tmp_path: Path) -> None:
    case = published(tmp_path, 17)
    restate(case.release.path, lambda said: said["anachron"]["times"].update(patterns=TIMES[:2]))
    with pytest.raises(ReleaseError, match="etch the release again"):
        PublishedSeries(Release(case.release.path)).figures([EVERYTHING], COUNT)


def test_series_are_asked_in_sql(plain: Case) -> None:
    series = plain.series
    rising = ask(series, "SELECT COUNT(*) WHERE feature('sat' - 'mon') > 0 AND value('mon') < 0")
    truth = sum(who.values["sat"] > who.values["mon"] < 0 for who in plain.people)
    assert rising.low <= truth <= rising.high
    by_kind = ask(series, "SELECT kind, COUNT(*), AVG(bill) GROUP BY kind")
    assert [row.keys[0] for row in by_kind.rows] == ["a", "b", "cé", None]
    assert sum(row.figures[0].low for row in by_kind.rows) == len(plain.people)
    for row in by_kind.rows:
        own = [who.columns["bill"] for who in plain.people if who.columns["kind"] == row.keys[0]]
        assert row.figures[1].low == pytest.approx(sum(own) / len(own))
        assert row.figures[1].high == pytest.approx(row.figures[1].low)
    near = ask(series, "SELECT COUNT(*) WHERE NOT similar(series, [1, 2, 3, 4, 5, 6], 4)")
    condition = Similar((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), 4.0, False)
    assert near.low <= sum(meets(condition, who) for who in plain.people) <= near.high


def test_texts_have_no_sum(plain: Case) -> None:
    with pytest.raises(QuestionError, match="no numbers"):
        plain.series.figures([EVERYTHING], Aggregate("sum", "kind"))
    named = plain.series.figures([EVERYTHING], Aggregate("count", "kind"))
    known = sum(who.columns["kind"] is not None for who in plain.people)
    assert named.low[0] == named.high[0] == known == len(plain.people) - 1
