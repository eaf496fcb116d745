"""Settings to try: the plan's own, and all combinations of what is given for its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from anachron.calendar.definitions import Granularity
from anachron.errors import InputError, PlanError
from anachron.guarantees import Guarantee
from anachron.parts.part import parts_of
from anachron.schema import Schema

__all__ = ["Setting", "settings", "with_parts"]

MOST = 10_000
"""More settings than that are a mistake."""


@dataclass(frozen=True)
class Setting:
    """One promise to try."""

    parts: Mapping[str, Any]
    """The parts that are tried, each as the promise keeps it; as given if there is no promise."""
    guarantee: Guarantee | None
    """None if these parts do not fit together."""
    own: bool
    """Whether it is the plan's own."""
    refused: InputError | None = None


def settings(
    own: Guarantee, schema: Schema, over: Mapping[str, Iterable[Any]]
) -> tuple[Setting, ...]:
    """Combine all values of all parts. The plan's own is the first, if it is not among them.

    A value that no promise could have is refused. Values that do not fit together are settings
    that cannot be kept.
    """
    given = _checked(own, over)
    found = [_setting(own, schema, parts) for parts in _combined(given)]
    different: dict[Any, Setting] = {}
    for place, one in enumerate(found):
        different.setdefault(one.guarantee or place, one)
    if own not in different:
        kept = {name: getattr(own, name) for name in given}
        return (Setting(kept, own, own=True), *different.values())
    return tuple(different.values())


def _combined(given: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    many = 1
    for values in given.values():
        many *= len(values)
    if many > MOST:
        raise PlanError(
            f"these are {many:,} settings.", remedy=f"Try at most {MOST:,} of them at once."
        )
    for values in product(*given.values()):
        yield dict(zip(given, values, strict=True))


def _checked(own: Guarantee, over: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """Lists of values, of which each is one that its part can have."""
    parts = parts_of(type(own))
    unknown = [name for name in over if name not in parts]
    if unknown:
        raise PlanError(
            f"the promise {type(own).__name__} has no part {', '.join(map(repr, unknown))}.",
            remedy=f"It has: {', '.join(parts)}.",
        )
    granularities = {one.name: one for one in _granularities(own)}
    found = {}
    for name, values in over.items():
        if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
            raise PlanError(f"{name}: give a list of values to try, such as [2, 5].")
        found[name] = [_named(value, granularities) for value in values]
        if not found[name]:
            raise PlanError(f"{name}: the list of values to try is empty.")
        for value in found[name]:
            if not (value is None and parts[name].optional):
                parts[name].kind.read(name, value)
    return found


def _granularities(own: Guarantee) -> Iterator[Granularity]:
    """The granularities of a promise, its owner's among them, which have no names elsewhere."""
    for name in parts_of(type(own)):
        kept = getattr(own, name)
        several = kept if isinstance(kept, tuple) else (kept,)
        yield from (one for one in several if isinstance(one, Granularity))


def _named(value: Any, granularities: Mapping[str, Granularity]) -> Any:
    if isinstance(value, str):
        return granularities.get(value, value)
    return (
        [_named(one, granularities) for one in value] if isinstance(value, list | tuple) else value
    )


def _setting(own: Guarantee, schema: Schema, given: Mapping[str, Any]) -> Setting:
    try:
        guarantee = with_parts(own, given)
        problems = list(guarantee.misfits(schema))
        if problems:
            raise PlanError(problems)
    except PlanError as error:
        return Setting(given, None, own=False, refused=error)
    kept = {name: getattr(guarantee, name) for name in given}
    return Setting(kept, guarantee, own=guarantee == own)


def with_parts(own: Guarantee, given: Mapping[str, Any]) -> Guarantee:
    """The promise with other parts. What only followed from others follows from them again."""
    kept = _parts(own)
    for name, part in parts_of(type(own)).items():
        if part.optional and kept[name] is not None and _follows(own, kept, name):
            kept[name] = None
    return type(own)(**{**kept, **given})


def _follows(own: Guarantee, kept: Mapping[str, Any], name: str) -> bool:
    try:
        return type(own)(**{**kept, name: None}) == own
    except PlanError:
        return False


def _parts(own: Guarantee) -> dict[str, Any]:
    return {
        name: part.kind.unfold(getattr(own, name)) for name, part in parts_of(type(own)).items()
    }
