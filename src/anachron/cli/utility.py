"""``anachron utility``: how good are the answers that a release gives?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, aligned
from anachron.cli.options import (
    Evidence,
    evidence_options,
    json_option,
    quiet_option,
    release_argument,
)
from anachron.cli.progress import progress_bar
from anachron.stores import Place

if TYPE_CHECKING:
    from anachron.measuring.utility import Measure, Utility

__all__ = ["utility"]

_SHOWN = (25, 50, 75, 95)


@click.command(short_help="Measure how good the answers of a release are.")
@release_argument
@click.option(
    "--questions", type=click.IntRange(1, 1_000_000), default=1000, show_default=True,
    help="How many are asked in each workload.",
)  # fmt: skip
@click.option(
    "--theta", type=click.FloatRange(0, 1, min_open=True), default=0.1, show_default=True,
    help="The share of the table that a question is about.",
)  # fmt: skip
@click.option(
    "--window", type=click.IntRange(1), help="How many snapshots or granules a window has."
)
@click.option(
    "--dimensions", type=click.IntRange(1),
    help="How many quasi columns, or predicates on series, a question has.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True,
    help="Another seed, other questions.",
)  # fmt: skip
@evidence_options
@quiet_option
@json_option
def utility(release: Place, evidence: Evidence, **settings: Any) -> Answer:
    """Ask RELEASE and its table the same random questions, and compare the answers.

    This is for the owner: it needs the table, with the plan or the ledger. The truth must lie
    within the bounds of every answer; if it does not, the command exits with 1.
    """
    from anachron import flow

    known = evidence.known()
    if known["table"] is None:
        raise click.UsageError("the truth is in the table: give --plan, or --ledger and --table.")
    with progress_bar() as progress:
        found = flow.utility(release, **known, **settings, progress=progress)
    title = _title(found)
    return Answer(
        found.to_dict(),
        _text(found, title),
        0 if found.holds else 1,
        grave="" if found.holds else title,
    )


def _title(found: Utility) -> str:
    word = "within all bounds" if found.holds else "NOT within all bounds"
    known = any(measure.outside is not None for measure in found.measures)
    return f"Release {found.release}, seed {found.seed}" + (f": the truth is {word}" * known)


def _text(found: Utility, title: str) -> str:
    head = ("workload", "questions", *(f"{p} %" for p in _SHOWN), "mean", "bounds", "outside",
            "precision")  # fmt: skip
    rows = [head, *(_row(measure) for measure in found.measures)]
    explained = (
        "Relative error: that of the median question in column 50 %, and so on. "
        "Bounds: median distance of the two, as a part of the truth."
    )
    notes = [*_empty(found), *found.notes]
    lines = [click.style(title, bold=True), *aligned(rows), explained, *notes]
    return "\n".join(lines)


def _row(measure: Measure) -> tuple[str, ...]:
    outside = "?" if measure.outside is None else f"{measure.outside:,}"
    return (
        measure.workload,
        f"{measure.questions:,}",
        *(_percent(measure.quantiles[p]) for p in _SHOWN),
        _percent(measure.mean),
        _percent(measure.width),
        click.style(outside, fg="red") if measure.outside else outside,
        "" if measure.precision is None else _percent(measure.precision),
    )


def _empty(found: Utility) -> list[str]:
    empty = sum(measure.empty for measure in found.measures)
    if not empty:
        return []
    return [f"{empty:,} questions that nothing in the table answers were replaced by others."]


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")
