"""Stories in which somebody who has read the source learned more than was promised.

Each is the smallest one that shows it. They stay here when they are mended: a story that was once
a leak is a story to be played for ever.
"""

from __future__ import annotations

import anachron as an
from tests.oracle.worlds.story import Person, Story

__all__ = ["LEAKS", "PAPER", "UNNAMED"]

ABC = ("a", "b", "c")


FIVE = (*ABC, "d", "hiv")
"""As many as two candidates need, so that a change always finds two more."""


def changed(name: str, known: tuple[str, ...], **promise: object) -> Story:
    """Bob is released among others, and again when his value may have changed."""
    bob = Person("Bob", (30,), (0, 1), (1,))
    others = tuple(Person(f"P{age}", (age,), (0, 1)) for age in (31, 50, 51))
    dealt = ("a", "a", "b", "c")
    return Story(name, an.MInvariance(m=2, **promise), (bob, *others), known, dealt=dealt)


def new_to_the_register(mode: str) -> Story:
    """D1: a value that nobody had before must not be among Bob's new candidates only if it is his.

    Nobody has d or hiv at first; both are declared.
    """
    return Story(
        f"a value new to the register, {mode}",
        an.MInvariance(m=2, mode=mode, values=FIVE),
        (Person("Bob", (30,), (0, 1), (1,)), Person("P31", (31,), (0, 1))),
        FIVE,
        dealt=("a", "b"),
    )


def held_back(mode: str) -> Story:
    """D6: one changed value left no candidates, and whoever had it was left out."""
    return changed(f"left out, {mode}", ABC, mode=mode, when_ineligible="hold")


def too_few(mode: str) -> Story:
    """D6: with three values one could leave no candidates, which is refused whoever has it."""
    return changed(f"too few, {mode}", ABC, mode=mode, values=ABC)


def changed_twice(mode: str) -> Story:
    """D6: whatever Bob's value becomes, and becomes again, there are candidates for it."""
    bob = Person("Bob", (30,), (0, 1, 2), (1, 2))
    return Story(
        f"changed twice, {mode}",
        an.MInvariance(m=2, mode=mode, values=FIVE),
        (bob, Person("P31", (31,), (0, 1, 2))),
        FIVE,
        dealt=("a", "b"),
    )


def changed_inside(mode: str) -> Story:
    """D2: flu becomes hiv and never the other way, and whoever changed is grouped anew.

    Mode ``transparent`` groups everybody anew, and refuses to know of it.
    """
    changes = {"flu": ["hiv"], "hiv": ["hiv"]}
    return Story(
        f"changed inside the set, {mode}",
        an.MInvariance(m=2, mode=mode, changes=changes),
        (
            Person("Bob", (30,), (0, 1), (1,)),
            Person("P31", (31,), (0, 1)),
            *(Person(f"P{age}", (age,)) for age in (70, 71)),
        ),
        ("flu", "hiv"),
        dealt=("flu", "flu", "hiv", "hiv"),
    )


def both_changed() -> Story:
    """D2: of two whose values left their set, it is seen whether they have the same one now.

    If one of them had a and one had b, and both have the same one of c and d, it is c.
    """
    changes = {"a": "bc", "b": "cd", "c": "de", "d": "ea", "e": "ab"}
    values = tuple(changes)
    return Story(
        "both changed",
        an.MInvariance(m=2, mode="sticky", changes=changes, values=values),
        tuple(Person(f"P{age}", (age,), (0, 1), (1,)) for age in (30, 31)),
        values,
        dealt=("a", "b"),
        named=True,
        even=False,
    )


def unchanged(named: bool) -> Story:
    """Nobody comes or leaves: a second release tells that some value is another, unless there is
    one in any case, which has a name."""
    changes = {"flu": ["hiv"], "hiv": ["hiv"]}
    return Story(
        f"nothing but a change, {'named' if named else 'without names'}",
        an.MInvariance(m=2, mode="sticky", changes=changes),
        (Person("Bob", (30,), (0, 1), (1,)), Person("P31", (31,), (0, 1))),
        ("flu", "hiv"),
        dealt=("flu", "hiv"),
        named=named,
    )


def beside_a_latecomer() -> Story:
    """D3: X stands beside somebody who came late, and came late because of the flu."""
    monday = tuple(Person(f"P{age}", (age,)) for age in (31, 32, 33))
    return Story(
        "beside a latecomer",
        an.Reposition(l=2, window=2),
        (*monday, Person("X", (70,), (1,))),
        ("burn", "flu", "hiv"),
    )


def not_cut() -> Story:
    """D4: women and men in one group, because the two women alone have the same value."""
    women = tuple(Person(f"W{i}", ("f",)) for i in range(2))
    men = tuple(Person(f"M{i}", ("m",)) for i in range(4))
    return Story(
        "a cut that was not made",
        an.Reposition(l=2, window=1, then="generalize", orders={"sex": ["f", "m"]}),
        (*women, *men),
        (),
        columns=("sex",),
        dealt=("hiv", "hiv", "burn", "cold", "flu", "gout"),
    )


def merged() -> Story:
    """D5: of three shapes two are merged, because in one of them both have the same value."""
    series = ((1, 2, 9), (1, 3, 11), (9, 5, 1), (11, 4, 0), (1, 30, 2), (3, 31, 1))
    return Story(
        "merged subgroups",
        an.KPAnonymity(k=2, P=2, l=2),
        tuple(Person(f"S{i}", numbers) for i, numbers in enumerate(series)),
        (),
        times=("t1", "t2", "t3"),
        dealt=("hiv", "hiv", "burn", "cold", "flu", "gout"),
    )


def left_out_and_back() -> Story:
    """Bob is left out on a day on which two of three have one value, so it is his.

    Were he published on the next day, P70 beside him would have the other value.
    """
    return Story(
        "left out, and back",
        an.Reposition(l=2, window=1, then=an.MInvariance(m=2, mode="sticky")),
        (
            Person("Bob", (33,), (0, 1)),
            Person("P34", (33,), (0,)),
            Person("P60", (60,), (0,)),
            Person("P70", (70,), (1,)),
        ),
        ABC,
    )


LEAKS = {
    "D1 transparent": new_to_the_register("transparent"),
    "D1 sticky": new_to_the_register("sticky"),
    "D2 sticky": changed_inside("sticky"),
    "D2 transparent": changed_inside("transparent"),
    "D2 nothing new": unchanged(named=True),
    "D2 both": both_changed(),
    "D3": beside_a_latecomer(),
    "D4": not_cut(),
    "D5": merged(),
    "D6 transparent": held_back("transparent"),
    "D6 sticky": held_back("sticky"),
    "D6 refusal": too_few("transparent"),
    "D6 twice transparent": changed_twice("transparent"),
    "D6 twice sticky": changed_twice("sticky"),
    "left out, and back": left_out_and_back(),
}

PAPER = Story(
    "a counterfeit tells, paper",
    an.MInvariance(m=2),
    (
        Person("Bob", (30,), (0, 1)),
        Person("Alice", (31,), (0,)),
        *(Person(f"N{i}", (40 + i,), (1,)) for i in range(3)),
    ),
    ("a", "b", "c", "d"),
    dealt=("a", "a", "b", "c", "d"),
)
"""Mode ``paper`` does not claim it: whether a shortage was filled tells which value was missing."""

UNNAMED = unchanged(named=False)
"""Without names a register that is as it was gives the last release again: it is told that this
tells, and the judge must see it."""
