"""Why real people do not fill free places "while it tells little": two counterexamples.

The rule: a place is filled by lot with a new person who has the missing value, if the rest can
still be assigned and the likelihood of the release, with the two values of the set exchanged, stays
within bounds of what it is. Each of n people with the missing value is taken with chance 1/n;
exchanged, one of the new people with the other value, of whom there is one more then.
docs/promises-and-limits.md tells both stories.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations

from tests.oracle.invariance import is_eligible

HALF = Fraction(1, 2)
Place = tuple[str, str]
"""A set of two values, of which one person is left."""
Bounds = Callable[[Fraction], bool]


def plain(ratio: Fraction) -> bool:
    return 1 - HALF <= ratio <= 1 + HALF


def mirrored(ratio: Fraction) -> bool:
    return 1 / (1 + HALF) <= ratio <= 1 + HALF


def filled(
    places: Sequence[Place], stayed: str, new: Sequence[str], allowed: Bounds
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """By whom each place is filled, or -1 for a counterfeit, with the chance of it."""
    ways = [((), Fraction(1))]
    for (a, b), has in zip(places, stayed, strict=True):
        lacking = b if has == a else a
        ways = [
            ((*taken, who), chance * share)
            for taken, chance in ways
            for who, share in _one(taken, lacking, has, new, allowed)
        ]
    yield from ways


def _one(
    taken: tuple[int, ...], lacking: str, has: str, new: Sequence[str], allowed: Bounds
) -> Iterator[tuple[int, Fraction]]:
    left = {i: value for i, value in enumerate(new) if i not in taken}
    able = [i for i, value in left.items() if value == lacking]
    count = Counter(left.values())
    rest = [n - (value == lacking) for value, n in count.items()]
    ratio = Fraction(count[lacking], count[has] + 1)
    if able and is_eligible(rest, 2) and allowed(ratio):
        yield from ((i, Fraction(1, len(able))) for i in able)
    else:
        yield -1, Fraction(1)


def beliefs(
    places: Sequence[Place], values: str, allowed: Bounds, fakes: int
) -> dict[tuple[int, str], Fraction]:
    """The largest chance of each value of who stayed, after any release with so many fakes.

    It is known which values there are in all; who fills what is seen, and what is left over.
    """
    seen: dict[object, Counter[str]] = defaultdict(Counter)
    for world in set(permutations(values)):
        stayed, new = "".join(world[: len(places)]), world[len(places) :]
        if any(has not in place for has, place in zip(stayed, places, strict=True)):
            continue
        for taken, chance in filled(places, stayed, new, allowed):
            rest = [value for i, value in enumerate(new) if i not in taken]
            if taken.count(-1) == fakes and is_eligible(Counter(rest).values(), 2):
                # Groups of the rest show no more than what there is of each value.
                seen[taken, tuple(sorted(rest))][stayed] += chance
    found: dict[tuple[int, str], Fraction] = defaultdict(Fraction)
    for worlds in seen.values():
        for at in range(len(places)):
            for value in places[at]:
                own = sum(chance for stayed, chance in worlds.items() if stayed[at] == value)
                found[at, value] = max(found[at, value], Fraction(own) / sum(worlds.values()))
    return found


def test_one_place() -> None:
    """Ann stays of {a, b}; she and three who come have a, a, b and c among them."""
    assert beliefs(["ab"], "aabc", plain, fakes=0)[0, "a"] == 1
    assert not beliefs(["ab"], "aabc", mirrored, fakes=0)


def test_two_places() -> None:
    """Of {a, b} and of {a, c} one stays each: bounds that read the same from both sides fail."""
    found = beliefs(["ab", "ac"], "aaaabbccc", mirrored, fakes=0)
    assert max(found.values()) == 1


def test_filling_whatever_it_tells_is_no_better() -> None:
    """Without bounds, as the paper has it."""
    assert max(beliefs(["ab"], "aabc", lambda _: True, fakes=0).values()) > HALF
