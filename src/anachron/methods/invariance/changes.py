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

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations, islice

from anachron.methods.invariance.buckets import Signature, canonical

__all__ = ["Decision", "Transitions", "decide", "fits", "new_signature"]

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
    listed: bool = False
    """With ``"refuse"``: whether what can become what is the reason, and not that too few values
    are left."""


_UNFIT = Decision("refuse", listed=True)


def decide(
    value: int,
    history: Sequence[Signature],
    m: int,
    domain: int,
    transitions: Transitions | None = None,
) -> Decision:
    """Decide on the signature of a person with a history of signatures, oldest first.

    >>> decide(1, [(0, 1)], 2, 4)
    Decision(fate='keep', signature=(0, 1), taken=frozenset(), listed=False)
    >>> decide(2, [(0, 1)], 2, 4)
    Decision(fate='new', signature=None, taken=frozenset({0, 1}), listed=False)
    >>> decide(2, [(0, 1)], 2, 3)
    Decision(fate='refuse', signature=None, taken=frozenset(), listed=False)
    """
    latest = history[-1]
    if value in latest:
        return Decision("keep", latest)
    for signature in history[:-1]:
        if value in signature:
            possible = fits(latest, signature, m, transitions)
            return Decision("return", signature) if possible else _UNFIT
    taken = frozenset().union(*history)
    if domain - len(taken) < m:
        return Decision("refuse")
    free = (code for code in range(domain) if code not in taken)
    if new_signature(value, free, latest, m, transitions) is None:
        return _UNFIT
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
