"""What a release of each method holds beside its columns: which tables, and which facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anachron.guarantees import Guarantee, Reposition
from anachron.release.strict import at, decimal, keys, text, texts, whole

__all__ = ["AS_OF", "COMMON", "FACTS", "OWN", "check_facts", "facts_of", "kind_of", "tables_of"]

COMMON = ("format", "release", "previous", "guarantee", "columns", "time_zone")
"""What every release states under ``anachron``."""
AS_OF = r"(?! )[^\x00-\x1f\x7f-\x9f\u2028\u2029]{1,80}(?<! )"
"""The name that an owner gives to a release: a short text in one line."""
_GROUP = "group"
_LABEL = r".{1,200}"
_LEAST = -(2**63)


def kind_of(guarantee: Guarantee) -> str:
    """Which form a release has: that of its method, or of what becomes of a feed's snapshots."""
    if not isinstance(guarantee, Reposition):
        return guarantee.method
    return guarantee.then if isinstance(guarantee.then, str) else "composed"


def facts_of(kind: str, ours: Mapping[str, Any]) -> tuple[str, ...]:
    """The facts that a release of this method states: all that it must, and what it may."""
    return (*FACTS[kind], *(name for name in _own(kind) if name in ours))


def _own(kind: str) -> dict[str, Callable[[Any, str], object]]:
    return {**OWN[""], **OWN.get(kind, {})}


def check_facts(kind: str, ours: Mapping[str, Any], place: str) -> None:
    """Check the facts that only this method states."""
    known = {**FACTS[kind], **_own(kind)}
    for name in facts_of(kind, ours):
        known[name](ours[name], at(place, name))


def tables_of(kind: str, columns: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The tables of a release in order, each with its columns in any order."""

    def of(*roles: str) -> list[str]:
        return [n for said in columns.values() if said["role"] in roles for n in said["published"]]

    if kind == "patterns":
        rows = [_GROUP, "level", "pattern", *of("sensitive")]
        return {"data": rows, "envelopes": [_GROUP, *of("series")]}
    if kind == "anatomy":
        values = [_GROUP, *of("sensitive"), "count"]
        return {"data": [_GROUP, *of("quasi", "time")], "sensitive": values}
    tables = {"data": [_GROUP, *of("quasi", "time", "sensitive")]}
    if kind in ("invariance", "composed"):
        tables["counterfeits"] = [_GROUP, "counterfeits"]
    return tables


def _times(given: Any, place: str) -> None:
    for name, times in keys(given, place, ("values", "patterns")).items():
        texts(times, at(place, name))


def _snapshot(given: Any, place: str) -> None:
    found = keys(given, place, ("label", "start", "end"))
    text(found["label"], at(place, "label"), _LABEL)
    for name in ("start", "end"):
        whole(found[name], at(place, name), least=_LEAST)


FACTS: dict[str, dict[str, Callable[[Any, str], object]]] = {
    "granularity": {"suppressed_rows": whole},
    "invariance": {"counterfeits": whole},
    "composed": {"counterfeits": whole, "snapshot": _snapshot},
    "anatomy": {},
    "generalize": {},
    "patterns": {
        "times": _times,
        "precision": decimal,
        "break_points": whole,
        "highest_level": whole,
        "suppressed_series": whole,
        "dropped_series": whole,
    },
}
"""What a release states beside what all state, and how it is read. Of a feed, nothing: how many
records were moved or left out would tell something of them."""

OWN: dict[str, dict[str, Callable[[Any, str], object]]] = {
    # Of any method: where it is exact, what differs in spelling counts as different.
    "": {"spelling": lambda given, place: text(given, place, "exact")},
    "invariance": {"as_of": lambda given, place: text(given, place, AS_OF)},
}
"""What a release states only if its owner says so."""
