"""What each published column means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["meanings"]


def meanings(columns: Mapping[str, Mapping[str, Any]], time_zone: str) -> dict[str, str]:
    """Give a sentence for each published column.

    Parameters
    ----------
    columns
        For each column of the schema: its role, and what it was published as.
    time_zone
        The zone whose calendar the times follow.
    """
    words: dict[str, str] = {}
    for column, meaning in columns.items():
        for name in meaning.get("published", ()):
            words[name] = _sentence(column, name, meaning, time_zone)
    return words


def _sentence(column: str, name: str, meaning: Mapping[str, Any], time_zone: str) -> str:
    if meaning.get("role") == "time":
        named = meaning["granularity"]
        granularity = (named if isinstance(named, str) else named["name"]).replace("_", " ")
        what = f"The {granularity} of the event"
        if meaning.get("step") == "snapshot":
            what = f"The {granularity} as part of which the event is published, its own or a later"
        return {
            f"{column}_start": f"When that {granularity} starts; this instant belongs to it.",
            f"{column}_end": f"When that {granularity} ends; this instant no longer belongs to it.",
        }.get(name, f"{what}, by the clock and calendar of {time_zone}.")
    if "order" in meaning:
        side = "Last" if name == f"{column}_high" else "First"
        return f"{side} of the neighbouring values among which {column!r} is; it belongs to them."
    if meaning.get("step") in ("bins", "interval") or meaning.get("role") == "series":
        side = "Highest" if name == f"{column}_high" else "Lowest"
        return f"{side} value of an interval that holds {column!r}; it belongs to the interval."
    if meaning.get("step") == "prefix":
        return f"The first {meaning['length']} characters of {column!r}."
    if meaning.get("step") == "parents":
        return f"The group of values that {column!r} belongs to."
    return f"The value of {column!r} as it is."
