"""Ask Anachron and the oracle the same question, and list where they disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from anachron.calendar.definitions import Granularity
from anachron.engines.local.coded import Coded
from anachron.engines.local.table import LocalTable
from anachron.errors import CalendarError, GuaranteeError, PlanError
from anachron.guarantees import TimeGranularity
from anachron.ladders import Ladder
from anachron.methods.granularity.choose import Search, plan
from anachron.methods.granularity.search import HOLDS
from anachron.schema import Schema
from tests.oracle.cases import Case
from tests.oracle.granularity import Question, Reply, solve

ERRORS = {
    "too few people": GuaranteeError,
    "nothing holds": GuaranteeError,
    "no granularity fits": PlanError,
}


def granularity(spec: Any) -> Granularity:
    """Say the oracle's definition in Anachron's words."""
    kind, name, *rest = spec
    if kind == "built_in":
        return Granularity.named(name)
    if kind == "spans":
        return Granularity.spans(name, rest[0])
    if kind == "business_days":
        return Granularity.business_days(name, holidays=rest[0], weekend=rest[1])
    if kind == "group":
        return Granularity.group(name, granularity(rest[0]), sizes=rest[1], anchor=rest[2])
    return Granularity.within(name, granularity(rest[0]), granularity(rest[1]))


def promise(case: Case) -> TimeGranularity:
    """The question as a guarantee."""
    question = case.question
    return TimeGranularity(
        k=question.k,
        granularities=[granularity(spec) for spec in question.granularities],
        metric=question.metric,
        keep=question.keep,
        max_suppressed=question.max_suppressed,
        max_share=question.max_share,
        ladders={name: Ladder.from_dict(given) for name, given in case.ladder_options.items()},
    )


def table(question: Question, zone: str) -> LocalTable:
    """The relation as a table of the local engine, without going through a file."""
    rows = question.rows
    people = sorted({row["uid"] for row in rows})
    quasi = {}
    for column in question.quasi:
        values = sorted({row[column] for row in rows} - {None})
        if any(row[column] is None for row in rows):
            values.append(None)
        codes = np.array([values.index(row[column]) for row in rows], dtype=np.int32)
        empty = pa.string() if values == [None] else None
        quasi[column] = Coded(codes, pa.array(values, empty))
    nothing: Any = None
    return LocalTable(
        schema=Schema("uid", "at", quasi=question.quasi, time_zone=zone),
        given=nothing,
        file="the table",
        rows=len(rows),
        subject=np.array([people.index(row["uid"]) for row in rows], dtype=np.int32),
        subject_values=pa.array(people),
        instants=np.array([question.cells.start[row["cell"]] for row in rows], dtype=np.int64),
        quasi=quasi,
        recorded_by=question.recorded_by,
        notes=(),
        scan=nothing,
        times=nothing,
    )


def differences(case: Case) -> list[str]:
    """Everything on which the two disagree; empty if they agree."""
    reply = solve(case.question)
    asked = promise(case)
    try:
        found = plan(table(case.question, case.zone), asked)
    except (CalendarError, GuaranteeError, PlanError) as error:
        expected = ERRORS.get(reply.refused or "", CalendarError)
        if reply.refused is None:
            return [f"refused: {error}"]
        return [] if type(error) is expected else [f"{reply.refused} but {error!r}"]
    if reply.refused is not None:
        return [f"should be refused: {reply.refused}"]
    return [*_order(found, reply), *_states(found, reply), *_answers(found, reply)]


def _order(found: Search, reply: Reply) -> list[str]:
    order = found.offer.lattice.order
    theirs = {
        (a, b): bool(order.finer[i, j])
        for i, a in enumerate(order.names)
        for j, b in enumerate(order.names)
    }
    if set(theirs) != set(reply.finer):
        return [f"offered: {sorted({a for a, _ in set(theirs) ^ set(reply.finer)})}"]
    return [f"finer {pair}: {theirs[pair]}" for pair in theirs if theirs[pair] != reply.finer[pair]]


def _states(found: Search, reply: Reply) -> list[str]:
    lattice = found.offer.lattice
    wrong = []
    for node, state in enumerate(found.states):
        name = lattice.order.names[lattice.time[node]]
        right = reply.nodes.get((name, tuple(int(s) for s in lattice.steps[node])))
        if right is None or (state == HOLDS) != right.holds:
            wrong.append(f"state of {name} {lattice.steps[node]}: {state}")
            continue
        counts = found.counts.get(node)
        figures = (right.gen_m, right.gen_s, right.suppressed)
        if counts and (counts.smallest, counts.people, counts.lost_rows) != figures:
            wrong.append(f"counts of {name} {lattice.steps[node]}: {counts} not {figures}")
    return wrong


def _answers(found: Search, reply: Reply) -> list[str]:
    lattice = found.offer.lattice
    theirs = [
        (
            lattice.order.names[lattice.time[a.node]],
            tuple(int(s) for s in lattice.steps[a.node]),
            *a.gen_c,
            a.counts.lost_rows,
            a.mean_length,
            a.loss,
        )
        for a in found.answers
    ]
    right = [
        (a.name, a.steps, a.gen_m, a.gen_s, a.suppressed, a.mean_length, a.loss)
        for a in reply.answers
    ]
    return [] if theirs == right else [f"answers: {theirs} not {right}"]
