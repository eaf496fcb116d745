"""How times are written as text: a pattern of the signs that Python and databases know."""

from __future__ import annotations

import re
from typing import Any

from anachron.errors import PlanError
from anachron.parts.part import Kind
from anachron.parts.shapes import Holds, Text

__all__ = ["TIME_FORMAT"]

_KNOWN = "YmdHIpMSfbBz%"
_REMEDY = (
    "Write it as '%d.%m.%Y' or '%m/%d/%Y %I:%M %p': %Y year, %m month, %d day, %b or %B an English "
    "month, %H or %I and %p hour, %M minute, %S second, %f fraction, %z offset from UTC."
)


def _time_format(name: str, given: Any) -> str:
    signs = re.findall(r"%(.?)", given, re.DOTALL) if isinstance(given, str) else [""]
    if any(sign not in _KNOWN or not sign for sign in signs):
        raise PlanError(f"{name} has signs that it may not have.", remedy=_REMEDY)
    day = [sign for sign in signs if sign in "YmdbB"]
    if sorted("m" if sign in "bB" else sign for sign in day) != ["Y", "d", "m"]:
        raise PlanError(
            f"{name} must name year (%Y, four digits), month and day once.",
            remedy=f"{_REMEDY} For whole years or months, use time_unit.",
        )
    if len(set(signs) - {"%"}) < len([sign for sign in signs if sign != "%"]):
        raise PlanError(f"{name} has one sign twice.", remedy=_REMEDY)
    if ("I" in signs) != ("p" in signs) or {"H", "I"} <= set(signs):
        raise PlanError(f"{name} must have %I and %p together, or %H.", remedy=_REMEDY)
    if "'" in given or "\0" in given:
        raise PlanError(f"{name} holds a quote.", remedy=_REMEDY)
    return str(given)


TIME_FORMAT = Kind(Holds("how times are written, such as %d.%m.%Y", Text), _time_format)
