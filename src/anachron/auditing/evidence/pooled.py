"""Did as many new people join the sets of others as pooling says?

The rule is gone through again from what the ledger remembers: how many known people of the release
have each signature, and how many new people each value. New people come in full sets, or
another finding says that they do not; so both follow from signatures alone, and nobody's value is
looked at. What is left over after the turns may open sets, or come to one that was there: a
signature has at least as many new people as its turn gives it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["joined_by_too_few"]


def joined_by_too_few(
    people: Mapping[int, int],
    came: Mapping[int, int],
    signatures: Sequence[frozenset[int]],
    m: int,
) -> int:
    """How many signatures have fewer new people than their turn gives them.

    Given are of each signature how many known people of the release have it, and how many came.
    """
    sets = {number: count // len(signatures[number]) for number, count in came.items()}
    left = Counter[int]()
    for number, count in sets.items():
        left.update(dict.fromkeys(signatures[number], count))
    few = 0
    for number in sorted(people, key=lambda one: _turn(people[one], signatures[one])):
        turn = _largest(left, signatures[number], m)
        left.subtract(dict.fromkeys(signatures[number], turn))
        few += sets.get(number, 0) < turn
    return few


def _turn(people: int, values: Iterable[int]) -> tuple[int, int, list[int]]:
    """Most people first; then fewest values, and values in the order of the ledger's list."""
    numbers = sorted(values)
    return -people, len(numbers), numbers


def _largest(left: Counter[int], values: frozenset[int], m: int) -> int:
    """How many sets of these values can go so that the others can still be placed, by bisection."""
    low, high = 0, min(left[value] for value in values)
    while low < high:
        middle = (low + high + 1) // 2
        rest = [count - middle * (value in values) for value, count in left.items()]
        if m * max(rest) <= sum(rest):
            low = middle
        else:
            high = middle - 1
    return low
