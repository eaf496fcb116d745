"""Questions about series whose letters are those of segments: bounds hold for every question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import anachron as an
from anachron.asking.question import Aggregate, FeatureIn, Similar, ValueIn
from anachron.errors import QuestionError
from tests.asking.series_cases import TIMES, Case, leaf, published
from tests.oracle.asking_series import Person, meets
from tests.oracle.patterns import Segmented, means

COUNT = Aggregate("count")


def averaged(who: Person, segments: int) -> Person:
    """What features are of: the mean of the segment of each time."""
    series = Segmented([who.values[t] for t in who.pattern_times], segments)
    found = means(series)
    at = zip(who.pattern_times, series.segment, strict=True)
    return replace(who, z=dict(who.z) | {t: found[s - 1] for t, s in at})


def truth(condition: object, case: Case, segments: int) -> int:
    if isinstance(condition, FeatureIn):
        return sum(meets(condition, averaged(who, segments)) for who in case.people)
    return sum(meets(condition, who) for who in case.people)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("segments", "settings"),
    [
        (2, {}),
        (3, {"algorithm": "naive"}),
        (5, {"max_level": 10, "P": 1}),
        (3, {"values": TIMES[1:4]}),
        (2, {"patterns": TIMES[1:5], "precision": "0.1"}),
    ],
)
def test_no_truth_is_outside_its_bounds(
    segments: int, settings: dict[str, object], tmp_path: Path
) -> None:
    case = published(tmp_path, 31, segments=segments, **settings)  # type: ignore[arg-type]
    rng, asked = np.random.default_rng(segments), {ValueIn: 0, FeatureIn: 0, Similar: 0}
    for _ in range(60):
        condition = leaf(rng, case)
        try:
            figure = case.series.figures([condition], COUNT)
        except QuestionError:
            assert isinstance(condition, FeatureIn), "times of one segment, which cancel out"
            continue
        asked[type(condition)] += 1
        found = truth(condition, case, segments)
        assert figure.low[0] - 1e-6 <= found <= figure.high[0] + 1e-6
        assert figure.low[0] - 1e-6 <= figure.estimate[0] <= figure.high[0] + 1e-6
    assert min(asked.values()) >= 10


def test_features_are_of_segments_and_refused_within_one(tmp_path: Path) -> None:
    release = published(tmp_path, 32, segments=3).release
    far = an.ask(release, "SELECT COUNT(*) WHERE feature('fri' - 'mon') > 0.5")
    same = an.ask(release, "SELECT COUNT(*) WHERE feature('sat' - 'tue') > 0.5")
    assert far.rows == same.rows, "mon and tue have one letter, fri and sat another"
    assert any("features are of the segments" in note for note in far.notes)
    with pytest.raises(QuestionError, match="'mon' and 'tue' are in one segment"):
        an.ask(release, "SELECT COUNT(*) WHERE feature('tue' - 'mon') > 0.5")
