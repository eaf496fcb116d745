"""What candidates are measured by: risks and losses, and what each method has of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from anachron.errors import InputError
from anachron.guarantees import Guarantee

if TYPE_CHECKING:
    from anachron.exploring.rehearsal import Rehearsal
    from anachron.trying.run import Looked

__all__ = ["Exploring", "Resolution", "Yardstick", "as_it_is", "chosen", "common", "measured"]

Sort = Literal["risk", "loss"]
Told = Callable[[Any, Any], float | None]
"""Reads a measure from the figures of a trial, given what is promised."""


@dataclass(frozen=True)
class Yardstick:
    """One thing to measure candidates by, under the same name for all methods that have it."""

    name: str
    """By which it is asked for, such as ``"group"``."""
    sort: Sort
    title: str
    """As an axis says it."""
    share: bool = False
    """Whether it is a share, written in percent."""
    more: bool = False
    """Whether more of it is better."""
    told: Told | None = None
    """How figures of a trial tell it; None if only a release does, which takes longer."""
    find: Callable[[Rehearsal], float | None] | None = None
    """How a rehearsed release tells it."""
    promised: Callable[[Any], float] | None = None
    """What a promise says of it: there a candidate is drawn that cannot be kept."""

    @property
    def quick(self) -> bool:
        """Whether it is known without a release."""
        return self.told is not None

    def worse(self, value: float) -> float:
        """A number that grows as things get worse."""
        return -value if self.more else value

    def write(self, value: float | None) -> str:
        """Write a measure as people read it."""
        if value is None:
            return ""
        if self.share:
            percent = 100 * value
            return f"{percent:.3g} %" if percent >= 0.01 or not value else "< 0.01 %"
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"

    def to_dict(self) -> dict[str, Any]:
        """Give what it is as plain values."""
        return {
            "name": self.name,
            "sort": self.sort,
            "title": self.title,
            "share": self.share,
            "better": "more" if self.more else "less",
            "quick": self.quick,
        }


@dataclass(frozen=True)
class Resolution:
    """How fine time is: what it is called, and about how many days that are, if that is known."""

    name: str
    days: float | None = None


def as_it_is(guarantee: Guarantee, _figures: Any) -> Guarantee:
    """A setting with one answer is published as it is."""
    return guarantee


def nothing_more(_rehearsal: Rehearsal, _looked: Looked) -> Mapping[str, Any]:
    """A method without details of its own."""
    return {}


@dataclass(frozen=True)
class Exploring:
    """What the room has for one method."""

    yardsticks: tuple[Yardstick, ...]
    """The first risk and the first loss are those that are drawn unless others are asked for."""
    over: Callable[[Any], Mapping[str, Sequence[Any]]]
    """What is tried of a promise if nothing is said: a few dozen settings at most."""
    resolution: Callable[[Any, Any], Resolution]
    """How fine time is, by promise and figures."""
    narrowed: Callable[[Any, Any], Guarantee] = as_it_is
    """Of several answers of a setting: the promise under which this one is published."""
    shown: frozenset[str] = frozenset()
    """The charts of a release that show a chosen point closer."""
    closer: Callable[[Rehearsal, Looked], Mapping[str, Any]] = nothing_more
    """What of the details of a point this method alone has, by the names of their fields."""


def measured(yardsticks: Sequence[Yardstick], sort: Sort) -> tuple[Yardstick, ...]:
    """All of one sort."""
    return tuple(one for one in yardsticks if one.sort == sort)


def common(several: Sequence[Exploring]) -> tuple[Yardstick, ...]:
    """What candidates of several methods can be compared by."""
    first, *others = several
    names = [{one.name for one in each.yardsticks} for each in others]
    return tuple(one for one in first.yardsticks if all(one.name in each for each in names))


def chosen(
    yardsticks: Sequence[Yardstick], sort: Sort, asked: str | Sequence[str] | None
) -> tuple[Yardstick, ...]:
    """The yardsticks that are asked for, the one of the axis first; all quick ones follow."""
    there = {one.name: one for one in measured(yardsticks, sort)}
    if not there:
        raise InputError(f"these promises have no {sort} in common. Explore them one by one.")
    wanted = [asked] if isinstance(asked, str) else list(asked or ())
    for name in wanted:
        if name not in there:
            raise InputError(
                f"there is no {sort} {name!r} that candidates could be measured by; "
                f"there are {', '.join(there)}."
            )
    quick = [name for name, one in there.items() if one.quick]
    names = dict.fromkeys([*wanted, *quick] or list(there)[:1])
    return tuple(there[name] for name in names)
