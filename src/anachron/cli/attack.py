"""``anachron attack``: what would an adversary learn from a release?"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anachron.cli.answer import Answer, share_in_words
from anachron.cli.options import (
    PATH,
    Evidence,
    all_option,
    evidence_options,
    json_option,
    quiet_option,
    release_argument,
)
from anachron.cli.progress import progress_bar
from anachron.cli.screen import columns, fitted, wrapped
from anachron.stores import Place

if TYPE_CHECKING:
    from anachron.attacking.finding import Finding

__all__ = ["attack"]

_HEAD = ("attack", "what the adversary knows", "people exposed", "promised", "holds?")
_HOLDS = {True: "[green]yes[/]", False: "[bold red]NO[/]", None: "[dim]not promised[/]"}
_IN_A_WORD = {
    True: click.style("holds", fg="green"),
    False: click.style("BROKEN", fg="red"),
    None: "not promised",
}


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
@all_option
@quiet_option
@json_option
def attack(
    release: Place,
    only: tuple[str, ...],
    limit: int | None,
    impossible: Path | None,
    evidence: Evidence,
    everything: bool,
) -> Answer:
    """Try all known attacks on RELEASE; exit with 1 if one breaks what was promised.

    This is for the owner: most attacks need the plan, or the ledger and the table, to tell who is
    exposed. What no promise covers is measured, too, and said to be so. What is shown fits a
    screen; --all shows what each adversary knows, what was measured and what is promised.
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
    title = _title(found, broken)
    text = _whole(title, found, untried) if everything else _summary(title, found, untried)
    return Answer(data, text, 1 if broken else 0, grave=title if broken else "")


def _title(found: Sequence[Finding], broken: Sequence[str]) -> str:
    if broken:
        return f"What was promised is BROKEN: {', '.join(broken)}"
    return "Nothing that was promised is broken" if found else "No attack could be tried"


def _summary(title: str, found: Sequence[Finding], untried: Sequence[tuple[str, str]]) -> str:
    """A line for each attack, on one screen."""
    head = ("attack", "what it looks for", "people exposed", "")
    rows = [head, *(_row(finding) for finding in found)] if found else []
    drawn = [f"{finding.attack} ({finding.sampled})" for finding in found if finding.sampled]
    needed = [f"{name} (needs {needs})" for name, needs in untried]
    lines = [click.style(line, bold=True) for line in wrapped(title)]
    lines += fitted(rows, gives=1)
    lines += wrapped(f"  Drawn by lot: {', '.join(drawn)}", most=3) if drawn else []
    lines += wrapped(f"  Not tried: {', '.join(needed)}", most=3) if needed else []
    lines += ["  --all tells what each adversary knows, and what was measured"] if found else []
    return "\n".join(lines)


def _row(finding: Finding) -> tuple[str, ...]:
    exposed = f"{finding.exposed:,} of {finding.people:,}"
    if finding.exposed:
        exposed += f" ({share_in_words(finding.exposed, finding.people)})"
    return finding.attack, finding.title, exposed, _IN_A_WORD[finding.holds]


def _whole(title: str, found: Sequence[Finding], untried: Sequence[tuple[str, str]]) -> str:
    """All that was found, however long it is."""
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
    drawn = io.StringIO()
    console = Console(file=drawn, width=columns(), force_terminal=True, legacy_windows=False)
    console.print(table)
    return "\n".join(line.rstrip() for line in drawn.getvalue().rstrip().splitlines())
