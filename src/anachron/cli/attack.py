"""``anachron attack``: what would an adversary learn from a release?"""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer
from anachron.cli.options import PATH, Evidence, evidence_options, json_option, release_argument
from anachron.cli.progress import progress_bar

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding

__all__ = ["attack"]

_HEAD = ("attack", "what the adversary knows", "people exposed", "promised", "holds?")
_HOLDS = {True: "[green]yes[/]", False: "[bold red]NO[/]", None: "[dim]not promised[/]"}
_NARROW, _WIDE = 80, 160


@click.command(short_help="Try to break a release, and count who is exposed.")
@release_argument
@click.option("--only", multiple=True, metavar="NAME", help="Only this attack; can be repeated.")
@click.option(
    "--limit", type=click.IntRange(1),
    help="How many people to look at where an attack takes long; they are drawn by lot.",
)  # fmt: skip
@click.option(
    "--impossible", type=PATH,
    help="A CSV file of combinations of quasi and sensitive values that cannot be.",
)  # fmt: skip
@evidence_options
@json_option
def attack(
    release: Path,
    only: tuple[str, ...],
    limit: int | None,
    impossible: Path | None,
    evidence: Evidence,
) -> Answer:
    """Try all known attacks on RELEASE; exit with 1 if one breaks what was promised.

    This is for the owner: most attacks need the plan, or the ledger and the table, to tell who is
    exposed. What no promise covers is measured, too, and said to be so.
    """
    from anachron import flow
    from anachron.attacking.known import methods_of
    from anachron.attacking.run import left_out
    from anachron.release import Release

    with progress_bar() as progress:
        found = flow.attack(
            release,
            **evidence.known(),
            only=only,
            limit=limit,
            impossible=impossible,
            progress=progress,
        )
    untried = left_out(methods_of(Release(release).guarantee), found, only)
    broken = [finding.title for finding in found if finding.holds is False]
    data = {
        "holds": not broken,
        "findings": [finding.to_dict() for finding in found],
        "not_tried": [{"attack": name, "needs": needs} for name, needs in untried],
    }
    return Answer(data, _text(found, untried, broken), 1 if broken else 0)


def _text(
    found: Sequence[Finding], untried: Sequence[tuple[str, str]], broken: Sequence[str]
) -> str:
    title = "Nothing that was promised is broken"
    if broken:
        title = f"What was promised is BROKEN: {', '.join(broken)}"
    elif not found:
        title = "No attack could be tried"
    lines = [click.style(title, bold=True)]
    if found:
        lines.append(_table(found))
    lines += [
        f"  {finding.title}: looked at {finding.sampled}, drawn by lot"
        for finding in found
        if finding.sampled
    ]
    lines += [f"  Not tried: {name}, which needs {needs}" for name, needs in untried]
    return "\n".join(lines)


def _table(found: Sequence[Finding]) -> str:
    """Draw a table that is as wide as the terminal; whoever pipes it gets it without colours."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*_HEAD, box=SIMPLE, show_lines=True, pad_edge=False)
    for finding in found:
        exposed = f"[bold]{finding.exposed:,}[/] of {finding.people:,}"
        table.add_row(
            f"{finding.title}\n[dim]{finding.attack}[/]",
            escape(finding.knows),
            f"{exposed}\n[dim]{escape(finding.measured)}[/]",
            escape(finding.promised),
            _HOLDS[finding.holds],
        )
    width = min(max(shutil.get_terminal_size((100, 24)).columns, _NARROW), _WIDE)
    drawn = io.StringIO()
    console = Console(file=drawn, width=width, force_terminal=True, legacy_windows=False)
    console.print(table)
    return "\n".join(line.rstrip() for line in drawn.getvalue().rstrip().splitlines())
