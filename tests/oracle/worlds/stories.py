"""Random stories of every method and mode: few people, few values, and all that may happen."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import anachron as an
from tests.oracle.worlds.story import Person, Story

__all__ = ["KINDS", "UNCLAIMED", "story"]

VALUES = ("a", "b", "c")
FIVE = ("a", "b", "c", "d", "e")
"""3 m − 1 of them: as many as need be declared for m = 2."""
AT_FIRST = {3: ("abc",), 4: ("abca", "abab", "abcd"), 5: ("abacb", "abacb", "abcda")}
"""What so many people have among them at first, if that is known."""
AGES = (30, 31, 33, 40, 60)
Draw = Callable[[random.Random], Story]


def register(rng: random.Random) -> Story:
    """Mode ``paper``: people come, leave, return, and now and then somebody's value is another."""
    people = _coming(rng, rng.choice((4, 4, 5)), rng.choice((2, 2, 3)))
    if rng.random() < 0.4:
        people = _changing(rng, people, 1)
    promise = an.MInvariance(m=2, balance=rng.choice(("exact", "paper")))
    return Story("register", promise, people, VALUES)


def declared(rng: random.Random, mode: str, changes: bool = False, balance: str = "exact") -> Story:
    """The same in modes that claim it: values are declared and releases named.

    New people come together, or two and two, or mostly nothing could be published. Mostly it is
    known which values there are among those who come together, which the release tells in any case.
    Later values are any, or what ``changes`` says.
    """
    count = rng.choice((2, 2, 3, 4, 4, 5))
    times = rng.choice((2, 3) if count < 4 else (2,))
    people = _coming(rng, count, times, least=2 if count == 4 else count)
    known = count > 2 and rng.random() < 0.9
    can = rng.choice(_CHANGES[mode]) if changes else _any
    if can is not _none:
        people = _changing(rng, people, rng.choice((1, 1, 2)))
    return Story(
        "register",
        an.MInvariance(
            m=2, mode=mode, balance=balance, values=FIVE, changes=can(FIVE) if changes else None,
        ),
        people,
        FIVE,
        dealt=tuple(rng.choice(AT_FIRST[count])) if known else (),
        by_wave=True,
        named=True,
        even=can is not _turning,
        refusals_tell=not known,
    )  # fmt: skip


def _turning(values: tuple[str, ...]) -> dict[str, list[str]]:
    """Every value can become two others, and come from two."""
    size = len(values)
    return {v: [values[(i + 1) % size], values[(i + 2) % size]] for i, v in enumerate(values)}


def _any(values: tuple[str, ...]) -> dict[str, list[str]]:
    return {v: [other for other in values if other != v] for v in values}


def _none(values: tuple[str, ...]) -> dict[str, list[str]]:
    return {v: [] for v in values}


_CHANGES = {"transparent": (_any, _any, _none), "sticky": (_turning, _turning, _any, _none)}
"""What can be said of changes in a mode."""


def _coming(rng: random.Random, count: int, times: int, least: int = 1) -> tuple[Person, ...]:
    """People with ages, of which two may be the same, each in some of the releases.

    Somebody is in each release; and in each nobody is new, or so many at ``least``.
    """
    while True:
        alike = rng.random() < 0.2
        ages = (rng.choices if alike else rng.sample)((30, 31, 33, 40, 45, 60), k=count)
        present = [tuple(t for t in range(times) if rng.random() < 0.65) for _ in range(count)]
        firsts = [p[0] for p in present if p]
        if not all(present) or {t for p in present for t in p} != set(range(times)):
            continue
        if all(firsts.count(t) in (0, *range(least, count + 1)) for t in range(times)):
            break
    return tuple(
        Person(f"P{i}", (age,), there)
        for i, (age, there) in enumerate(zip(ages, present, strict=True))
    )


def _changing(rng: random.Random, people: tuple[Person, ...], many: int) -> tuple[Person, ...]:
    """Let the value of some who are there again become another, once."""
    again = [i for i, person in enumerate(people) if len(person.present) > 1]
    chosen = rng.sample(again, min(many, len(again)))
    return tuple(
        replace(p, fresh=(rng.choice(p.present[1:]),)) if i in chosen else p
        for i, p in enumerate(people)
    )


def feed(
    rng: random.Random,
    then: str,
    solver: str = "recycle",
    late: bool = False,
    mode: str = "",
    careful: bool | None = None,
    finest: bool = False,
    window: int = 0,
) -> Story:
    """Records of two or three days; in some stories somebody comes twice, or a record late.

    Who comes twice has another value each time, unless the feed is m-invariant: no other feed
    promises anything to somebody of whom it is known that their value is the same. In many stories
    of an m-invariant feed somebody comes again, with the same value or another. People who are
    alike draw their names, too, and four who come together their groups, which multiplies the ways
    to go: in most of these, nobody is alike, and three come together at most.
    """
    days = rng.choice((2, 3))
    count = rng.choice((2, 3, 3) if mode else (3, 4, 4))
    ages = (rng.choices if not mode or rng.random() < 0.2 else rng.sample)(AGES, k=count)
    people = [
        Person(f"P{i}", (age,), (rng.choice((0, 0, 1, days - 1)),)) for i, age in enumerate(ages)
    ]
    people.append(Person("X", (70,), (days - 1,)))
    if rng.random() < (0.75 if mode else 0.25):
        who = rng.randrange(len(people) - 1)
        if people[who].present == (0,):
            there = rng.choice(((0, 1), (0, days - 1), tuple(range(days)))) if mode else (0, 1)
            fresh = there[1:2] if rng.random() < 0.5 or not mode else ()
            people[who] = replace(people[who], present=there, fresh=fresh)
            del people[3:-1]  # or there would be too many ways to go through
    if late:
        people[0] = replace(people[0], present=(0,), fresh=(), arrives={0: 1})
        people[1] = replace(people[1], present=(0,), fresh=())
    if mode and rng.random() < 0.8:
        while max(Counter(day for p in people for day in p.present).values()) > 3:
            del people[[len(p.present) for p in people].index(1)]
    window = window or rng.choice((2, 2, 3, 4))
    return Story(
        "feed",
        an.Reposition(
            l=2 if mode or rng.random() < 0.8 else "3/2",
            window=window,
            solver=solver,
            first=rng.choice(("exact", "cold")),
            late="recycle" if late else "refuse",
            then=an.MInvariance(m=2, mode=mode) if mode else then,
            careful=careful,
        ),
        tuple(people),
        VALUES,
        finest=finest,
    )


def series(rng: random.Random, algorithm: str, noise: int | None = None) -> Story:
    """Five to seven people with three shapes, and values of which one or two are not rare."""
    shapes = ((0, 9, 20), (20, 9, 0), (3, 25, 4))
    size = rng.choice((5, 6, 6, 7))
    people = tuple(
        Person(
            f"S{i}", tuple(n + rng.randrange(7) for n in shapes[i * i % 3 if size == 7 else i % 3])
        )
        for i in range(size)
    )
    dealt = tuple(rng.choice(DEALT[size]))
    form = {}
    if noise is not None:  # it is for numbers
        dealt = tuple(1000 * ord(letter) for letter in dealt)
        form = {"diversity": "paper", "noise": noise}
    promise = an.KPAnonymity(k=rng.choice((2, 3, 4)), P=2, l=2, algorithm=algorithm, **form)
    return Story("series", promise, people, (), times=("t1", "t2", "t3"), dealt=dealt)


DEALT = {
    5: ("aabcd", "aabbc"),
    6: ("aabcde", "aabbcd", "aaabbc"),
    7: ("aaabbbc", "aaabbcd"),
}
"""What so many people have, among them."""


def events(rng: random.Random, shared: bool = False, suppressed: bool = False) -> Story:
    """Rows that are marked; with marks to spare if rows may be left out, or that would tell."""
    people = [Person(f"P{i}", ("q",), (rng.randrange(8),)) for i in range(3)]
    if shared:
        day = people[0].present[0]
        people[0] = replace(people[0], present=(day, day + 1), fresh=(day + 1,))
    rows = 4 if shared else 3
    promise = an.TimeGranularity(
        k=2,
        granularities=["day", "week", "month"],
        max_share="1/2" if shared else None,
        max_suppressed="1/3" if suppressed else 0,
    )
    marks = tuple(f"mark {i}" for i in range(rows + (2 if suppressed else 0)))
    return Story("events", promise, tuple(people), (), columns=("ward",), dealt=marks)


KINDS: dict[str, Draw] = {
    "paper": register,
    "transparent": partial(declared, mode="transparent"),
    "transparent-changes": partial(declared, mode="transparent", changes=True),
    "transparent-pooled": partial(declared, mode="transparent", balance="pooled"),
    "sticky": partial(declared, mode="sticky"),
    "sticky-changes": partial(declared, mode="sticky", changes=True),
    "anatomy": partial(feed, then="anatomy"),
    "anatomy-rolling": partial(feed, then="anatomy", solver="rolling"),
    "anatomy-late": partial(feed, then="anatomy", late=True),
    "generalize": partial(feed, then="generalize"),
    "generalize-rolling": partial(feed, then="generalize", solver="rolling"),
    "generalize-late": partial(feed, then="generalize", late=True),
    "generalize-finest": partial(feed, then="generalize", finest=True),
    "generalize-finest-rolling": partial(feed, then="generalize", finest=True, solver="rolling"),
    "generalize-finest-late": partial(feed, then="generalize", finest=True, late=True),
    "careless-anatomy": partial(feed, then="anatomy", careful=False),
    "careless-generalize": partial(feed, then="generalize", careful=False),
    "then-transparent": partial(feed, then="", mode="transparent", window=1),
    "then-sticky": partial(feed, then="", mode="sticky", window=1),
    "moving-transparent": partial(feed, then="", mode="transparent"),
    "moving-sticky": partial(feed, then="", mode="sticky"),
    "series": partial(series, algorithm="kapra"),
    "series-naive": partial(series, algorithm="naive"),
    "series-paper": partial(series, algorithm="kapra", noise=400),
    "events": events,
    "events-share": partial(events, shared=True),
    "events-suppressed": partial(events, suppressed=True),
}
UNCLAIMED = (
    "paper",
    "series-paper",
    "careless-anatomy",
    "careless-generalize",
    "moving-transparent",
    "moving-sticky",
)
"""Modes that do not claim it."""


def story(kind: str, seed: int) -> Story:
    """The story with a number."""
    drawn = KINDS[kind](random.Random(f"{kind} {seed}"))
    return replace(drawn, name=f"{kind} {seed}")
