"""``anachron publish``: carry out a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, json_option
from anachron.cli.progress import progress_bar

if TYPE_CHECKING:
    from anachron.plan import Plan

__all__ = ["publish", "run"]


@click.command(short_help="Publish a table as its plan says.")
@click.argument("plan", type=click.Path(path_type=Path))
@json_option
def publish(plan: Path) -> Answer:
    """Publish a table as PLAN says, or refuse and write nothing.

    The same table and plan again give the same release.
    """
    return run(plan)


def run(file: Path) -> Answer:
    """Publish what a plan file says, and tell what came of it."""
    from anachron import flow
    from anachron.cli.summary import summary
    from anachron.plan import Plan

    plan = Plan.read(file)
    before = _releases_of(plan)
    try:
        with progress_bar() as progress:
            release = flow.publish_plan(plan, progress=progress)
    except KeyboardInterrupt as stop:
        stop.add_note(_left_behind(plan, before))
        raise
    return summary(release, file, is_new=_releases_of(plan) > before)


def _releases_of(plan: Plan) -> int:
    """How many releases the ledger knows."""
    if not plan.ledger.exists():
        return 0
    from anachron.ledger import Ledger

    return len(Ledger.open(plan.ledger, create=False).entries())


def _left_behind(plan: Plan, before: int) -> str:
    from anachron.errors import AnachronError

    try:
        if _releases_of(plan) == before:
            return "Nothing was published."
    except AnachronError:
        pass
    return f"The release may be recorded already: run 'anachron ledger recover {plan.ledger}'."
