"""What the cells of a text column look like: counted by patterns, never shown."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MOSTLY", "PATTERNS", "TELLING", "looks"]

PATTERNS: Mapping[str, str] = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "IBANs": r"[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,4})?",
    "addresses of machines": r"([0-9]{1,3}\.){3}[0-9]{1,3}"
    r"|([0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}",
    "web addresses": r"(https?://|www\.)\S+",
    "phone numbers": r"(\+|00)[0-9][0-9 ()/.-]{6,18}[0-9]|0[0-9]{2,5}[ /-][0-9][0-9 -]{3,12}",
    "long keys": r"[0-9a-fA-F]{32,}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "free text": r"\S+(\s+\S+){5,}.*",
    "places on a map": r"(POINT|POLYGON|LINESTRING).*"
    r"|-?[0-9]{1,2}\.[0-9]{3,}[,; ]\s*-?[0-9]{1,3}\.[0-9]{3,}",
}
"""By what they find. A cell is meant as a whole."""
TELLING = frozenset(PATTERNS) - {"long keys"}
"""Those that can name or describe a person by themselves."""
MOSTLY = 0.5
"""From this share of the filled cells on, a column is of the kind."""
_SOME = {"e-mail addresses", "IBANs", "phone numbers"}
"""Kinds of which a few are too many."""
FEW = 0.02


def looks(counts: Mapping[str, int], filled: int) -> str | None:
    """Which kind a column is of, if it is of one."""
    for kind, count in counts.items():
        share = FEW if kind in _SOME else MOSTLY
        if filled and count >= share * filled and count:
            return kind
    return None
