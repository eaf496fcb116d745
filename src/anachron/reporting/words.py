"""Numbers and names in plain words."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

__all__ = ["count", "length", "listing", "many", "name", "percent", "plural"]

_HOUR = 1 / 24
_UNITS = (
    ("second", 1 / 86400, _HOUR / 60),
    ("minute", _HOUR / 60, _HOUR),
    ("hour", _HOUR, 1.0),
    ("day", 1.0, 730.5),
    ("year", 365.25, float("inf")),
)


def count(number: int) -> str:
    """``1,234``."""
    return f"{number:,}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{count(number)} {one if number == 1 else many or one + 's'}"


def percent(share: Fraction) -> str:
    """``1.25 %``, never rounded to nought or to all when it is neither."""
    if share == 0 or share == 1:
        return f"{int(share) * 100} %"
    if share < Fraction(1, 10_000):
        return "less than 0.01 %"
    if share > Fraction(9_999, 10_000):
        return "more than 99.99 %"
    return f"{float(share) * 100:.2f} %"


def length(days: float) -> str:
    """A mean length in the unit that people would use: ``6 hours``, ``30.4 days``."""
    unit, size, _ = next(entry for entry in _UNITS if days < entry[2])
    number = f"{days / size:,.1f}".removesuffix(".0")
    return f"{number} {unit}" + ("" if number == "1" else "s")


def listing(items: Iterable[str], last: str = "and") -> str:
    """``age, sex and zip``."""
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def many(granularity: str) -> str:
    """``half months``."""
    return "parts of day" if granularity == "part_of_day" else f"{name(granularity)}s"


def name(granularity: str) -> str:
    """``half_month`` as people write it."""
    return granularity.replace("_", " ")
