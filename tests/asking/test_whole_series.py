"""Series of whole numbers: no question falls between two of them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import PlanError

TIMES = ("a", "b", "c", "d")
WHOLE = pa.int64()


def release_of(folder: Path, kind: pa.DataType = WHOLE, **settings: object) -> an.Release:
    return an.publish(
        table_of(kind),
        an.Schema(subject="meter", series=TIMES),
        an.KPAnonymity(**{"k": 8, "P": 3, **settings}),
        ledger=folder / "ledger",
        to=folder / "releases",
    )


def table_of(kind: pa.DataType) -> pa.Table:
    columns = dict(zip(TIMES, counts().T, strict=True))
    return pa.table(
        {"meter": np.arange(len(counts()))} | {n: pa.array(c, kind) for n, c in columns.items()}
    )


def counts() -> np.ndarray:
    """Small whole numbers, as many counts are."""
    rng = np.random.default_rng(5)
    return np.minimum(rng.poisson(rng.gamma(2.0, 1.5, (240, 1)), (240, 4)), 12)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> an.Release:
    return release_of(tmp_path_factory.mktemp("whole"))


def told(release: an.Release, condition: str, what: str = "COUNT(*)") -> tuple[object, ...]:
    answer = release.ask(f"SELECT {what} WHERE {condition}")
    return answer.low, answer.estimate, answer.high, answer.error


@pytest.mark.parametrize(
    "same",
    [
        ("value('a') > 2", "value('a') >= 3", "value('a') > 2.4", "2 * value('a') > 5",
         "value('a') / 2 >= 1.5", "NOT value('a') <= 2"),
        ("value('a') = 3", "value('a') BETWEEN 2.5 AND 3.5", "value('a') > 2 AND value('a') < 4"),
        ("value('b') - value('a') > 0", "value('b') - value('a') >= 1", "value('b') > value('a')"),
        ("value('a') + value('b') + value('c') < 7", "value('a') + value('b') + value('c') <= 6.5"),
        ("3 * value('a') - 3 * value('d') > 7", "value('a') - value('d') >= 3"),
    ],
)  # fmt: skip
def test_one_question_has_one_answer(release: an.Release, same: tuple[str, ...]) -> None:
    answers = {told(release, condition) for condition in same}
    assert len(answers) == 1
    sums = {told(release, condition, "SUM(a)") for condition in same}
    means = {told(release, condition, "AVG(a)") for condition in same}
    assert len(sums) == len(means) == 1


def test_a_single_number_has_an_estimate_and_an_error(release: an.Release) -> None:
    truth = np.bincount(counts()[:, 0])
    for number, many in enumerate(truth.tolist()):
        low, estimate, high, error = told(release, f"value('a') = {number}")
        assert low <= many <= high
        if low < high:
            assert low < estimate < high
            assert error > 0
    assert told(release, "value('a') = 2.5") == (0, 0.0, 0, 0.0)


def test_what_is_asked_of_every_number_adds_up_to_everyone(release: an.Release) -> None:
    every = [told(release, f"value('a') = {number}")[1] for number in range(13)]
    assert sum(every) == pytest.approx(len(counts()))
    steps = [told(release, f"value('b') - value('a') = {number}")[1] for number in range(-12, 13)]
    assert sum(steps) == pytest.approx(len(counts()), rel=0.02)


def test_the_type_of_the_columns_says_so(tmp_path: Path) -> None:
    for at, (kind, settings, whole) in enumerate(
        [
            (pa.int64(), {}, True),
            (pa.int16(), {"precision": 5}, True),
            (pa.int64(), {"precision": "0.5"}, True),
            (pa.int64(), {"precision": "0.3"}, False),
            (pa.float64(), {"precision": 1}, False),
            (pa.int64(), {"gaps": "interpolate"}, False),
        ]
    ):
        release = release_of(tmp_path / str(at), kind, **settings)
        bounds = release.table("envelopes").schema.types[1:]
        assert {*bounds} == {pa.int64() if whole else pa.float64()}
        assert an.audit(release, table=table_of(kind), ledger=tmp_path / str(at) / "ledger").holds


def test_numbers_between_whole_ones_are_not_ruled_out_where_the_type_allows_them(
    tmp_path: Path,
) -> None:
    release = release_of(tmp_path, pa.float64(), precision=1)
    for above, least in itertools.pairwise(range(4)):
        assert told(release, f"value('a') > {above}") != told(release, f"value('a') >= {least}")
    with pytest.raises(PlanError):
        release_of(tmp_path / "other", pa.float64())
