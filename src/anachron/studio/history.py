"""What a ledger remembers of each release, in counts, and a drawing of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anachron.errors import AnachronError
from anachron.guarantees import from_dict
from anachron.ledger.entry import Entry
from anachron.release import Release

__all__ = ["Bar", "Milestone", "TimeLine", "picture", "steps"]

MOST = 60
"""So many releases are drawn, the last ones."""
WIDTH, UP, DOWN = 900.0, 120.0, 60.0
"""Of the drawing: what is published stands above the axis, who is missing below."""


@dataclass(frozen=True)
class Milestone:
    """One release."""

    number: int
    when: str
    name: str
    """What its owner called it; of a feed, what it holds."""
    promise: str
    there: bool
    """Whether it is where it was put."""
    rows: int | None
    counterfeits: int
    """Rows that belong to nobody."""
    held: int
    """Who waits: people of a register, or records of a feed."""
    left_out: int
    """What was not published, and is not waiting."""

    @property
    def missing(self) -> int:
        """Who is not in it, for now or for ever."""
        return self.held + self.left_out


@dataclass(frozen=True)
class Bar:
    """One release in the drawing."""

    step: Milestone
    x: float
    wide: float
    rows: float
    extra: float
    missing: float


@dataclass(frozen=True)
class TimeLine:
    """All bars, and where dates are written."""

    bars: tuple[Bar, ...]
    labels: tuple[tuple[float, str], ...]
    most: int
    """What the tallest bar above counts,"""
    most_missing: int
    """and below."""
    earlier: int
    """How many releases are not drawn."""


def steps(entries: Iterable[Entry]) -> list[Milestone]:
    """Read what is remembered of each release, and of its files only the description."""
    return [_step(entry) for entry in entries]


def _step(entry: Entry) -> Milestone:
    told = entry.explanation
    release = _there(entry)
    facts: Mapping[str, Any] = {} if release is None else release.form.facts
    waiting = told.get("account", {}).get("total", {}).get("waiting", 0)
    never = ("suppressed_rows", "suppressed_series", "dropped_series")
    return Milestone(
        number=entry.number,
        when=entry.committed_at,
        name=str(entry.plan.get("as_of") or ""),
        promise=str(from_dict(entry.plan["guarantee"])),
        there=release is not None,
        rows=None if release is None else release.rows,
        counterfeits=int(told.get("counterfeits", 0)),
        held=int(told.get("held", 0)) + int(waiting),
        left_out=sum(int(facts.get(name, 0)) for name in never)
        + sum(int(told.get(name, 0)) for name in ("refused", "given_up", "suppressed")),
    )


def _there(entry: Entry) -> Release | None:
    try:
        return Release(entry.path)
    except AnachronError:
        return None


def picture(all_steps: Sequence[Milestone]) -> TimeLine:
    """Draw the last releases side by side.

    >>> one = Milestone(1, "2026-11-18T10:00:00+00:00", "", "k = 5", True, 90, 10, 0, 5)
    >>> [bar] = picture([one]).bars
    >>> bar.rows, bar.extra, bar.missing
    (106.67, 13.33, 60.0)
    """
    shown = all_steps[-MOST:]
    most = max((step.rows or 0 for step in shown), default=0) or 1
    missing = max((step.missing for step in shown), default=0)
    each = WIDTH / max(len(shown), 6)
    bars = tuple(
        Bar(
            step, round(each * (at + 0.18), 2), round(each * 0.64, 2),
            _tall(UP, (step.rows or 0) - step.counterfeits, most),
            _tall(UP, step.counterfeits, most),
            _tall(DOWN, step.missing, missing),
        )
        for at, step in enumerate(shown)
    )  # fmt: skip
    every = max(len(shown) // 8, 1)
    labels = tuple((bar.x + bar.wide / 2, bar.step.when[:10]) for bar in bars[::every])
    return TimeLine(bars, labels, most, missing, len(all_steps) - len(shown))


def _tall(most: float, many: int, of: int) -> float:
    """How tall a bar is; one among thousands is still seen."""
    return max(round(most * many / of, 2), 2.5) if many else 0.0
