"""Recognise people, and decide on the signature of each who was published before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from anachron.engines.base import COUNT, Batch, Rows
from anachron.errors import GuaranteeError, LedgerError
from anachron.kernels.digests import texts
from anachron.methods.invariance.buckets import NEW, Buckets, Signature, in_order
from anachron.methods.invariance.changes import decide
from anachron.methods.invariance.divide import divide
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import Memory, digests
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.invariance.settle import Changed, settle_by_lot, settle_where_lacking

__all__ = ["People", "recalled", "recognise"]


@dataclass(frozen=True, eq=False)
class People:
    """The people of a snapshot, and what is known of them."""

    rows: Rows
    """Those of the snapshot, with the signature that each has now (``NEW`` for new people, and for
    those who are refused), and flags: ``old``, ``staying`` in a standing group, ``refused``."""
    signatures: tuple[Signature, ...]
    """Those of the memory, and any that a changed value made necessary."""
    known: int
    new: int
    changed: int
    """How many known people have a value that is not in their signature."""
    refused: int
    """How many of them are allowed no signature."""


def recalled(rows: Rows, memory: Memory) -> Rows:
    """Recognise people by their pseudonyms: whether each is ``known``, the ``mark`` of the value
    last published and the ``signature``, and in sticky mode the group where they are
    ``standing``."""
    read = partial(_remembered, memory.standing is not None)
    return rows.recall(memory.people, read, ("who",))


def _remembered(sticky: bool, batch: Batch) -> Batch:
    """What is remembered of some people."""
    signature = batch["signature"].to_numpy().astype(np.int64)
    found = {
        "who": digests(batch["subject"]),
        "known": np.zeros_like(signature),
        "mark": digests(batch["value"]),
        "signature": signature,
    }
    return found | ({"standing": batch["standing"].to_numpy().astype(np.int64)} if sticky else {})


def recognise(snapshot: Snapshot, memory: Memory, rule: Rule, lots: Lots) -> People:
    """Decide on the signature of everyone who is known."""
    if memory.people.rows and (memory.standing is not None) != (rule.mode == "sticky"):
        raise LedgerError(
            "Sticky mode is for whole histories: it can be neither begun nor left later. "
            "Keep the mode, or begin a new ledger."
        )
    kernel = partial(_compared, Buckets(memory.signatures), rule, snapshot.tells_changes)
    rows = snapshot.rows.map(kernel)
    counted = rows.counts(("old", "leaving", "strange")).collect("old", "leaving", "strange", COUNT)
    known, new, changed, strange = (
        int(counted[COUNT][of].sum())
        for of in (counted["old"], ~counted["old"], counted["leaving"], counted["strange"])
    )
    if strange:
        raise LedgerError(
            "The ledger contradicts the table: a subject's signature lacks its sensitive value, "
            "which has not changed. Restore the ledger from a backup."
        )
    if not changed:
        return People(rows, memory.signatures, known, new, 0, 0)
    outside = rows.where("leaving").collect("who", "value", "signature")
    found, reasons = _decided(rows, memory, rule, lots, outside)
    signatures = (*memory.signatures, *_more(memory.signatures, found))
    number = {s: index for index, s in enumerate(signatures)}
    decided = np.array([NEW if s is None else number[s] for s in found], dtype=np.int64)
    refused = int((decided == NEW).sum())
    if refused and rule.when_ineligible == "refuse":
        raise GuaranteeError(_why_not(reasons, rule))
    by = np.argsort(texts(outside["who"]))
    rows = rows.join({"who": outside["who"][by], "decided": decided[by]}, ("who",)).map(_settled)
    return People(rows, signatures, known, new, changed, refused)


def _compared(buckets: Buckets, rule: Rule, tells_changes: bool, batch: Batch) -> Batch:
    """Who is known, and whose value left their signature; who stays where they stand."""
    old = batch["known"] != NEW
    leaving = old & (buckets.slot(batch["signature"], batch["value"]) == NEW)
    nobody = np.zeros(len(old), dtype=bool)
    # Inside the set nothing can be seen, unless it is known that no value ever changes.
    if rule.constant and tells_changes:
        leaving |= batch["changed"]
    return {
        "old": old,
        "leaving": leaving,
        "strange": leaving & ~batch["changed"] if tells_changes else nobody,
        "staying": old & ~leaving & (rule.mode == "sticky"),
        "refused": nobody,
    }


def _settled(batch: Batch) -> Batch:
    """Give those whose value left their signature the one that was decided on."""
    leaving, decided = batch["leaving"], batch["decided"]
    return {
        "signature": np.where(leaving, decided, batch["signature"]),
        "refused": leaving & (decided == NEW),
    }


def _decided(
    people: Rows, memory: Memory, rule: Rule, lots: Lots, outside: Batch
) -> tuple[list[Signature | None], Counter[str]]:
    """The signature of each of those whose value left their latest one; None to refuse.

    And how many are refused, by the reason.
    """
    subjects, value, signature = (outside[name] for name in ("who", "value", "signature"))
    if rule.constant:
        return [None] * len(value), Counter(constant=len(value))
    histories = memory.histories(subjects)
    drawn = lots.subjects("settle", subjects)
    order = np.lexsort(np.atleast_2d(drawn.T)[::-1])
    decided: list[Signature | None] = [None] * len(value)
    waiting, changed, refusals = [], [], Counter[str]()
    values = _values(memory, rule)
    for at in order.tolist():
        who, own = subjects[at].tobytes(), int(value[at])
        numbers = (*histories.get(who, ()), int(signature[at]))
        history = [memory.signatures[number] for number in numbers]
        decision = decide(own, history, rule.m, values, rule.transitions, larger=rule.draws)
        decided[at] = decision.signature
        refusals[decision.why] += decision.fate == "refuse"
        if decision.fate == "new":
            waiting.append(at)
            changed.append(Changed(who, own, history[-1], decision.taken))
    if rule.draws:
        settled = settle_by_lot(changed, rule.m, values, lots, rule.transitions)
    else:
        others = people.map(lambda batch: {"stays": ~batch["leaving"]}).where("stays")
        counted = others.counts(("signature", "value")).collect("signature", "value", COUNT)
        division = divide(memory.signatures, counted, rule.domain)
        by = lots.values("settle", rule.domain)
        settled = settle_where_lacking(changed, rule.m, division, by, rule.transitions)
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
