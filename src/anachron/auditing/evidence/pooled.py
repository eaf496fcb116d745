"""Did as many new people join the sets of others as pooling says?

The rule is gone through again from what the ledger remembers: how many known people of the release
have each signature, and how many new people each value. New people come in full sets, or
another finding says that they do not; so both follow from signatures alone, and nobody's value is
looked at. What is left over after the turns may open sets, or come to one that was there: a
signature has at least as many new people as its turn gives it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from anachron.auditing.evidence.register import Book, RegisterState, found_in

__all__ = ["joined_by_too_few"]


def joined_by_too_few(state: RegisterState, before: RegisterState, book: Book, m: int) -> int:
    """How many signatures have fewer new people than their turn gives them."""
    present = state.present
    known = (found_in(state.subject, before.subject) >= 0)[present]
    signature = state.signature[present]
    people = Counter(signature[known].tolist())
    came = Counter(signature[~known].tolist())
    sets = {number: count // len(book.signatures[number]) for number, count in came.items()}
    left = Counter[int]()
    for number, count in sets.items():
        left.update(dict.fromkeys(book.signatures[number], count))
    few = 0
    for number in sorted(people, key=lambda one: _turn(people[one], book.signatures[one])):
        turn = _largest(left, book.signatures[number], m)
        left.subtract(dict.fromkeys(book.signatures[number], turn))
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
