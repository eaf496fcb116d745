"""The promise of a plan: one reader for each method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.plan.calendars import Calendar
from anachron.plan.found import Found, did_you_mean
from anachron.plan.granularity import GranularitySection
from anachron.plan.hierarchies import read_ladders, read_order
from anachron.plan.invariance import InvarianceSection
from anachron.plan.patterns import PatternsSection
from anachron.plan.reposition import RepositionSection
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
    return promise if len(found.problems) == before else None


def _method(given: Any, found: Found) -> str:
    """The method, or the one that is probably meant."""
    if not isinstance(given, Mapping):
        return "granularity"
    method, known = given.get("method"), _listed(_READERS)
    if isinstance(method, str) and method in _READERS:
        return method
    if method is None:
        found.add("the key 'guarantee.method' is missing.", f"It is {known}.")
    else:
        remedy = did_you_mean(method, _READERS) if isinstance(method, str) else None
        found.add(f"guarantee.method must be {known}.", remedy)
    return next((name for key, name in _TELLING.items() if key in given), "granularity")


def _listed(names: Iterable[str]) -> str:
    *most, last = (f'"{name}"' for name in names)
    return f"{', '.join(most)} or {last}"


def _granularity(given: Any, own: Any, folder: Path, found: Found) -> TimeGranularity | None:
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
    whole = partial(TimeGranularity, **values)
    return found.attempt("guarantee", whole, GranularitySection.model_fields)


def _invariance(given: Any, own: Any, folder: Path, found: Found) -> MInvariance | None:
    if own is not None:
        found.add("[calendar] has no meaning for the method invariance.", "Remove it.")
    return _invariant(given, "guarantee", folder, found)


def _invariant(given: Any, key: str, folder: Path, found: Found) -> MInvariance | None:
    promise = section(InvarianceSection, given, key, found)
    if promise is None:
        return None
    values = promise.model_dump(exclude={"method"}, exclude_unset=True)
    _read_orders(values, key, folder, found)
    return found.attempt(key, partial(MInvariance, **values), InvarianceSection.model_fields)


def _reposition(given: Any, own: Any, folder: Path, found: Found) -> Reposition | None:
    calendar = Calendar({} if own is None else own, found)
    promise = section(RepositionSection, given, "guarantee", found)
    then = given.get("then") if isinstance(given, Mapping) else None
    if isinstance(then, Mapping):
        then = _invariant(then, "guarantee.then", folder, found)
    if promise is None:
        return None
    values = promise.model_dump(exclude={"method", "snapshot", "then"}, exclude_unset=True)
    snapshot = calendar.look_up(promise.snapshot, "guarantee.snapshot")
    if snapshot is not None:
        values["snapshot"] = snapshot
    if then is not None:
        values["then"] = then
    elif not isinstance(promise.then, str):
        # Reported already; the rest is read as if nothing followed.
        values = {"l": 2, **values, "then": "generalize"}
    _read_orders(values, "guarantee", folder, found)
    return found.attempt("guarantee", partial(Reposition, **values), RepositionSection.model_fields)


def _patterns(given: Any, own: Any, _: Path, found: Found) -> KPAnonymity | None:
    calendar = Calendar({} if own is None else own, found)
    promise = section(PatternsSection, given, "guarantee", found)
    if promise is None:
        return None
    values = promise.model_dump(exclude={"method"}, exclude_unset=True)
    if promise.granularity is not None:
        values["granularity"] = calendar.look_up(promise.granularity, "guarantee.granularity")
    return found.attempt("guarantee", partial(KPAnonymity, **values), PatternsSection.model_fields)


def _read_orders(values: dict[str, Any], key: str, folder: Path, found: Found) -> None:
    """Put the orders that lie in files in the place of the files."""
    given = values.pop("orders", {})
    read = {
        column: found.attempt(f"{key}.orders.{column}", partial(read_order, order, folder))
        for column, order in given.items()
    }
    values["orders"] = {column: order for column, order in read.items() if order is not None}


_READERS: dict[str, Callable[[Any, Any, Path, Found], Guarantee | None]] = {
    "granularity": _granularity,
    "invariance": _invariance,
    "reposition": _reposition,
    "patterns": _patterns,
}
_TELLING = {"m": "invariance", "window": "reposition", "P": "patterns"}
"""Keys that tell which method is probably meant."""
