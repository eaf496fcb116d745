"""The promise of a plan: one reader for each method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from anachron.guarantees import Guarantee, MInvariance, TimeGranularity
from anachron.plan.calendars import Calendar
from anachron.plan.found import Found, did_you_mean
from anachron.plan.granularity import GranularitySection
from anachron.plan.hierarchies import read_ladders, read_order
from anachron.plan.invariance import InvarianceSection
from anachron.plan.validate import section

__all__ = ["read_promise"]


def read_promise(given: Any, own: Any, folder: Path, found: Found) -> Guarantee | None:
    """Read [guarantee], and the plan's own granularities under [calendar]."""
    before = len(found.problems)
    method = _method(given, found)
    if isinstance(given, Mapping):
        # A wrong method was reported; with the one that is probably meant, the rest is read.
        given = {**given, "method": method}
    promise = _READERS[method](given, own, folder, found)
    return promise() if promise is not None and len(found.problems) == before else None


def _method(given: Any, found: Found) -> str:
    """The method, or the one that is probably meant."""
    if not isinstance(given, Mapping):
        return "granularity"
    method, known = given.get("method"), " or ".join(f'"{name}"' for name in _READERS)
    if isinstance(method, str) and method in _READERS:
        return method
    if method is None:
        found.add("the key 'guarantee.method' is missing.", f"It is {known}.")
    else:
        remedy = did_you_mean(method, _READERS) if isinstance(method, str) else None
        found.add(f"guarantee.method must be {known}.", remedy)
    return "invariance" if "m" in given else "granularity"


def _granularity(
    given: Any, own: Any, folder: Path, found: Found
) -> Callable[[], TimeGranularity] | None:
    calendar = Calendar({} if own is None else own, found)
    promise = section(GranularitySection, given, "guarantee", found)
    if promise is None:
        return None
    values = promise.model_dump(exclude={"method", "granularities", "ladders"}, exclude_unset=True)
    if promise.granularities is not None:
        offered = [
            calendar.look_up(name, f"guarantee.granularities, item {number}")
            for number, name in enumerate(promise.granularities, 1)
        ]
        if None not in offered:
            values["granularities"] = offered
    values["ladders"] = read_ladders(promise.ladders, folder, found)
    # Each key is tried alone, so that all that is wrong comes out at once.
    for key, value in values.items():
        alone = partial(TimeGranularity, **{"k": 2, key: value})
        found.attempt("guarantee", alone, GranularitySection.model_fields)
    return partial(TimeGranularity, **values)


def _invariance(
    given: Any, own: Any, folder: Path, found: Found
) -> Callable[[], MInvariance] | None:
    if own is not None:
        found.add("[calendar] has no meaning for the method invariance.", "Remove it.")
    promise = section(InvarianceSection, given, "guarantee", found)
    if promise is None:
        return None
    values = promise.model_dump(exclude={"method"}, exclude_unset=True)
    for column, order in values.get("orders", {}).items():
        read = partial(read_order, order, folder)
        values["orders"][column] = found.attempt(f"guarantee.orders.{column}", read)
    for key, value in values.items():
        if isinstance(value, Mapping):
            for name, entry in value.items():
                if entry is not None:
                    found.attempt(f"guarantee.{key}.{name}", _alone(key, {name: entry}))
        else:
            found.attempt("guarantee", _alone(key, value), InvarianceSection.model_fields)
    return partial(MInvariance, **values)


def _alone(key: str, value: Any) -> Callable[[], MInvariance]:
    return lambda: MInvariance(**{"m": 2, key: value})


_READERS = {"granularity": _granularity, "invariance": _invariance}
