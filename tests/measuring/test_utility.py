"""What is measured, and how it is told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from anachron.measuring.utility import QUANTILES, Utility, measured


def a_measure(**more):
    truth = np.arange(1.0, 101.0)
    given = {"truth": truth, "estimate": truth * 1.1, "low": truth - 0.5, "high": truth + 0.5}
    return measured("counts", **{**given, **more})


def test_errors_are_relative():
    truth = np.array([10.0, 20.0, 40.0, 80.0])
    found = a_measure(truth=truth, estimate=np.array([11.0, 16.0, 40.0, 120.0]),
                      low=truth - 1, high=truth + np.array([1, 3, 7, 15]))  # fmt: skip
    assert found.mean == pytest.approx((0.1 + 0.2 + 0 + 0.5) / 4)
    assert found.median == pytest.approx(0.15)
    assert found.quantiles.keys() == set(QUANTILES)
    assert found.width == pytest.approx(0.2)
    assert found.truth == 30
    assert (found.outside, found.within) == (0, 1.0)


def test_a_truth_outside_its_bounds_is_shown():
    found = a_measure(high=np.arange(1.0, 101.0) - np.repeat([0, 0.25], 50))
    assert (found.outside, found.within) == (50, 0.5)
    utility = Utility("0001", 0, {}, (found,))
    assert not utility.holds
    assert "50 NOT within their bounds" in str(utility)
    assert "50 NOT" in utility._repr_html_()
    assert utility.to_dict()["workloads"][0]["within_bounds"] == 0.5


def test_bounds_speak_of_the_records_in_the_release():
    truth = np.arange(1.0, 101.0)
    found = a_measure(inside=truth - 1)
    assert found.outside == 100
    assert found.mean == pytest.approx(0.1), "errors are against the table"


def test_rounding_is_no_failure():
    truth = np.arange(1.0, 101.0)
    assert a_measure(low=truth + 1e-9, high=truth + 1e-9).outside == 0


def test_nothing_is_claimed_where_nobody_knows():
    unknown = replace(a_measure(), outside=None)
    assert unknown.within is None
    assert "bounds" not in str(Utility("0001", 0, {}, (unknown,)))
    assert "not known" in Utility("0001", 0, {}, (unknown,))._repr_html_()
    assert Utility("0001", 0, {}, (unknown,)).holds


def test_plain_values():
    precise = replace(a_measure(), precision=0.75)
    utility = Utility("0002", 5, {"theta": 0.1, "window": None}, (precise,), ("a < b",))
    said = json.loads(json.dumps(utility.to_dict(), allow_nan=False))
    assert said["seed"] == 5
    assert said["workloads"][0]["precision"] == 0.75
    assert said["workloads"][0]["quantiles"]["50"] == pytest.approx(0.1)
    assert "precision 75.0 %" in str(utility)
    assert "a &lt; b" in utility._repr_html_()


def test_the_distribution_can_be_drawn():
    truth = np.full(100, 100.0)
    measure = a_measure(truth=truth, estimate=truth + np.arange(100), low=truth, high=truth)
    records = Utility("0001", 0, {}, (measure,)).records
    assert len(records) == 100, "one for each question"
    assert records[-1] == {"workload": "counts", "error": pytest.approx(0.99), "share": 1.0}
    for record in records:
        assert (measure_errors(truth) <= record["error"]).mean() >= record["share"] - 1e-9


def measure_errors(truth: np.ndarray) -> np.ndarray:
    return np.arange(len(truth)) / truth


def test_no_questions_are_no_error():
    none = np.zeros(0)
    found = measured("counts", none, none, none, none)
    assert (found.questions, found.within, found.spread) == (0, None, ())
