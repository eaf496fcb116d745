"""Publish a register: plan the release, round the boxes, write real and counterfeit rows alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Bytes, Numbers
from anachron.engines.base import COUNT, Batch, Rows, Table
from anachron.errors import GuaranteeError, PlanError, Problem, TableError
from anachron.guarantees import MInvariance
from anachron.methods import boxes
from anachron.methods.doubts import ask_about_changes, ask_about_strangers
from anachron.methods.invariance.buckets import NEW
from anachron.methods.invariance.explain import RegisterExplained, explain
from anachron.methods.invariance.known import recalled
from anachron.methods.invariance.lots import KeyedLots
from anachron.methods.invariance.margins import margins
from anachron.methods.invariance.memory import Memory
from anachron.methods.invariance.plan import Plan, plan
from anachron.methods.invariance.register import CheckedRegister, register
from anachron.methods.invariance.remember import digests, from_state, to_state
from anachron.methods.invariance.rule import Rule, Snapshot
from anachron.methods.outcome import Outcome, Past, Record
from anachron.methods.vocabulary import Vocabulary, recognised
from anachron.progress import Tell
from anachron.published.margins import Margin
from anachron.published.ways import Content, Way
from anachron.schema import check_published

__all__ = ["RegisterFacts", "carry_out"]

GROUP = "group"


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
    people = register(table, promise)
    bounds = [f"{axis.column}_{end}" for axis in people.axes for end in ("low", "high")]
    check_published([GROUP, *table.schema.sensitive, *bounds])
    remembered = from_state(past.state())
    values = _values(table, people, promise, remembered.values)
    marks = digests(past.marks(pa.array(values.texts, pa.string())))
    rows = recalled(people.people(past, values), remembered.memory, remembered.marks)
    rows = rows.map(partial(_changed, marks))
    _ask(rows, len(remembered.memory.subjects), accept)
    told("planning groups", 0.2)
    lots = KeyedLots(past.secret("lots"), past.number)
    rule = replace(_rule(people, promise, values), new_may_wait=new_may_wait)
    _check_declared(table, promise, people, values, remembered.memory, rule)
    planned = plan(Snapshot(rows), remembered.memory, rule, lots)
    told("recoding the rows", 0.7)
    number = _published_order(planned, people, values)
    state = to_state(
        _on_the_grid(planned.memory, people),
        remembered,
        list(values.texts),
        (marks[planned.published["value"]], number[planned.published["group"]] + 1),
    )
    return Outcome(
        _resources(table, planned, people, values, number),
        _columns(table, people),
        RegisterFacts(
            int(planned.groups.counterfeits.sum()), _margins(planned, people, promise.margins)
        ),
        state,
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


def _ranks(values: Vocabulary) -> Array:
    """The place of each value among all as they are published, in ascending order."""
    rank = np.empty(len(values.values), dtype=np.int64)
    rank[pc.sort_indices(values.values).to_numpy()] = np.arange(len(rank))
    return rank


def _published_order(planned: Plan, people: CheckedRegister, values: Vocabulary) -> Array:
    """The place of each planned group in the release: by what is published, nothing else."""
    groups, rank = planned.groups, _ranks(values)
    signatures = planned.memory.signatures
    by_rank = [tuple(sorted(int(rank[v]) for v in signature)) for signature in signatures]
    place = np.empty(len(signatures), dtype=np.int64)
    place[sorted(range(len(signatures)), key=by_rank.__getitem__)] = np.arange(len(signatures))
    keys: list[Numbers] = [groups.counterfeits, place[groups.signature]]
    for axis, low, high in reversed(list(zip(people.axes, *_edges(planned, people), strict=True))):
        del axis
        keys += [high, low]
    number = np.empty(len(groups.signature), dtype=np.int64)
    number[np.lexsort(keys)] = np.arange(len(groups.signature))
    return number


def _edges(planned: Plan, people: CheckedRegister) -> tuple[list[Numbers], list[Numbers]]:
    """The ends of all published intervals, by axis."""
    ends = [
        boxes.rounded(axis, planned.groups.low[:, i], planned.groups.high[:, i])
        for i, axis in enumerate(people.axes)
    ]
    return [low for low, _ in ends], [high for _, high in ends]


def _margins(planned: Plan, people: CheckedRegister, step: int | None) -> dict[str, Margin] | None:
    if step is None:
        return None
    edges = list(zip(*_edges(planned, people), strict=True))
    return margins(planned.rows, people.axes, edges, step)


def _on_the_grid(memory: Memory, people: CheckedRegister) -> Memory:
    """What is remembered of standing groups is what is published of them, not the exact bounds.

    Those are somebody's values, and would outlive whoever is erased from the register. Rounding
    what is rounded changes nothing, so the next release is the same.
    """
    standing = memory.standing
    if standing is None or not people.axes:
        return memory
    ends = [
        boxes.rounded(axis, standing.low[:, i], standing.high[:, i])
        for i, axis in enumerate(people.axes)
    ]
    low, high = (np.stack(side, axis=1).astype(np.float64) for side in zip(*ends, strict=True))
    return replace(memory, standing=replace(standing, low=low, high=high))


def _resources(
    table: Table, planned: Plan, people: CheckedRegister, values: Vocabulary, number: Array
) -> dict[str, tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
    order = np.argsort(number)
    groups, rank = planned.groups, _ranks(values)
    in_signature = [
        np.array(sorted(signature, key=rank.__getitem__), dtype=np.int64)
        for signature in planned.memory.signatures
    ]
    signature = groups.signature[order]
    sizes = np.array([len(s) for s in in_signature], dtype=np.int64)[signature]
    codes = np.concatenate([in_signature[s] for s in signature] or [number[:0]])
    row_group = np.repeat(np.arange(len(order)), sizes)
    columns: dict[str, pa.Array] = {GROUP: pa.array(row_group + 1)}
    for axis, low, high in zip(people.axes, *_edges(planned, people), strict=True):
        columns |= boxes.columns(axis, low[order][row_group], high[order][row_group])
    columns[table.schema.sensitive[0]] = values.values.take(pa.array(codes))
    fake = groups.counterfeits[order]
    counterfeits = {
        GROUP: pa.array(np.flatnonzero(fake) + 1),
        "counterfeits": pa.array(fake[fake > 0]),
    }
    return {"data": _batches(columns), "counterfeits": _batches(counterfeits)}


def _batches(columns: dict[str, pa.Array]) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    table = pa.table(columns)
    return table.schema, iter(table.to_batches(max_chunksize=1 << 17))


def _columns(table: Table, people: CheckedRegister) -> dict[str, Way]:
    sensitive = table.schema.sensitive[0]
    boxed = {axis.column: boxes.way(axis) for axis in people.axes}
    return {**boxed, sensitive: Content(sensitive)}
