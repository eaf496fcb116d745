"""Publish: what differs from the last time, what the ledger says, one button, and the cancel."""

from __future__ import annotations

from starlette.responses import Response

from anachron.errors import InputError
from anachron.plan import Plan
from anachron.studio.asked import opened
from anachron.studio.commands import Doing, call, typed
from anachron.studio.differences import differences
from anachron.studio.projects import Project
from anachron.studio.questions import asked_of
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]

_VERBS = ("publish", "push")
_DOUBTS = ("strangers", "changes")
"""What the owner can say is as it should be: see ``making/refusing.py``."""


def show(visit: Visit) -> Response:
    """What would be done, what is being done, or what came of it."""
    known = opened(visit)
    plan = known.plan
    assert plan is not None  # noqa: S101
    work = next(visit.studio.works.about(known.name, *_VERBS), None)
    last = known.books.last
    from anachron.reporting.promised import promised

    return visit.page(
        "publish.html", _doing(visit, known, plan), project=known, work=work, books=known.books,
        words=promised(plan.guarantee, plan.schema, visit.language),
        differences=[] if last is None else differences(plan, last.plan),
        method=plan.guarantee.method, is_feed=asked_of(plan.guarantee).pushed,
        is_register=asked_of(plan.guarantee).named, doubts=_DOUBTS,
        tables=visit.studio.folder.tables(), own=visit.studio.folder.shown(plan.source.table),
    )  # fmt: skip


def take(visit: Visit) -> Response:
    """Begin; a process of its own does it, under the ledger's lock."""
    known = opened(visit)
    assert known.plan is not None  # noqa: S101
    words = _words(visit, known, known.plan)
    visit.studio.works.start(
        words, visit.studio.folder.root, what=words[0], about=known.name, alone=True
    )
    return visit.see("/publish", plan=known.name)


def _words(visit: Visit, known: Project, plan: Plan) -> list[str]:
    """The command, as it would be typed in the folder."""
    table = visit.said("table")
    if table:
        table = str(visit.studio.folder.file(table))
    if visit.said("what") in ("push", "end"):
        end = visit.said("what") == "end"
        if not asked_of(plan.guarantee).pushed:
            raise InputError("only feeds are pushed to.")
        return ["push", known.name, *(["--end"] if end else [table] if table else [])]
    words = ["publish", known.name]
    if table:
        words += ["--table", table]
    if name := visit.said("as_of"):
        words += ["--as-of", name]
    for doubt in visit.several("accept"):
        if doubt in _DOUBTS:
            words += ["--accept", doubt]
    return words


def _doing(visit: Visit, known: Project, plan: Plan) -> Doing:
    if asked_of(plan.guarantee).pushed:
        table = visit.studio.folder.shown(plan.source.table)
        return Doing(
            typed("push", known.name, table),
            f"feed = {call('an.open', known.name)}\nfeed.push({table!r})",
        )
    return Doing(
        typed("publish", known.name),
        f"plan = an.Plan.read({known.name!r})\nan.publish(plan.table, plan.schema, plan.guarantee, "
        "ledger=plan.ledger, to=plan.releases, csv=plan.csv)",
    )


VIEWS = (View("/publish", show, take),)
