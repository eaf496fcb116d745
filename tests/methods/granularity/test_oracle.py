"""The planner against the oracle. The long campaign is ``python -m tests.oracle.campaign``."""

from __future__ import annotations

import pytest

from anachron.methods.granularity.counting import Counting
from anachron.methods.granularity.lattice import Lattice
from anachron.methods.granularity.offer import offer
from anachron.methods.granularity.search import HOLDS, classify, least
from tests.daily import daily
from tests.oracle.cases import Case, draw
from tests.oracle.compare import differences, promise, table
from tests.oracle.granularity import solve

CHUNK = 40


@pytest.mark.parametrize("chunk", daily(range(10), 0, 1, 2, 3))
def test_the_planner_agrees_with_the_oracle(chunk: int) -> None:
    for number in range(chunk * CHUNK, chunk * CHUNK + CHUNK):
        wrong = differences(draw(2006, number))
        assert not wrong, f"case {number}: {wrong}"


def test_the_cases_are_of_all_kinds() -> None:
    cases = [draw(2006, number) for number in range(400)]
    questions = [case.question for case in cases]
    replies = [solve(question) for question in questions[:150]]
    assert {"too few people", "nothing holds", None} <= {reply.refused for reply in replies}
    assert any(len(reply.answers) > 1 for reply in replies)
    assert any(answer.suppressed for reply in replies for answer in reply.answers)
    assert any(any(answer.steps) for reply in replies for answer in reply.answers)
    assert any(q.max_share is not None and q.max_suppressed > 0 for q in questions)
    kinds = {spec[0] for question in questions for spec in question.granularities}
    assert kinds == {"built_in", "spans", "group", "within", "business_days"}
    assert {q.metric for q in questions} == {"paper", "resolution"}
    assert {q.keep for q in questions} == {"time", "quasi", "neither"}
    assert {len(q.quasi) for q in questions} == {0, 1, 2, 3}


def counted(case: Case, lattice: Lattice, monotone: bool) -> tuple[list[int], list[int], int]:
    """States of all nodes, the least that hold, and how many were tested."""
    rows, asked = table(case.question, case.zone), promise(case)
    counting, tested = Counting(rows, asked.k, asked.max_share), []

    def holds(node: int) -> bool:
        tested.append(node)
        counts = counting.counts(lattice.view(node))
        return bool(counts.groups) and counts.lost_rows <= asked.max_suppressed * counts.rows

    states = classify(lattice, holds, monotone=monotone)
    assert len(tested) == len(set(tested))
    return states.tolist(), least(lattice, states), len(tested)


def test_pruning_finds_what_testing_everything_finds_with_fewer_tests() -> None:
    compared = pruned = every = 0
    for number in range(1000, 1070):
        case = draw(2006, number)
        question, reply = case.question, solve(case.question)
        if not reply.nodes or (question.max_suppressed > 0 and question.max_share is not None):
            continue
        lattice = offer(table(question, case.zone), promise(case)).lattice
        quick, slow = counted(case, lattice, True), counted(case, lattice, False)
        assert quick[:2] == slow[:2]
        assert quick[0].count(HOLDS) == sum(node.holds for node in reply.nodes.values())
        compared, pruned, every = compared + 1, pruned + quick[2], every + slow[2]
    assert compared > 30
    assert 2 * pruned < every
