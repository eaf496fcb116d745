"""``anachron publish``: carry out a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, shown
from anachron.cli.options import (
    accept_option,
    as_of_option,
    json_option,
    max_views_option,
    plan_argument,
    quiet_option,
)
from anachron.cli.progress import progress_bar
from anachron.stopping import STOPS

if TYPE_CHECKING:
    from anachron.making.publisher import Standing
    from anachron.plan import Plan
    from anachron.release import Release

__all__ = ["publish", "releases_of", "run", "standing_of"]


@click.command(short_help="Publish a table as its plan says.")
@plan_argument
@click.option("--table", help="Publish this table, such as the next snapshot of a register.")
@as_of_option
@max_views_option
@accept_option("Publish")
@click.option(
    "--engine",
    metavar="NAME[:MASTER]",
    help="Let this engine hold the rows: local, or spark with its master, such as spark:local[4].",
)
@click.option(
    "--trial",
    is_flag=True,
    help="Only say what would be published, with what risk and at what cost. Nothing is written.",
)
@click.option(
    "--with",
    "over",
    multiple=True,
    metavar="PART=VALUES",
    help="With --trial: try these, such as k=2,5,10; repeatable, for all combinations.",
)
@click.option(
    "--without-past", is_flag=True, help="With --trial: as if nothing had been published yet."
)
@quiet_option
@json_option
def publish(
    plan: Path,
    table: str | None,
    as_of: str | None,
    max_views: int | None,
    accept: tuple[str, ...],
    engine: str | None,
    trial: bool,
    over: tuple[str, ...],
    without_past: bool,
) -> Answer:
    """Publish a table as PLAN says, or refuse and write nothing.

    The same table and plan again give the same release; of a register, with --as-of only under the
    same name. A feed is published from its first snapshot to its last, and ends; to go on with it,
    use push.

    With --trial nothing is published: the exit code is 0 if the promise of PLAN can be kept.
    """
    if trial and engine is not None:
        raise click.UsageError("--engine is for publishing; a trial is held by this process.")
    if trial:
        from anachron.cli.trial import run as tried

        return tried(plan, over, table, max_views, as_of, accept, past=not without_past)
    if over or without_past:
        raise click.UsageError("--with and --without-past belong to --trial.")
    return run(plan, table, max_views, as_of, accept, engine)


def run(
    file: Path,
    table: str | None = None,
    max_views: int | None = None,
    as_of: str | None = None,
    accept: tuple[str, ...] = (),
    engine: str | None = None,
) -> Answer:
    """Publish what a plan file says, and tell what came of it."""
    from anachron import flow
    from anachron.cli.summary import summary
    from anachron.plan import Plan

    plan = Plan.read(file)
    if table is not None:
        plan = plan.with_table(table)
    before = releases_of(plan)
    try:
        with progress_bar() as progress:
            release = flow.publish_plan(
                plan,
                as_of=as_of,
                max_views=max_views,
                accept=accept,
                engine=engine,
                progress=progress,
            )
    except STOPS as stop:
        stop.add_note(_left_behind(plan, before))
        raise
    evidence = f"--plan {shown(file)}"
    if table is not None:
        # The plan names another table than this release was made from.
        known = f"--plan {shown(file)}" if plan.source.options else f"--ledger {shown(plan.ledger)}"
        evidence = f"{known} --table {shown(Path(table))}"
    feed = standing_of(plan)
    books, is_new = "" if feed is None else feed.books, releases_of(plan) > before
    return summary(_whole(release, plan, feed), evidence, is_new, books)


def _whole(release: Release, plan: Plan, feed: Standing | None) -> Release:
    """Where a feed was published as many releases, the last one with the figures of all."""
    from anachron.cli.summary.reposition import counted, together
    from anachron.ledger import Ledger
    from anachron.release import Release

    told = dict(release.explanation or {})
    if feed is None:
        return release
    account = feed.to_dict()["account"]
    if "invariance" in told:
        entries = Ledger.open(plan.ledger, create=False).entries()
        told = together([entry.explanation for entry in entries])
        # Snapshots of which nothing is published have no release to tell of them.
        told |= counted(account) if account["complete"] else {}
    return Release(release.place, explanation={**told, "account": account})


def releases_of(plan: Plan) -> int:
    """How many releases the ledger knows."""
    if not plan.ledger.exists():
        return 0
    from anachron.ledger import Ledger

    return len(Ledger.open(plan.ledger, create=False).entries())


def standing_of(plan: Plan) -> Standing | None:
    """Where the feed of the plan stands, if it has begun."""
    from anachron import flow

    return flow.standing(plan.ledger) if plan.ledger.exists() else None


def _left_behind(plan: Plan, before: int) -> str:
    from anachron.errors import AnachronError

    try:
        if releases_of(plan) == before:
            return "Nothing was published."
    except AnachronError:
        pass
    return f"The release may be recorded already: run 'anachron ledger recover {plan.ledger}'."
