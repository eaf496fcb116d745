"""Ask a release and its table the same random questions: what is wanted, and how it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from anachron.arrays import Array, Flags
from anachron.asking.figures import Estimates, joined
from anachron.asking.published import Published
from anachron.asking.question import Aggregate, Condition
from anachron.auditing.history import Past
from anachron.behind import Microdata
from anachron.errors import InputError, Problem
from anachron.measuring.utility import Measure, measured
from anachron.progress import Tell
from anachron.release.read import Release

__all__ = ["Drawn", "Measures", "Task", "Wanted", "answered", "drawn"]

_BLOCK = 1024
_ROUNDS = 20
"""For questions without an answer others are drawn, so many times at most."""

Measures = tuple[tuple[Measure, ...], tuple[str, ...]]
"""A measure for each workload, and notes on them."""


@dataclass(frozen=True)
class Wanted:
    """How many questions are asked, and how they are drawn."""

    questions: int = 1000
    seed: int = 0
    theta: float = 0.1
    """The share of the table that a question is about, were values spread evenly."""
    window: int | None = None
    """How many snapshots or granules a window has; if None, a share as of other columns."""
    dimensions: int | None = None
    """How many quasi columns, or predicates on series of a kind, a question has."""

    def __post_init__(self) -> None:
        problems = list(self._problems())
        if problems:
            raise InputError(problems)

    def _problems(self) -> Iterator[Problem]:
        for name in ("questions", "window", "dimensions"):
            number = getattr(self, name)
            if number is not None and number < 1:
                yield Problem(f"{name} must be 1 or more.")
        if not 0 < self.theta <= 1:
            yield Problem("theta must be above 0 and at most 1; it is a share of the table.")
        if self.seed < 0:
            yield Problem("the seed must not be negative.")

    def settings(self) -> dict[str, float | int | None]:
        """Give all as plain values, but for the seed."""
        return {name: value for name, value in asdict(self).items() if name != "seed"}


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be measured, and with what."""

    releases: Sequence[Release]
    """Of one kind, that belong together."""
    microdata: Microdata
    pasts: Sequence[Past]
    """What the ledger remembers of each release."""
    wanted: Wanted
    tell: Tell


@dataclass(frozen=True, eq=False)
class Drawn:
    """Questions that have an answer, and the answers."""

    conditions: tuple[Condition, ...]
    truth: Array
    empty: int
    """Questions without one, for which others were drawn."""


def drawn(
    draw: Callable[[np.random.Generator], Condition],
    count: Callable[[list[Condition]], Array],
    questions: int,
    seed: int,
) -> Drawn:
    """Draw questions until so many have an answer that is not 0.

    The relative error of the others is undefined. After some rounds it is taken that there are
    hardly any, and fewer are given.
    """
    rng = np.random.default_rng(seed)
    kept: list[Condition] = []
    truths: list[Array] = [np.zeros(0, dtype=np.int64)]
    empty = 0
    for _ in range(_ROUNDS):
        some = [draw(rng) for _ in range(questions - len(kept))]
        if not some:
            break
        truth = count(some)
        there = np.flatnonzero(truth)
        kept += [some[i] for i in there.tolist()]
        truths.append(truth[there])
        empty += len(some) - len(there)
    return Drawn(tuple(kept), np.concatenate(truths), empty)


def answered(
    task: Task,
    workload: str,
    published: Published,
    draw: Callable[[np.random.Generator], Condition],
    count: Callable[[Sequence[Condition], Flags | None], Array],
    there: Flags | None,
    part: tuple[float, float],
) -> tuple[Measure, Drawn]:
    """Draw questions, ask them, and compare the answers with the truth.

    ``count`` counts who of the table meets each question: all, or those who are marked. ``there``
    marks who is in the release, of whom bounds speak; None if nobody knows. ``part`` says which
    share of all work is done before, and which is done here.
    """
    wanted = task.wanted
    some = drawn(draw, lambda asked: count(asked, None), wanted.questions, wanted.seed)
    if not some.conditions:
        raise InputError(
            "no question has an answer in the table. Give the table that the release was made "
            "from, or a larger theta, a longer window, or fewer dimensions."
        )
    figures = _answers(published, some.conditions, task.tell, part)
    truth = some.truth.astype(np.float64)
    inside = None if there is None else count(some.conditions, there).astype(np.float64)
    found = measured(workload, truth, figures.estimate, figures.low, figures.high,
                     inside=inside, empty=some.empty)  # fmt: skip
    return (replace(found, outside=None) if there is None else found), some


def _answers(
    published: Published, conditions: Sequence[Condition], tell: Tell, part: tuple[float, float]
) -> Estimates:
    """Count what the release says of each condition, in blocks; the first quarter was drawing."""
    parts = []
    for at in range(0, len(conditions), _BLOCK):
        tell("asking the release", part[0] + part[1] * (1 + 3 * at / len(conditions)) / 4)
        parts.append(published.figures(conditions[at : at + _BLOCK], Aggregate("count")))
    return joined(parts)
