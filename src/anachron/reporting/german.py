"""Numbers and names in plain words: the grammar of German that templates need."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from anachron.reporting import words as english

__all__ = ["GERMAN", "figures"]

_SWAP = str.maketrans(",.", ".,")
_TIGHT = re.compile(r"(?<=\d)%")
_UNITS = {
    "second": ("Sekunde", "Sekunden"), "minute": ("Minute", "Minuten"),
    "hour": ("Stunde", "Stunden"),
    "day": ("Tag", "Tage"), "year": ("Jahr", "Jahre"), "week": ("Woche", "Wochen"),
    "month": ("Monat", "Monate"), "quarter": ("Quartal", "Quartale"),
    "half_month": ("Halbmonat", "Halbmonate"), "half_year": ("Halbjahr", "Halbjahre"),
    "part_of_day": ("Tageszeit", "Tageszeiten"),
    "quarter_hour": ("Viertelstunde", "Viertelstunden"),
    "decade": ("Jahrzehnt", "Jahrzehnte"), "week_part": ("Wochenteil", "Wochenteile"),
}  # fmt: skip
"""Granularities and lengths of time: one, and several."""


def figures(number: str) -> str:
    """A number in the form of German: ``1.234,5``, ``33,3 %``."""
    return _TIGHT.sub(" %", number.translate(_SWAP))


def digits(number: int) -> str:
    """``1.234``."""
    return figures(english.digits(number))


def number(value: float) -> str:
    """A number with what of it can be meant: ``1.234``, ``0,125``."""
    return figures(english.number(value))


def decimals(value: float, places: int) -> str:
    """``0,50``."""
    return figures(english.decimals(value, places))


def exactly(value: Decimal) -> str:
    """All digits of a number."""
    return figures(english.exactly(value))


def plural(number: int, one: str, many: str) -> str:
    """``1 Zeile``, ``2 Zeilen``."""
    return f"{digits(number)} {one if number == 1 else many}"


def percent(share: Fraction) -> str:
    """``1,25 %``, never rounded to nought or to all when it is neither."""
    said = figures(english.percent(share))
    return said.replace("less than", "weniger als").replace("more than", "mehr als")


def rounded(share: float) -> str:
    """``12,5 %``, ``103 %``."""
    return figures(english.rounded(share))


def odds(ell: Fraction) -> str:
    """``1 von 3``, ``2 von 5``."""
    return f"{ell.denominator} von {ell.numerator}"


def figure(said: float | str) -> str:
    """Write what was measured as people read it."""
    return figures(english.figure(said))


def duration(days: float) -> str:
    """A mean length in the unit that people would use: ``6 Stunden``, ``30,4 Tage``."""
    number, unit = english.duration(days).split(" ")
    one, many = _UNITS[unit.removesuffix("s")]
    return f"{figures(number)} {one if number == '1' else many}"


def listing(items: Iterable[str], last: str = "und") -> str:
    """``Alter, Geschlecht und PLZ``."""
    return english.listing(items, last)


def spoken(granularity: str) -> str:
    """``half_month`` as people write it; what is one's own, as it is called."""
    return _UNITS.get(granularity, (english.spoken(granularity),))[0]


def many(granularity: str) -> str:
    """``Halbmonate``."""
    return _UNITS.get(granularity, (english.many(granularity),))[-1]


def ordinal(number: int) -> str:
    """``3.``."""
    return f"{number}."


def date(moment: str) -> str:
    """``17.11.2026``."""
    return f"{datetime.fromisoformat(moment):%d.%m.%Y}"


GERMAN = {
    **english.WORDS,
    **{
        word.__name__: word
        for word in (
            date, decimals, digits, duration, exactly, figure, listing, many, number, odds, ordinal,
            percent, plural, rounded, spoken,
        )
    },
}  # fmt: skip
"""What templates may write by, by name."""
