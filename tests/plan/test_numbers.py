"""Numbers of a promise are as long as numbers are: nothing else fits into them."""

from __future__ import annotations

import pytest

import anachron as an
from anachron.errors import PlanError


@pytest.mark.parametrize("number", ["1e999999", "1e-999999", "0." + "7" * 200, "9" * 200])
def test_numbers_that_are_too_long_are_refused(number: str) -> None:
    with pytest.raises(PlanError, match=r"domains\.age: an end (is not a number|has too many)"):
        an.MInvariance(m=2, domains={"age": ["-" + number, number]})
