"""What must be true of every release, whatever the table: the truth lies within the bounds.

Tables are really published, by every method; the truth is counted on the records that were. More
of the same: ``python -m tests.oracle.asking --cases 2000``.
"""

from __future__ import annotations

import pytest

from anachron.asking.question import Aggregate, Grouping
from tests.oracle.asking import meets
from tests.oracle.asking_cases import KINDS, Case, differences, draw

ALIGNED = ("exact", "bins", "prefix", "parents", "granules")


def cases(kind: str, many: int, seed: int) -> list[Case]:
    found = [draw(kind, seed, number) for number in range(many)]
    return [case for case in found if case is not None]


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_lies_within_the_bounds(kind: str) -> None:
    some = cases(kind, 4, 11)
    assert len(some) > 1
    for case in some:
        assert list(differences(case)) == []


def test_what_is_asked_by_published_cells_is_exact() -> None:
    for case in cases("granularity", 6, 12):
        for column in case.published.catalogue.columns.values():
            if column.form not in ALIGNED:
                continue
            keys = [leaf for _, leaf in case.published.keys(Grouping(column.name))]
            found = case.published.figures(keys, Aggregate())
            truth = [sum(meets(leaf, record) for record in case.records) for leaf in keys]
            assert found.low.tolist() == found.high.tolist() == truth
            assert found.estimate.tolist() == truth
            assert not found.variance.any()
            assert sum(truth) == len(case.records)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
def test_many_cases(kind: str) -> None:
    for case in cases(kind, 100, 13):
        assert list(differences(case)) == []
