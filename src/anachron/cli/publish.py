"""``anachron publish``: carry out a plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, json_option
from anachron.cli.paths import shown
from anachron.cli.progress import progress_bar

if TYPE_CHECKING:
    from anachron.plan import Plan
    from anachron.release import Release

__all__ = ["publish", "releases_of", "run"]


@click.command(short_help="Publish a table as its plan says.")
@click.argument("plan", type=click.Path(path_type=Path))
@click.option("--table", help="Publish this table, such as the next snapshot of a register.")
@click.option(
    "--max-views",
    type=click.IntRange(min=1),
    help="Search up to so many combinations of granularity and ladder steps, however long.",
)
@json_option
def publish(plan: Path, table: str | None, max_views: int | None) -> Answer:
    """Publish a table as PLAN says, or refuse and write nothing.

    The same table and plan again give the same release. A feed is published from its first
    snapshot to its last, and ends; to go on with it, use push.
    """
    return run(plan, table, max_views)


def run(file: Path, table: str | None = None, max_views: int | None = None) -> Answer:
    """Publish what a plan file says, and tell what came of it."""
    from anachron import flow
    from anachron.cli.summary import summary
    from anachron.plan import Plan

    plan = Plan.read(file)
    if table is not None:
        plan = replace(plan, table=table)
    before = releases_of(plan)
    try:
        with progress_bar() as progress:
            release = flow.publish_plan(plan, max_views=max_views, progress=progress)
    except KeyboardInterrupt as stop:
        stop.add_note(_left_behind(plan, before))
        raise
    evidence = f"--plan {shown(file)}"
    if table is not None:
        # The plan names another table than this release was made from.
        evidence = f"--ledger {shown(plan.ledger)} --table {shown(Path(table))}"
    return summary(_whole(release, plan), evidence, is_new=releases_of(plan) > before)


def _whole(release: Release, plan: Plan) -> Release:
    """Where a feed was published as many releases, the last one with the figures of all."""
    from anachron.guarantees import MInvariance, Reposition

    promise = plan.guarantee
    if not isinstance(promise, Reposition) or not isinstance(promise.then, MInvariance):
        return release
    from anachron.cli.summary.reposition import together
    from anachron.ledger import Ledger
    from anachron.release import Release

    entries = Ledger.open(plan.ledger, create=False).entries()
    return Release(release.path, explanation=together([entry.explanation for entry in entries]))


def releases_of(plan: Plan) -> int:
    """How many releases the ledger knows."""
    if not plan.ledger.exists():
        return 0
    from anachron.ledger import Ledger

    return len(Ledger.open(plan.ledger, create=False).entries())


def _left_behind(plan: Plan, before: int) -> str:
    from anachron.errors import AnachronError

    try:
        if releases_of(plan) == before:
            return "Nothing was published."
    except AnachronError:
        pass
    return f"The release may be recorded already: run 'anachron ledger recover {plan.ledger}'."
