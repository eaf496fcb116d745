"""Numbers and names in plain words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from anachron.reporting.words import duration, listing, many, percent, plural


@pytest.mark.parametrize(
    ("days", "text"),
    [(1 / 86400, "1 second"), (1 / 96, "15 minutes"), (0.25, "6 hours"), (1.0, "1 day"),
     (30.4, "30.4 days"), (365.25, "365.2 days"), (3652.5, "10 years")],
)  # fmt: skip
def test_lengths_have_the_unit_people_use(days: float, text: str) -> None:
    assert duration(days) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(Fraction(0), "0 %"), (Fraction(1), "100 %"), (Fraction(1, 10**6), "less than 0.01 %"),
     (1 - Fraction(1, 10**6), "more than 99.99 %"), (Fraction(1, 8), "12.50 %")],
)  # fmt: skip
def test_a_share_is_never_rounded_to_nought_or_all(share: Fraction, text: str) -> None:
    assert percent(share) == text


def test_lists_and_plurals() -> None:
    assert [listing(["a"] * n) for n in range(4)] == ["", "a", "a and a", "a, a and a"]
    assert plural(1, "person", "people") == "1 person"
    assert plural(1234, "person", "people") == "1,234 people"
    assert many("part_of_day") == "parts of day"
