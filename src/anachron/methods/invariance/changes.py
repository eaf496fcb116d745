"""What happens to the signature of a person whose sensitive value changed.

=============  ============================================================================
``A``          the latest signature of the person
``B``          the signature he gets now
``G``          which value can become which; without it, any can become any
=============  ============================================================================

The signatures of one person are equal or have no value in common, over his whole history:

1. if the value is in ``A``, B = A: the release looks the same whether it changed or not;
2. if it is in an earlier signature of his, B is that one again;
3. otherwise B is made of values that are in none of his signatures;
4. and if nothing of that is possible, he is not published.

Notes
-----
The paper assumes that nobody's value ever changes. Values that A and B share must not exist
beside others: who knows rule 1 also knows that a person with a new signature B ≠ A has a value
outside A, so only B − A would count. Rule 3 makes that all of B.

Knowledge of possible changes excludes more. With ``G`` given, A and B ≠ A must also fit:
every a in A can become some b in B, every b in B can have been some a in A, and the graph
between them has a matching of size m that uses a, for each a. The last needs one matching
only: where every a has an edge, each a is in some matching of the largest size, because it can
take the place of the partner of any of its neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations, islice

from anachron.methods.invariance.buckets import Signature, canonical

__all__ = ["Decision", "Transitions", "dealt", "decide", "fits", "new_signature"]

Transitions = Mapping[int, AbstractSet[int]]
"""For each value, the values it can become. Each can always stay what it is; one that is not
listed can become no other."""

_TRIES = 10_000


@dataclass(frozen=True)
class Decision:
    """Which signature a known person gets: that one, or a new one, or none."""

    fate: str
    """``"keep"``, ``"return"``, ``"new"`` or ``"refuse"``."""
    signature: Signature | None = None
    """Given with ``"keep"`` and ``"return"``."""
    taken: frozenset[int] = frozenset()
    """With ``"new"``: the values that the signature must not have."""
    why: str = ""
    """With ``"refuse"``: too ``"few"`` values are left; by what is ``"listed"`` the person's cannot
    have become it, or not without telling; or it is ``"unheard"`` of: no signature can have it."""


def decide(
    value: int,
    history: Sequence[Signature],
    m: int,
    values: Collection[int],
    transitions: Transitions | None = None,
    *,
    larger: bool = False,
) -> Decision:
    """Decide on the signature of a person with a history of signatures, oldest first.

    ``values`` are those that a signature can be made of; all that are in one are among them. A new
    one has m of them, or may be ``larger``.

    >>> decide(1, [(0, 1)], 2, range(4))
    Decision(fate='keep', signature=(0, 1), taken=frozenset(), why='')
    >>> decide(2, [(0, 1)], 2, range(4))
    Decision(fate='new', signature=None, taken=frozenset({0, 1}), why='')
    >>> decide(2, [(0, 1)], 2, range(3))
    Decision(fate='refuse', signature=None, taken=frozenset(), why='few')
    >>> decide(5, [(0, 1)], 2, range(4))
    Decision(fate='refuse', signature=None, taken=frozenset(), why='unheard')
    """
    latest = history[-1]
    if value in latest:
        return Decision("keep", latest)
    for signature in history[:-1]:
        if value in signature:
            possible = fits(latest, signature, m, transitions)
            return Decision("return", signature) if possible else Decision("refuse", why="listed")
    if value not in values:
        return Decision("refuse", why="unheard")
    taken = frozenset().union(*history)
    if len(values) - len(taken) < m:
        return Decision("refuse", why="few")
    if transitions is not None:
        free = [code for code in values if code not in taken]
        if larger:
            possible = any(value in signature for signature in dealt(free, latest, m, transitions))
        else:
            possible = new_signature(value, free, latest, m, transitions) is not None
        if not possible:
            return Decision("refuse", why="listed")
    return Decision("new", taken=taken)


def fits(old: Signature, new: Signature, m: int, transitions: Transitions | None = None) -> bool:
    """Tell whether knowing the possible changes leaves m candidates before and after.

    >>> fits((0, 1), (2, 3), 2)
    True
    >>> fits((0, 1), (2, 3), 2, {0: {2}, 1: {2, 3}})
    True
    >>> fits((0, 1), (2, 3), 2, {0: {2}, 1: {2}})
    False
    """
    if transitions is None:
        return min(len(old), len(new)) >= m
    edges = {a: [b for b in new if b == a or b in transitions.get(a, ())] for a in old}
    reached = {b for row in edges.values() for b in row}
    if not all(edges.values()) or reached != set(new):
        return False
    return _matching(edges) >= m


def new_signature(
    value: int,
    ranked: Iterable[int],
    latest: Signature,
    m: int,
    transitions: Transitions | None = None,
) -> Signature | None:
    """Make a signature of m values: the value itself and the first in ``ranked`` that fit."""
    others: Iterable[int] = (code for code in ranked if code != value)
    if transitions is None:
        # Then only the number of values counts, and nobody looks at the others.
        others = islice(others, m - 1)
    for rest in islice(combinations(others, m - 1), _TRIES):
        signature = canonical((value, *rest))
        if fits(latest, signature, m, transitions):
            return signature
    return None


def dealt(
    drawn: Iterable[int], latest: Signature, m: int, transitions: Transitions
) -> list[Signature]:
    """Deal values into signatures, in the order in which they were drawn; none if that is no use.

    Each has m values, but for the last, which has what is left over too. Nobody's value is looked
    at: who gets the one that has theirs may have any other of it, just as likely.

    Notes
    -----
    A signature that fits still does with a value more that can have come from the latest one. So
    what is left over never spoils the last, and if nothing fits, all of it together does not.

    >>> dealt([3, 5, 2, 4, 6], (0, 1), 2, {0: {2, 3, 4, 5}, 1: {2, 3, 4, 5}})
    [(3, 5), (2, 4)]
    """
    rest = [code for code in drawn if any(code in transitions.get(a, ()) for a in latest)]
    found: list[Signature] = []
    left: list[int] = []
    while rest:
        first, *others = rest
        signature = new_signature(first, others, latest, m, transitions)
        if signature is None:
            left.append(first)
            rest = others
        else:
            found.append(signature)
            rest = [code for code in others if code not in signature]
    if not found:
        everything = canonical(left)
        return [everything] if fits(latest, everything, m, transitions) else []
    found[-1] = canonical((*found[-1], *left))
    return found


def _matching(edges: Mapping[int, Sequence[int]]) -> int:
    """Size of the largest matching, by augmenting paths."""
    partner: dict[int, int] = {}

    def augment(a: int, seen: set[int]) -> bool:
        for b in edges[a]:
            if b not in seen:
                seen.add(b)
                if b not in partner or augment(partner[b], seen):
                    partner[b] = a
                    return True
        return False

    return sum(augment(a, set()) for a in edges)
