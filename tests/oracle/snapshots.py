"""m-invariance for people who are given as arrays: they are held as rows, and planned on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.engines.base import ROW
from anachron.engines.local.rows import LocalRows
from anachron.kernels.digests import texts
from anachron.methods.invariance import plan as planning
from anachron.methods.invariance import rule as rules
from anachron.methods.invariance.buckets import Signature
from anachron.methods.invariance.known import recalled
from anachron.methods.invariance.lots import Lots
from anachron.methods.invariance.memory import PEOPLE, Memory, column_of, digests
from anachron.methods.invariance.remember import from_state, to_state
from anachron.streamed import Streamed

__all__ = ["Held", "Plan", "Snapshot", "plan"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """T(n) as arrays, one place for each person."""

    subjects: np.ndarray
    values: np.ndarray
    quasi: np.ndarray
    changed: np.ndarray | None = None
    """Who was last published with another sensitive value; None if that is not known."""


@dataclass(frozen=True, eq=False)
class Held(Memory):
    """A memory of few people, to be looked into."""

    @classmethod
    def of(cls, signatures: tuple[Signature, ...], people: np.ndarray, latest: np.ndarray) -> Held:
        """Who was published once, by ascending pseudonyms."""
        many = len(people)
        none = pa.nulls(many, pa.int32())
        earlier = pa.array([[]] * many, pa.list_(pa.int32()))
        digests_ = column_of(people), column_of(np.zeros_like(people))
        columns = [*digests_, pa.array(latest, pa.int32()), earlier, none, none]
        return cls(signatures, Streamed.of(pa.Table.from_arrays(columns, schema=PEOPLE)))

    @cached_property
    def subjects(self) -> np.ndarray:
        """The pseudonyms, in their order."""
        return digests(self.people.table()["subject"])

    @cached_property
    def latest(self) -> np.ndarray:
        """Of each, an index into the signatures."""
        return np.asarray(self.people.table()["signature"])

    @cached_property
    def groups(self) -> np.ndarray:
        """In sticky mode, the group of each."""
        return np.asarray(self.people.table()["standing"])

    @cached_property
    def earlier(self) -> dict[bytes, tuple[int, ...]]:
        """The signatures before it, of those who have any."""
        return self.histories(self.subjects)


@dataclass(frozen=True, eq=False)
class Plan(planning.Plan):
    """A plan, and what is remembered after it."""

    memory: Held


def plan(given: Snapshot, memory: Memory, rule: rules.Rule, lots: Lots) -> Plan:
    """Plan the next release of a history."""
    number = np.arange(len(given.values))
    rows = {ROW: number, "who": given.subjects, "value": given.values, "quasi": given.quasi}
    if given.changed is not None:
        rows["changed"] = given.changed
    held = recalled(LocalRows.of(rows), memory)
    made = planning.plan(rules.Snapshot(held, given.changed is not None), memory, rule, lots)
    marks = np.zeros((rule.domain, 32), dtype=np.uint8)
    groups = np.arange(len(made.groups.signature))
    schema, batches = to_state(memory, made, made.standing, groups, ([], marks))
    people = Streamed.of(pa.Table.from_batches(batches, schema))
    order = texts(digests(people.table()["subject"]))
    assert (order[1:] > order[:-1]).all()
    after, _ = from_state(people)
    return Plan(
        made.rows, made.groups, made.signatures, made.standing, made.figures,
        Held(after.signatures, after.people, after.standing),
    )  # fmt: skip
