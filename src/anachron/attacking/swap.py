"""Exchange two values, run the algorithm again, and see whether it would have published this.

An adversary who knows the algorithm learns from what it did *not* do. Bob and Alice were published
among {a, b}. Alice left; beside Bob there is a counterfeit, and a new person with a is elsewhere.
If Bob had b, a would have been missing, and the method, which prefers real people to counterfeits,
would have used the new person. It did not: Bob has a. Wong and others (*Minimality Attack in
Privacy Preserving Data Publishing*, VLDB 2007) described this for releases of one table; Xiao and
Tao's m-invariance is open to it, because Definition 6 gives the adversary the principle and not
the algorithm.

For everyone who stayed, and each other value of the set, the least exchange of values that leaves
all groups as they are is looked for; then divisions, balancing and assignment are run again on
the changed counts of each release. If no release contradicts, the value is possible. Otherwise it
is tried together with each other exchange of the same values in the same set, and with all of
them. If nothing is possible, the value counts as ruled out, and who has fewer than m left counts as
exposed. Exchanges of three values or in several sets are not tried, so the figure is the most
that can be exposed; also, the adversary is taken to know whose value stayed the same. Values that
become less likely, but stay possible, are not counted.

In the modes ``"transparent"`` and ``"sticky"`` shortages are never filled with new people: no
decision depends on which value is missing, and there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anachron.arrays import Array, Flags, distinct
from anachron.attacking.exchange import Exchanges, exchanges
from anachron.attacking.finding import Figures, Finding
from anachron.attacking.known import Known
from anachron.attacking.register import Registered, Slots
from anachron.attacking.rerun import Rerun, rerun_of

__all__ = ["NEEDS", "attack", "ruled_out", "values_left"]

NEEDS = "the ledger of a register"
Trace = dict[int, tuple[int, int]]
"""What an exchange changes: for each release how many more known and new people go up."""
_OTHERS = 20
"""Other exchanges that are tried together with one."""


def attack(known: Known) -> Finding | None:
    """Try all exchanges of two values in a history."""
    history = known.history
    if history is None:
        return None
    slots = history.slots
    if any((slots.find(one.signature, one.value) < 0).any() for one in history.seen):
        return None  # somebody's value is not in his group: nothing can be run again
    if known.promise.get("mode") != "paper":
        return _other_modes(known, history)
    chosen, sampled = _chosen(history, known.limit, known.seed)
    part = [one.take(np.flatnonzero(chosen[one.signature])) for one in history.seen]
    greedy = known.promise.get("balance") == "paper"
    m = int(known.promise["m"])
    again = [rerun_of(one, slots, m, history.values, greedy) for one in history.seen]
    usable = [one.possible() for one in again]
    found, person = exchanges(part, slots)
    out = ruled_out(
        found, [one if ok else None for one, ok in zip(again, usable, strict=True)], slots
    )
    left = values_left(found, out, len(person))
    exposed = len(distinct(person[found.survivor & (left < m)]))
    figures: Figures = {
        "releases": len(history.seen),
        "releases_run_again": sum(usable),
        "exposed": exposed,
        "certain": len(distinct(person[found.survivor & (left == 1)])),
        "values_ruled_out": int(out[found.survivor[found.who]].sum()),
    }
    measured = f"at least {m} values left for everyone"
    if exposed:
        measured = f"at most {exposed:,} with fewer than {m} values left"
    return _finding(known, figures, len(distinct(person[found.survivor])), measured, sampled)


def ruled_out(found: Exchanges, again: Sequence[Rerun | None], slots: Slots) -> Flags:
    """Tell which alternatives no release can have resulted from.

    ``again`` has the releases, None for those that cannot be run again.
    """
    size = int(found.exchange.max(initial=-1)) + 1
    pair = np.zeros(size, dtype=np.int64)
    low, high = np.minimum(found.own, found.other), np.maximum(found.own, found.other)
    pair[found.exchange] = low * len(slots.value) + high
    traces: dict[int, dict[int, Trace]] = {}
    for number, (met, known, new) in enumerate(zip(found.met, found.known, found.new, strict=True)):
        if again[number] is not None:
            for one, d, e in zip(met.tolist(), known.tolist(), new.tolist(), strict=True):
                traces.setdefault(int(pair[one]), {}).setdefault(one, {})[number] = (d, e)
    wrong = np.zeros(size, dtype=bool)
    for key, of_pair in traces.items():
        judge = _Judge(again, divmod(key, len(slots.value)), slots, of_pair)
        wrong[[one for one, trace in of_pair.items() if not judge.possible(trace)]] = True
    return wrong[found.exchange]


class _Judge:
    """Says which exchanges of one pair of values can be, alone or together with another."""

    def __init__(
        self,
        again: Sequence[Rerun | None],
        pair: tuple[int, int],
        slots: Slots,
        traces: dict[int, Trace],
    ) -> None:
        self.again, self.pair = again, pair
        self.values = int(slots.value[pair[0]]), int(slots.value[pair[1]])
        together: Trace = {}
        for trace in traces.values():
            together = _sum(together, trace)
        different = {tuple(sorted(trace.items())): trace for trace in traces.values()}
        self.others = list(different.values())[:_OTHERS]
        self.together = together
        self.answers: dict[tuple[tuple[int, tuple[int, int]], ...], bool] = {}

    def possible(self, trace: Trace) -> bool:
        """Tell whether an exchange can be: alone, with one other, or with all of the pair."""
        key = tuple(sorted(trace.items()))
        if key not in self.answers:
            worlds = [trace, *(_sum(trace, other) for other in self.others), self.together]
            self.answers[key] = any(self._alone(world) for world in worlds)
        return self.answers[key]

    def _alone(self, trace: Trace) -> bool:
        return all(
            release.possible((*self.pair, *change), self.values)
            for number, change in trace.items()
            if (release := self.again[number]) is not None
        )


def _sum(one: Trace, other: Trace) -> Trace:
    both = dict(one)
    for number, (known, new) in other.items():
        before = both.get(number, (0, 0))
        both[number] = before[0] + known, before[1] + new
    return {number: change for number, change in both.items() if change != (0, 0)}


def values_left(found: Exchanges, out: Flags, people: int) -> Array:
    """How many values remain possible for each person, the true one included."""
    return 1 + np.bincount(found.who[~out], minlength=people)


def _chosen(history: Registered, limit: int, seed: int) -> tuple[Flags, str | None]:
    """Draw sets of values until enough people are among them: exchanges stay within a set."""
    sets = len(history.book.signatures)
    people = np.zeros(sets, dtype=np.int64)
    for seen in history.seen:
        people = np.maximum(people, np.bincount(seen.signature, minlength=sets))
    order = np.random.default_rng(seed).permutation(sets)
    enough = np.cumsum(people[order]) - people[order] < limit
    chosen = np.zeros(sets, dtype=bool)
    chosen[order[enough]] = True
    used = people > 0
    if (chosen | ~used).all():
        return chosen, None
    return chosen, f"{int((chosen & used).sum()):,} of {int(used.sum()):,} sets of values"


def _other_modes(known: Known, history: Registered) -> Finding:
    """New people must come in full sets: then no decision depends on which value is missing."""
    slots, exposed = history.slots, []
    for seen in history.seen:
        new = seen.new
        counts = np.bincount(
            slots.find(seen.signature[new], seen.value[new]), minlength=len(slots.value)
        )
        most = np.zeros(len(slots.start) - 1, dtype=np.int64)
        np.maximum.at(most, slots.owner, counts)
        uneven = np.zeros(len(most), dtype=bool)
        uneven[slots.owner[counts != most[slots.owner]]] = True
        exposed.append(seen.person[uneven[seen.signature]])
    many = len(distinct(np.concatenate(exposed)))
    survivors = distinct(np.concatenate([seen.person[~seen.new] for seen in history.seen]))
    measured = "new people come in full sets: no decision depends on which value is missing"
    if many:
        measured = f"{many:,} people where new people fill a gap"
    figures: Figures = {"releases": len(history.seen), "exposed": many}
    return _finding(known, figures, len(survivors), measured)


def _finding(
    known: Known, figures: Figures, people: int, measured: str, sampled: str | None = None
) -> Finding:
    mode, exposed = known.promise.get("mode"), int(figures["exposed"])
    promised = f"at least {int(known.promise['m'])} values, also for who knows the algorithm"
    if mode == "paper":
        promised = f"nothing in mode {mode!r} against who knows the algorithm"
    return Finding(
        attack="swap",
        title="Exchange of values",
        knows="who is in which group of which release, and the algorithm",
        exposed=exposed,
        people=people,
        promised=promised,
        measured=measured,
        holds=None if mode == "paper" else exposed == 0,
        figures=figures,
        sampled=sampled,
        about="Exchanges two values and asks whether the algorithm would have published the same.",
    )
