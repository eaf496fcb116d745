"""What a release says of each column: exactly the keys that its role and step need.

This is the form. Whether a step is one that the guarantee offered is for the audit to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from anachron.calendar.definitions import Granularity
from anachron.errors import InputError
from anachron.guarantees import Guarantee, KPAnonymity, Reposition
from anachron.release.strict import Misfit, at, decimal, entries, items, keys, same, texts, whole

__all__ = ["check_columns", "check_named"]

Check = Callable[[Any, str], object]
Role = Callable[[str, Any, str], None]

_MANY = 2**31


def check_columns(kind: str, given: Any, place: str) -> Mapping[str, Mapping[str, Any]]:
    """Take what is said of the columns of the schema, if a release of this form says it so."""
    columns = entries(given, place)
    for name, said in columns.items():
        where = at(place, name)
        role = entries(said, where).get("role")
        if not isinstance(role, str) or role not in _ROLES[kind]:
            raise Misfit(at(where, "role"), "it is no role that this method knows")
        _ROLES[kind][role](name, said, where)
    for role, (least, most) in _HOW_MANY[kind].items():
        there = sum(said["role"] == role for said in columns.values())
        if not least <= there <= most:
            raise Misfit(place, f"{there:,} of its columns are {role}")
    return columns


def check_named(guarantee: Guarantee, columns: Mapping[str, Mapping[str, Any]], place: str) -> None:
    """A guarantee says something only of columns that are there."""
    quasi = {name for name, said in columns.items() if said["role"] == "quasi"}
    series = {name for name, said in columns.items() if said["role"] == "series"}
    parts = {"ladders": quasi, "widths": quasi, "orders": quasi, "domains": quasi}
    for part, known in parts.items():
        if not {name for name, _ in getattr(guarantee, part, ())} <= known:
            raise Misfit(at(place, part), "it names a column that is not in the release")
    for part in ("values", "patterns") if isinstance(guarantee, KPAnonymity) else ():
        if not set(getattr(guarantee, part, None) or ()) <= series:
            raise Misfit(at(place, part), "it names a time that is not in the release")
    if isinstance(guarantee, Reposition) and not isinstance(guarantee.then, str):
        check_named(guarantee.then, columns, at(place, "then"))


def _sensitive(name: str, said: Any, place: str) -> None:
    same(said, {"role": "sensitive", "published": [name]}, place)


def _series(name: str, said: Any, place: str) -> None:
    found = keys(said, place, ("role", "published", "pattern"))
    if type(found["pattern"]) is not bool:
        raise Misfit(at(place, "pattern"), "it is neither true nor false")
    if items(found["published"], at(place, "published")):
        same(found["published"], _bounds(name), at(place, "published"))


def _time(name: str, said: Any, place: str, extra: Iterable[str] = ()) -> None:
    found = keys(said, place, ("role", "granularity", "published", *extra))
    same(found["published"], [name, f"{name}_start", f"{name}_end"], at(place, "published"))
    try:
        read = Granularity.from_dict(found["granularity"])
    except (InputError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise Misfit(at(place, "granularity"), "it is no granularity") from None
    same(found["granularity"], read.to_dict(), at(place, "granularity"))


def _snapshot(name: str, said: Any, place: str) -> None:
    _time(name, said, place, ["step"])
    same(said["step"], "snapshot", at(place, "step"))


def _quasi(steps: Mapping[str, Mapping[str, Check]]) -> Role:
    def check(name: str, said: Any, place: str) -> None:
        step = said.get("step")
        if not isinstance(step, str) or step not in steps:
            raise Misfit(at(place, "step"), "it is no step of this method")
        extra = steps[step]
        if step == "interval":  # on a grid of numbers, or by an order of texts
            extra = {
                key: take for key, take in extra.items() if (key == "order") == ("order" in said)
            }
        found = keys(said, place, ("role", "step", "published", *extra))
        for key, take in extra.items():
            take(found[key], at(place, key))
        same(found["published"], _published(name, step), at(place, "published"))

    return check


def _published(name: str, step: str) -> list[str]:
    if step == "left out":
        return []
    return _bounds(name) if step in ("bins", "interval") else [name]


def _bounds(name: str) -> list[str]:
    return [f"{name}_low", f"{name}_high"]


def _covers(given: Any, place: str) -> None:
    for number, held in enumerate(entries(given, place).values()):
        texts(held, at(place, number))


_LADDER = _quasi(
    {
        "as it is": {},
        "left out": {},
        "bins": {"width": decimal, "origin": decimal},
        "prefix": {"length": whole},
        "parents": {"covers": _covers},
    }
)
_INTERVAL = _quasi({"interval": {"width": decimal, "order": texts}})
_AS_IT_IS = _quasi({"as it is": {}})

_ROLES: dict[str, dict[str, Role]] = {
    "granularity": {"quasi": _LADDER, "time": _time, "sensitive": _sensitive},
    "invariance": {"quasi": _INTERVAL, "sensitive": _sensitive},
    "composed": {"quasi": _INTERVAL, "sensitive": _sensitive},
    "anatomy": {"quasi": _AS_IT_IS, "time": _snapshot, "sensitive": _sensitive},
    "generalize": {"quasi": _INTERVAL, "time": _snapshot, "sensitive": _sensitive},
    "patterns": {"series": _series, "sensitive": _sensitive},
}
_HOW_MANY: dict[str, dict[str, tuple[int, int]]] = {
    "granularity": {"time": (1, 1)},
    "invariance": {"quasi": (1, _MANY), "sensitive": (1, 1)},
    "composed": {"quasi": (1, _MANY), "sensitive": (1, 1)},
    "anatomy": {"time": (1, 1), "sensitive": (1, 1)},
    "generalize": {"time": (1, 1), "quasi": (1, _MANY), "sensitive": (1, 1)},
    "patterns": {"series": (2, _MANY)},
}
