"""Ledger: what was published when, who was missing, where a feed stands, is all whole."""

from __future__ import annotations

from starlette.responses import Response

from anachron.errors import InputError
from anachron.studio.asked import opened
from anachron.studio.commands import Doing, typed
from anachron.studio.history import picture, steps
from anachron.studio.projects import Project
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]


def show(visit: Visit) -> Response:
    """The time line of a ledger."""
    known = opened(visit)
    found = steps(known.books.entries)
    place = _place(visit, known)
    doing = Doing(
        "\n".join([typed("ledger show", place), typed("ledger check", place)]),
        f"ledger = an.Ledger.open({place!r}, create=False)\nledger.entries()\nledger.check()",
    )
    works = {
        verb: next(visit.studio.works.about(known.name, f"ledger {verb}"), None)
        for verb in ("check", "recover")
    }
    return visit.page(
        "ledger.html", doing, project=known, place=place, steps=found, picture=picture(found),
        works=works,
    )  # fmt: skip


def check(visit: Visit) -> Response:
    """Check that the ledger and its releases are whole, as a command beside the page."""
    return _begun(visit, "check", alone=False)


def recover(visit: Visit) -> Response:
    """Finish or remove what a crash left behind."""
    return _begun(visit, "recover", alone=True)


def _begun(visit: Visit, verb: str, *, alone: bool) -> Response:
    known = opened(visit)
    if known.books.health == "new":
        raise InputError("there is no ledger yet.")
    visit.studio.works.start(
        ["ledger", verb, _place(visit, known)], visit.studio.folder.root,
        what=f"ledger {verb}", about=known.name, alone=alone,
    )  # fmt: skip
    return visit.see("/ledger", plan=known.name)


def _place(visit: Visit, known: Project) -> str:
    assert known.plan is not None  # noqa: S101 - see opened
    return visit.studio.folder.shown(known.plan.ledger)


VIEWS = (
    View("/ledger", show),
    View("/ledger/check", take=check, writes=False),
    View("/ledger/recover", take=recover),
)
