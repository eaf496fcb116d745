"""Letters of segments: how times are cut, what is refused, what is known of single times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import anachron as an
from anachron.errors import PlanError
from anachron.guarantees import KPAnonymity
from anachron.kernels.sax import breakpoints, cut, letters, normalised, words
from anachron.methods.patterns.estimate import (
    Customized,
    all_value_bounds,
    refined_bounds,
)
from anachron.methods.patterns.segments import lengths_of


def promise(**more: Any) -> KPAnonymity:
    return KPAnonymity(k=4, P=2, precision=1, **more)


def test_every_time_has_a_letter_up_to_twelve_and_then_there_are_eight() -> None:
    assert lengths_of(promise(), 12) is None
    thirteen = lengths_of(promise(), 13)
    assert thirteen is not None
    assert thirteen.tolist() == [1, 2, 1, 2, 2, 1, 2, 2]
    assert lengths_of(promise(segments="every"), 50) is None
    assert lengths_of(promise(segments=7), 7) is None
    half = lengths_of(promise(segments=4), 8)
    assert half is not None
    assert half.tolist() == [2, 2, 2, 2]


@given(st.integers(1, 300).flatmap(lambda t: st.tuples(st.just(t), st.integers(1, t))))
def test_segments_hold_every_time_once_and_differ_by_one_at_most(cutting: tuple[int, int]) -> None:
    lengths = cut(*cutting)
    assert len(lengths) == cutting[1]
    assert lengths.sum() == cutting[0]
    assert lengths.min() >= 1
    assert np.ptp(lengths) <= 1


def test_the_letter_of_a_segment_is_that_of_its_mean() -> None:
    # z is −1.5, −0.5, 0.5, 1.5 over √(5/3).
    z = normalised(np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 5.0, 5.0, 5.0]]), cut(4, 2))
    assert z[0].tolist() == pytest.approx([-0.774596669, 0.774596669])
    assert z[1].tolist() == [0.0, 0.0]
    assert words(letters(z, 4)).tolist() == ["ad", "cc"]


def test_means_on_a_break_point_do_not_hang_on_the_last_bit() -> None:
    # The middle segment is symmetric: its mean is 0, which belongs to the upper letter.
    series = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.7, 0.1, 0.4, 0.2, -0.1, 0.5]])
    z = normalised(series, cut(6, 3))
    assert z[0, 1] == 0.0
    assert words(letters(z, 2))[0] == "abb"


@pytest.mark.parametrize("bad", [0, 1, -3, True, 2.5, "8", "all", [3]])
def test_other_segments_are_refused(bad: object) -> None:
    with pytest.raises(PlanError, match="at least 2"):
        promise(segments=bad)


def test_more_segments_than_times_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="at most the 2 times"):
        promise(segments=3, patterns=["a", "b"])
    with pytest.raises(PlanError, match="at most the 3 times"):
        raise PlanError([*promise(segments=4).misfits(an.Schema("who", series=["a", "b", "c"]))])
    table = pa.table({"who": ["x", "y"] * 3, "at": [f"2024-05-0{i // 2 + 1}" for i in range(6)],
                      "kwh": [1, 2, 3, 4, 5, 6]})  # fmt: skip
    schema = an.Schema("who", time="at", series="kwh")
    long = KPAnonymity(k=2, P=1, segments=4, granularity="day")
    with pytest.raises(PlanError, match="at most the 3 times"):
        an.publish(table, schema, long, ledger=tmp_path / "l", to=tmp_path / "r")
    assert not list(tmp_path.rglob("*.parquet"))


def test_ledgers_from_before_mean_what_they_meant() -> None:
    old = {n: v for n, v in promise().to_dict().items() if n not in ("segments", "tree_level")}
    then = KPAnonymity.from_dict(old)
    assert (then.segments, then.tree_level, then.cells) == ("every", then.max_level, None)
    assert then.to_dict() == old
    naive = KPAnonymity.from_dict(old | {"algorithm": "naive"})
    assert (naive.segments, naive.tree_level) == ("every", None)
    now = promise()
    assert (now.segments, now.tree_level) == (None, 2)
    assert KPAnonymity.from_dict(now.to_dict()) == now
    few = promise(segments=9, cells=30, tree_level=4)
    assert KPAnonymity.from_dict(few.to_dict()) == few


def seen(series: np.ndarray, level: int, segments: int, values: list[int]) -> Customized:
    """Publish the own word of each series over all times, and envelopes of pairs at some."""
    times = tuple(f"t{i}" for i in range(series.shape[1]))
    lengths = cut(len(times), segments)
    own = letters(normalised(series, lengths), level)
    pair = np.arange(len(series)) // 2 * 2
    sides = series[pair][:, values], series[np.minimum(pair + 1, len(series) - 1)][:, values]
    return Customized(
        np.floor(np.minimum(*sides)), np.ceil(np.maximum(*sides)), own,
        np.full(len(series), level), tuple(times[i] for i in values), times,
        tuple(lengths.tolist()),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_every_bound_holds_for_every_series(seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = int(rng.integers(3, 12))
    series = np.round(rng.normal(size=(40, times)).cumsum(axis=1) * 10.0 ** rng.integers(0, 4), 2)
    series[:4] = series[:4, :1]
    series[4:8] = np.sign(np.arange(times) % 2 - 0.5)  # means near 0, and not constant
    values = sorted(rng.choice(times, int(rng.integers(1, times + 1)), replace=False).tolist())
    shown = seen(series, int(rng.integers(1, 9)), int(rng.integers(2, times + 1)), values)
    for time, (low, high) in (refined_bounds(shown) | all_value_bounds(shown)).items():
        truth = series[:, shown.pattern_times.index(time)]
        assert (low <= truth).all()
        assert (truth <= high).all()


def test_bounds_of_a_missing_time_are_beyond_those_of_the_whole_linear_program() -> None:
    rng = np.random.default_rng(5)
    series = rng.normal(size=(10, 6)).cumsum(axis=1) * 20
    shown = seen(series, 4, 3, [0, 1, 2, 4, 5])
    low, high = all_value_bounds(shown)["t3"]
    tight = []
    for i in range(len(series)):
        found = program(shown, i)
        assert found[0] <= series[i, 3] <= found[1]
        assert low[i] <= found[0] + 1e-6
        assert high[i] >= found[1] - 1e-6
        tight.append(found[1] - found[0] > 0.5 * (high[i] - low[i]))
    assert np.mean(tight) > 0.5


def program(shown: Customized, row: int) -> tuple[float, float]:
    """Least and largest x3, given all that is published of a series: over x, mean and sd."""
    # The mean of two of six values is no further from that of all than √(5 · (1/2 − 1/6)) sd.
    n, furthest = 6, np.sqrt(5 / 3)
    cuts = [-furthest, *breakpoints(4), furthest]
    above: list[list[float]] = []
    for j, letter in enumerate(shown.letters[row].tolist()):
        mean = [0.0] * (n + 2)
        mean[2 * j] = mean[2 * j + 1] = 0.5
        for sign, edge in ((1, cuts[letter + 1]), (-1, cuts[letter])):
            above.append([sign * x for x in mean[:n]] + [-sign, -sign * edge])
    for i in range(n):
        for sign in (1, -1):
            line = [0.0] * (n + 2)
            line[i], line[n], line[n + 1] = sign, -sign, -(n - 1) / np.sqrt(n)
            above.append(line)
    ends = {int(t[1]): (a, b) for t, a, b in
            zip(shown.value_times, shown.low[row], shown.high[row], strict=True)}  # fmt: skip
    bounds = [ends.get(i, (None, None)) for i in range(n)] + [(None, None), (0, None)]
    found = []
    for sign in (1, -1):
        goal = [0.0] * (n + 2)
        goal[3] = sign
        solved = linprog(goal, above, [1e-8] * len(above), bounds=bounds)
        found.append(sign * solved.fun if solved.status == 0 else -sign * np.inf)
    return found[0], found[1]
