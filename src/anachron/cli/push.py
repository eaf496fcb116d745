"""``anachron push``: the next snapshot of a feed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import json_option, plan_argument, quiet_option
from anachron.cli.progress import progress_bar
from anachron.cli.publish import releases_of, standing_of
from anachron.stopping import STOPS

if TYPE_CHECKING:
    from anachron.making.publisher import Standing
    from anachron.release import Release

__all__ = ["push"]


@click.command(short_help="Push the next snapshot of a feed, or end it.")
@plan_argument
@click.argument("table", required=False)
@click.option("--end", is_flag=True, help="End the feed: what waits is published, or left out.")
@quiet_option
@json_option
def push(plan: Path, table: str | None, end: bool) -> Answer:
    """Push the snapshots in TABLE to the feed of PLAN, and publish what becomes due.

    TABLE holds the next snapshot or several, also beside ones that were pushed before; without
    it, the table that the plan names is read. With --end and no TABLE nothing is pushed. A
    snapshot is published once the window that follows it is in. What waits until then is kept in
    the ledger, so every push can be a command of its own. The same push again changes nothing.
    """
    from anachron import flow
    from anachron.plan import Plan

    known = Plan.read(plan)
    if table is not None:
        known = known.with_table(table)
    before, stood = releases_of(known), standing_of(known)
    releases: dict[int, Release] = {}
    try:
        with progress_bar() as progress:
            feed = flow.open(known, progress=progress)
            due = [] if end and table is None else feed.push(known.table)
            due += feed.flush() if end else []
            releases = {release.number: release for release in due}
    except STOPS as stop:
        stop.add_note("Push the same again: what is recorded already is recognised.")
        raise
    new = [number for number in releases if number > before]
    # The plan is evidence if its table has all that was pushed.
    evidence = f"--ledger {shown(known.ledger)}" if table or end else f"--plan {shown(plan)}"
    return _answer(list(releases.values()), new, evidence, (stood, standing_of(known)))


def _answer(
    releases: list[Release],
    new: list[int],
    evidence: str,
    feed: tuple[Standing | None, Standing | None],
) -> Answer:
    """Tell of the releases, and of the feed as it stood before the push and stands after it."""
    from anachron.cli.summary import summary

    before, standing = feed
    lost = {} if standing is None else standing.lost(before)
    told = [summary(release, evidence, is_new=release.number in new) for release in releases]
    data: dict[str, Any] = {
        "due": [one.data for one in told],
        "feed": None if standing is None else standing.to_dict(before),
    }
    text = [click.style(_title(releases, new, lost), bold=True), *aligned(_rows(releases))]
    grave = [f"Note: {note}" for note in (told[-1].data["notes"] if told else ())]
    if lost:
        grave.append(f"With this push, {lost_in_words(lost)}.")
    text += grave
    text += [] if standing is None else [str(standing), standing.books]
    if releases:
        text.append(f"Next: anachron report {shown(releases[-1].place)} {evidence}")
    return Answer(data, "\n".join(text), grave="\n".join(grave))


def _title(releases: list[Release], new: list[int], lost: Mapping[str, int]) -> str:
    if not releases:
        return "Nothing is published" if lost else "Nothing is due yet"
    many = "1 release" if len(releases) == 1 else f"{len(releases)} releases"
    if not new:
        return f"Done before, and the same now: {many}"
    again = f", {len(releases) - len(new)} of them from before" if len(new) < len(releases) else ""
    return f"Published {many}{again}"


def lost_in_words(lost: Mapping[str, int]) -> str:
    """Say how many records were left out, dropped or refused."""
    told = [
        f"{'1 record was' if n == 1 else f'{n:,} records were'} {how}" for how, n in lost.items()
    ]
    return ", ".join(told)


def _rows(releases: list[Release]) -> list[tuple[str, ...]]:
    from anachron.cli.summary.reposition import held_back, snapshots_in_words

    told = [(release, release.explanation or {}) for release in releases]
    return [
        (
            shown(release.place),
            snapshots_in_words(known),
            f"{known['published']:,} records, {known['moved']:,} of them later than they happened; "
            f"{known['suppressed']:,} left out"
            + ("" if held_back(known) is None else f" ({held_back(known):,} people held back)")
            + (f", {known['refused']:,} refused" if known.get("refused") else ""),
        )
        for release, known in told
        if known.get("snapshots")
    ]
