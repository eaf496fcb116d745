"""Recognise people, and decide on the signature of each who was published before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anachron.arrays import Array, Flags
from anachron.errors import GuaranteeError, LedgerError
from anachron.kernels.digests import recall
from anachron.methods.invariance.buckets import NEW, Buckets, Signature, in_order
from anachron.methods.invariance.changes import decide
from anachron.methods.invariance.divide import divide
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.invariance.settle import Changed, settle_by_lot, settle_where_lacking

__all__ = ["People", "recognise"]


@dataclass(frozen=True, eq=False)
class People:
    """The people of a snapshot, and what is known of them."""

    known: Array
    """The place of each in the memory, or ``NEW``."""
    signatures: tuple[Signature, ...]
    """Those of the memory, and any that a changed value made necessary."""
    signature: Array
    """Of each; ``NEW`` for new people, and for those who are refused."""
    staying: Flags
    """Who keeps his place in a standing group."""
    refused: Array
    """Whose changed value allows them no signature."""
    changed: int
    """How many known people have a value that is not in their signature."""


def recognise(snapshot: Snapshot, memory: Memory, rule: Rule, lots: Lots) -> People:
    """Recognise the people of a snapshot."""
    if len(memory.subjects) and (memory.standing is not None) != (rule.mode == "sticky"):
        raise LedgerError(
            "Sticky mode is for whole histories: it can be neither begun nor left later. "
            "Keep the mode, or begin a new ledger."
        )
    known = snapshot.known
    if known is None:
        known = recall(snapshot.subjects, memory.subjects)
    signature = np.append(memory.latest, NEW)[known]
    slot = Buckets(memory.signatures).slot(signature, snapshot.values)
    leaving = (known != NEW) & (slot == NEW)
    # Inside the set nothing can be seen, unless it is known that no value ever changes.
    if rule.constant and snapshot.changed is not None:
        leaving |= snapshot.changed
    staying = (known != NEW) & ~leaving & (rule.mode == "sticky")
    outside = np.flatnonzero(leaving)
    if snapshot.changed is not None and not snapshot.changed[outside].all():
        raise LedgerError(
            "The ledger contradicts the table: a subject's signature lacks its sensitive value, "
            "which has not changed. Restore the ledger from a backup."
        )
    if not len(outside):
        return People(known, memory.signatures, signature, staying, outside, 0)
    found, reasons = _decided(snapshot, memory, rule, lots, outside, signature)
    signatures = (*memory.signatures, *_more(memory.signatures, found))
    number = {s: index for index, s in enumerate(signatures)}
    signature[outside] = [NEW if s is None else number[s] for s in found]
    refused = outside[signature[outside] == NEW]
    if len(refused) and rule.when_ineligible == "refuse":
        raise GuaranteeError(_why_not(reasons, rule))
    return People(known, signatures, signature, staying, refused, len(outside))


def _decided(
    snapshot: Snapshot, memory: Memory, rule: Rule, lots: Lots, rows: Array, signature: Array
) -> tuple[list[Signature | None], Counter[str]]:
    """The signature of each of the rows, whose value left their latest one; None to refuse.

    And how many are refused, by the reason.
    """
    if rule.constant:
        return [None] * len(rows), Counter(constant=len(rows))
    order = np.argsort(lots.subjects("settle", snapshot.subjects[rows]))
    decided: list[Signature | None] = [None] * len(rows)
    waiting, people, refusals = [], [], Counter[str]()
    values = _values(memory, rule)
    for at in order.tolist():
        row = int(rows[at])
        who, value = snapshot.subjects[row].tobytes(), int(snapshot.values[row])
        numbers = (*memory.earlier.get(who, ()), int(signature[row]))
        history = [memory.signatures[number] for number in numbers]
        decision = decide(value, history, rule.m, values, rule.transitions, larger=rule.draws)
        decided[at] = decision.signature
        refusals[decision.why] += decision.fate == "refuse"
        if decision.fate == "new":
            waiting.append(at)
            people.append(Changed(who, value, history[-1], decision.taken))
    if rule.draws:
        settled = settle_by_lot(people, rule.m, values, lots, rule.transitions)
    else:
        others = np.delete(np.arange(len(signature)), rows)
        division = divide(
            memory.signatures, signature[others], snapshot.values[others], rule.domain
        )
        by = lots.values("settle", rule.domain)
        settled = settle_where_lacking(people, rule.m, division, by, rule.transitions)
    for at, found in zip(waiting, settled, strict=True):
        decided[at] = found
        refusals["listed"] += found is None
    return decided, refusals


def _values(memory: Memory, rule: Rule) -> Sequence[int]:
    """The values that new signatures are made of: in modes that draw, none that is new to all."""
    if not rule.draws or rule.declared is None:
        return range(rule.domain)
    return sorted({*rule.declared, *(code for s in memory.signatures for code in s)})


def _more(
    signatures: tuple[Signature, ...], found: list[Signature | None]
) -> tuple[Signature, ...]:
    return in_order({s for s in found if s is not None}.difference(signatures))


def _why_not(refusals: Counter[str], rule: Rule) -> str:
    reasons = []
    few, unfit, unheard, constant = (
        refusals[why] for why in ("few", "listed", "unheard", "constant")
    )
    if constant:
        reasons.append(
            f"{constant:,} known people have another sensitive value than before, and by what "
            "changes lists no value ever becomes another. Correct the table, or add to changes "
            "what can become what."
        )
    if few:
        reasons.append(
            f"{few:,} known people have a sensitive value that has changed too often: fewer than "
            f"m = {rule.m} values are left that were in none of their candidate sets."
        )
    if unheard:
        reasons.append(
            f"{unheard:,} known people have a sensitive value now that no release has shown. Were "
            "it in their new candidate set, everybody would know whose it is. List in values all "
            "sensitive values that there can be, those of the table and those that may come."
        )
    if unfit and rule.transitions is not None:
        silent = rule.domain - sum(1 for others in rule.transitions.values() if others)
        reasons.append(
            f"{unfit:,} known people have a sensitive value that has changed, and by what changes "
            f"lists no set of m = {rule.m} values was found that theirs can have become. It lists "
            f"nothing for {silent:,} of {rule.domain:,} values, and a value that is not listed can "
            "become no other: add to changes what is missing, or remove it if any value can "
            "become any."
        )
    way_out = " These people can be left out with when_ineligible='hold'."
    return f"{' '.join(reasons)} Nothing was published.{'' if rule.draws else way_out}"
