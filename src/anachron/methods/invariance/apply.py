"""Publish a register: plan the release, and write it out as it is promised."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Bytes
from anachron.engines.base import COUNT, ROW, Batch, Rows, Table, quasi
from anachron.errors import GuaranteeError, PlanError, Problem, TableError
from anachron.guarantees import MInvariance
from anachron.methods.doubts import ask_about_changes, ask_about_strangers
from anachron.methods.invariance import anatomy, recode
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.explain import RegisterExplained, explain
from anachron.methods.invariance.known import recalled
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.memory import Memory, digests
from anachron.methods.invariance.plan import plan
from anachron.methods.invariance.register import CheckedRegister, register
from anachron.methods.invariance.remember import from_state, to_state
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.outcome import Outcome, Past, Record
from anachron.methods.vocabulary import Vocabulary, recognised
from anachron.progress import Tell
from anachron.published.margins import Margin
from anachron.published.ways import Content

__all__ = ["RegisterFacts", "carry_out"]


@dataclass(frozen=True)
class RegisterFacts(Record):
    """What a recipient must know of a register."""

    counterfeits: int
    margins: Mapping[str, Margin] | None
    """Of each quasi column, if they are promised."""

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain values; what is not promised is not there."""
        told = super().to_dict()
        if self.margins is None:
            del told["margins"]
        else:
            told["margins"] = {name: one.said() for name, one in self.margins.items()}
        return told


def carry_out(
    table: Table,
    promise: MInvariance,
    past: Past,
    told: Tell,
    accept: Collection[str] = (),
    *,
    new_may_wait: bool = False,
) -> Outcome[RegisterExplained]:
    """Plan the next release of a register, and write it out, if the promise can be kept.

    New people of whom too many have the same value are left out with ``new_may_wait``, whatever the
    promise says of them.
    """
    _check_hiding(promise)
    way = anatomy if promise.then == "anatomy" else recode
    people = register(table, promise)
    way.check_names(table.schema)
    memory, texts = from_state(past.state())
    values = _values(table, people, promise, texts)
    marks = digests(past.marks(pa.array(values.texts, pa.string())))
    rows = _recognised(people, people.people(past, values), memory, marks)
    _ask(rows, memory.people.rows, accept)
    told("planning groups", 0.2)
    lots = KeyedLots(past.secret("lots"), past.number)
    rule = replace(_rule(people, promise, values), new_may_wait=new_may_wait)
    _check_declared(table, promise, people, values, memory, rule)
    planned = plan(Snapshot(rows), memory, rule, lots)
    told("recoding the rows", 0.7)
    written = way.write(table, promise, planned, people, values)
    remembered = to_state(memory, planned, written.standing, written.number, (values.texts, marks))
    [sensitive] = table.schema.sensitive
    return Outcome(
        written.resources,
        {**written.columns, sensitive: Content(sensitive)},
        RegisterFacts(int(planned.groups.counterfeits.sum()), written.margins),
        past.aside(*remembered),
        explain(table, promise, planned, values),
    )


def _values(
    table: Table, people: CheckedRegister, promise: MInvariance, known: Sequence[str]
) -> Vocabulary:
    """All values ever seen or declared; there must be m of them."""
    schema = table.schema
    values = recognised(people.different, people.sensitive, schema.spelling, known, promise.values)
    if len(values.texts) < promise.m:
        raise GuaranteeError(
            f"the register has {len(values.texts)} different sensitive values, fewer than m = "
            f"{promise.m}. Nothing was published. Lower m."
        )
    return values


def _check_hiding(promise: MInvariance) -> None:
    """Refuse what would tell somebody's value in modes that promise not to.

    A signature has at most 2m − 1 values. With 3m − 1 values there are always m beside it, or none
    after further changes: there is a signature for whatever a value becomes, and nobody is missing
    because of it.
    """
    if promise.mode == "paper":
        return
    if promise.when_ineligible == "hold":
        raise PlanError(
            Problem(
                f'when_ineligible = "hold" is not for mode "{promise.mode}": who is held back is '
                "known to have a frequent value, and this mode promises that nobody learns that.",
                remedy='Set when_ineligible to "refuse", or begin a new ledger in mode "paper".',
            )
        )
    if promise.mode == "transparent" and promise.changes and not _exchangeable(promise):
        raise PlanError(
            Problem(
                'changes is not for mode "transparent": people are grouped anew by the values that '
                "they have now, and with what can become what that may tell them.",
                remedy='Use mode "sticky" from the first release on. In a history that has begun, '
                "leave changes out: then any value can become any.",
            )
        )
    fewest = 3 * promise.m - 1
    if promise.values and not promise.changes and len(promise.values) < fewest:
        raise PlanError(
            Problem(
                f"values lists {len(promise.values)} sensitive values. With fewer than 3 m − 1 = "
                f"{fewest} there may be no set for somebody whose value changes.",
                remedy="List all that there can be, lower m, or say in changes which values can "
                "become which: a value with an empty list never changes.",
            )
        )


def _exchangeable(promise: MInvariance) -> bool:
    """Whether any two values can be exchanged: none ever changes, or any can become any."""
    becomes, every = dict(promise.changes), set(promise.values)
    return promise.constant or (
        bool(every) and all(every <= {value, *becomes.get(value, ())} for value in every)
    )


def _check_declared(
    table: Table,
    promise: MInvariance,
    people: CheckedRegister,
    values: Vocabulary,
    memory: Memory,
    rule: Rule,
) -> None:
    """Refuse values that are neither declared nor published before."""
    if not promise.values:
        return
    heard = np.zeros(rule.domain, dtype=bool)
    heard[[*(rule.declared or ()), *(code for s in memory.signatures for code in s)]] = True
    strange = ~heard[values.code]
    if strange.any():
        different = people.different
        raise TableError(
            Problem(
                f"holds values that the guarantee does not list "
                f"({int(different.count[strange].sum()):,} rows).",
                column=table.schema.sensitive[0],
                row=int(different.first[strange].min()) + 1,
                remedy="Add to values what can occur, or correct these rows.",
            )
        )


def _recognised(people: CheckedRegister, read: Rows, memory: Memory, marks: Bytes) -> Rows:
    """The people, what is known of them, and whose value is another than before."""
    found = recalled(read, memory).map(partial(_changed, marks))
    standing = () if memory.standing is None else ("standing",)
    columns = [quasi(axis.column) for axis in people.axes]
    of_each = ("who", "value", "quasi", "known", "signature", "old", "changed")
    return found.only(ROW, *of_each, *standing, *columns)


def _changed(marks: Bytes, batch: Batch) -> Batch:
    """Who was last published with another sensitive value."""
    old = batch["known"] != NEW
    changed = np.zeros(len(old), dtype=bool)
    # Eight bytes at a time.
    before = np.ascontiguousarray(batch["mark"]).view(np.uint64)[old]
    changed[old] = (before != marks.view(np.uint64)[batch["value"][old]]).any(axis=1)
    return {"old": old, "changed": changed}


def _ask(rows: Rows, remembered: int, accept: Collection[str]) -> None:
    """Ask the owner about people who are hardly known, and about values that mostly changed."""
    told = rows.counts(("old", "changed")).collect("old", "changed", COUNT)
    old, changed = (int(told[COUNT][told[flag]].sum()) for flag in ("old", "changed"))
    ask_about_strangers(old, len(rows), remembered, accept)
    ask_about_changes(changed, old, accept)


def _rule(people: CheckedRegister, promise: MInvariance, values: Vocabulary) -> Rule:
    def codes(texts: Iterable[str]) -> list[int]:
        return [number for text in texts if (number := values.number(text)) is not None]

    transitions: dict[int, set[int]] = {}
    for value, others in promise.changes:
        for number in codes([value]):
            transitions.setdefault(number, set()).update(codes(others))
    return Rule(
        m=promise.m,
        domain=len(values.texts),
        mode=promise.mode,
        balance=promise.balance,
        when_ineligible=promise.when_ineligible,
        low=tuple(axis.domain[0] for axis in people.axes),
        high=tuple(axis.domain[1] for axis in people.axes),
        transitions=transitions if promise.changes else None,
        constant=promise.constant,
        declared=tuple(dict.fromkeys(codes(promise.values))),
    )
