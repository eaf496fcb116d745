"""Numbers and names in plain words: the grammar of English that templates need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

__all__ = [
    "WORDS", "date", "decimals", "digits", "duration", "exactly", "figure", "listing", "many",
    "number", "odds", "ordinal", "percent", "plural", "rounded", "sentence", "share_of", "spoken",
]  # fmt: skip

_HOUR = 1 / 24
_UNITS = (
    ("second", 1 / 86400, _HOUR / 60),
    ("minute", _HOUR / 60, _HOUR),
    ("hour", _HOUR, 1.0),
    ("day", 1.0, 730.5),
    ("year", 365.25, float("inf")),
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_FRACTION = re.compile(r"(\d+(?:/\d+)?) \([\d.]+ ?%\)")
_SHARE = re.compile(r"[01]\.\d{4}")


def digits(number: int) -> str:
    """``1,234``."""
    return f"{number:,}"


def number(value: float) -> str:
    """A number with what of it can be meant: ``1,234``, ``0.125``.

    >>> number(1234.0), number(0.125), number(12.34567)
    ('1,234', '0.125', '12.35')
    """
    return digits(int(value)) if value == int(value) else f"{value:,.4g}"


def decimals(value: float, places: int) -> str:
    """``0.50``."""
    return f"{float(value):,.{places}f}"


def exactly(value: Decimal) -> str:
    """All digits of a number."""
    return f"{value:f}"


def date(moment: str) -> str:
    """``17 November 2026``, of a moment in ISO 8601."""
    when = datetime.fromisoformat(moment)
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{digits(number)} {one if number == 1 else many or one + 's'}"


def percent(share: Fraction) -> str:
    """``1.25 %``, never rounded to nought or to all when it is neither."""
    if share == 0 or share == 1:
        return f"{int(share) * 100} %"
    if share < Fraction(1, 10_000):
        return "less than 0.01 %"
    if share > Fraction(9_999, 10_000):
        return "more than 99.99 %"
    return f"{float(share) * 100:.2f} %"


def share_of(part: int, whole: int) -> Fraction:
    """The share that a part has of the whole; of nothing, nought."""
    return Fraction(part, whole) if whole else Fraction(0)


def rounded(share: float) -> str:
    """``12.5 %``, ``103 %``: of what was estimated, no more than can be meant."""
    digits = 0 if share >= 0.995 else 1
    return f"{100 * share:,.{digits}f}".removesuffix(".0") + " %"


def odds(ell: Fraction) -> str:
    """The largest share that a value may have where one in ``ell`` may: ``one in 3``, ``2 in 5``.

    >>> odds(Fraction(3)), odds(Fraction(5, 2))
    ('one in 3', '2 in 5')
    """
    parts, of = ell.denominator, ell.numerator
    return f"{'one' if parts == 1 else parts} in {of}"


def figure(said: float | str) -> str:
    """Write what was measured as people read it: ``1/3 (33.33 %)``, ``20.00 %``, ``1,234``.

    >>> figure("1/3 (33.3333%)"), figure("0.2000"), figure(1234)
    ('1/3 (33.33 %)', '20.00 %', '1,234')
    """
    if isinstance(said, int):
        return digits(said)
    text = f"{said:.4f}" if isinstance(said, float) else said
    if found := _FRACTION.fullmatch(text):
        return f"{found[1]} ({percent(Fraction(found[1]))})"
    return percent(Fraction(text)) if _SHARE.fullmatch(text) else text


def duration(days: float) -> str:
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
    return "parts of day" if granularity == "part_of_day" else f"{spoken(granularity)}s"


def spoken(granularity: str) -> str:
    """``half_month`` as people write it."""
    return granularity.replace("_", " ")


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, …"""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def sentence(note: str) -> str:
    """A note as a sentence: it begins with a capital, and ends with one full stop."""
    return f"{note[:1].upper()}{note[1:].removesuffix('.')}."


WORDS = {
    word.__name__: word
    for word in (
        date, decimals, digits, duration, exactly, figure, listing, many, number, odds, ordinal,
        percent, plural, rounded, sentence, share_of, spoken,
    )
}  # fmt: skip
"""What templates may write by, by name."""
