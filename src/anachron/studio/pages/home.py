"""Home: the projects of the folder, the health of their ledgers, and what is due."""

from __future__ import annotations

from starlette.responses import Response

from anachron.studio.commands import Doing, typed
from anachron.studio.projects import projects
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]


def show(visit: Visit) -> Response:
    """All projects."""
    folder = visit.studio.folder
    found = projects(folder)
    ledgers = dict.fromkeys(folder.shown(one.plan.ledger) for one in found if one.plan)
    some = list(ledgers)[:3]
    doing = Doing(
        "\n".join(typed("ledger show", ledger) for ledger in some),
        "\n".join(f"an.Ledger.open({ledger!r}).entries()" for ledger in some),
    )
    tables = folder.tables()
    return visit.page("home.html", doing, projects=found, tables=tables)


VIEWS = (View("/", show),)
