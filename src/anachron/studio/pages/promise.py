"""Promise: the guarantees as questions, and the sentence that will stand in the certificate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from starlette.responses import Response

from anachron.errors import AnachronError, InputError
from anachron.guarantees import Guarantee
from anachron.plan import Plan
from anachron.registry import METHODS, MethodName
from anachron.studio.asked import of_plan, opened, wish_of
from anachron.studio.commands import Doing, typed
from anachron.studio.editing import changed, state_of
from anachron.studio.projects import Project
from anachron.studio.questions import QUESTIONS, answered
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]


def show(visit: Visit) -> Response:
    """The questions of the plan's promise, answered as the plan does."""
    known = opened(visit)
    assert known.plan is not None  # noqa: S101
    return _page(visit, known, known.plan.guarantee)


def take(visit: Visit) -> Response:
    """Write the answers into the plan, or another kind of promise to begin with."""
    known = opened(visit)
    plan = known.plan
    assert plan is not None  # noqa: S101
    promise = plan.guarantee
    try:
        method = visit.said("method")
        if method in METHODS and method != plan.guarantee.method:
            found = _other(visit, known, plan, cast("MethodName", method))
            if found is None:
                return visit.page("looking.html", shown=known.name)
            changed(known, visit.said("state"), found)
            return visit.see("/promise", plan=known.name)
        promise = answered(plan.guarantee, visit.several)
        changed(known, visit.said("state"), replace(plan, guarantee=promise))
    except AnachronError as error:
        return _page(visit, known, promise, problem=error, status=422)
    return visit.see("/publish", plan=known.name)


def words(visit: Visit) -> Response:
    """The sentence for the answers as they are now, or what is wrong with them."""
    known = opened(visit)
    assert known.plan is not None  # noqa: S101
    from anachron.reporting.promised import promised

    try:
        promise = answered(known.plan.guarantee, visit.several)
        replace(known.plan, guarantee=promise)
    except AnachronError as error:
        return visit.part("words.html", words="", problem=error)
    said = promised(promise, known.plan.schema, visit.language)
    return visit.part("words.html", words=said, problem=None)


def _page(
    visit: Visit, known: Project, promise: Guarantee,
    problem: AnachronError | None = None, status: int = 200,
) -> Response:  # fmt: skip
    assert known.plan is not None  # noqa: S101
    from anachron.reporting.promised import promised

    letter = METHODS[promise.method].letter
    doing = Doing(
        typed("publish", known.name, "--trial"),
        f"plan = an.Plan.read({known.name!r})\nplan.guarantee  # {promise!r}\nan.trial(plan)",
    )
    return visit.page(
        "promise.html", doing, status=status, project=known, promise=promise, letter=letter,
        methods=tuple(METHODS), questions=QUESTIONS.get(promise.method, ()), problem=problem,
        state=state_of(known.file), words=promised(promise, known.plan.schema, visit.language),
    )  # fmt: skip


def _other(visit: Visit, known: Project, plan: Plan, method: MethodName) -> Plan | None:
    """The plan with another kind of promise, proposed for its table and roles; None if it lasts."""
    schema, promising = plan.schema, METHODS[method].proposal.load()
    wish = replace(
        wish_of(plan.source, schema), method=method,
        said=(
            *(((schema.time, "time"),) if schema.time and promising.has_time else ()),
            *((column, "quasi") for column in schema.quasi if promising.has_quasi),
            *((column, "sensitive") for column in schema.sensitive),
        ),
    )  # fmt: skip
    seen = replace(of_plan(visit, known), wish=wish).look(visit, plan.ledger, 60.0)
    if seen is None:
        return None
    found = seen.proposal
    if found.schema is None or found.guarantee is None:
        raise InputError(found.missing)
    kept: dict[str, Any] = {"spelling": schema.spelling}
    return replace(plan, schema=replace(found.schema, **kept), guarantee=found.guarantee)


VIEWS = (View("/promise", show, take), View("/promise/words", take=words, writes=False))
