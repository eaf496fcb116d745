"""``anachron audit``: does a release keep its promise?"""

from __future__ import annotations

from pathlib import Path

import click

from anachron.cli.answer import Answer, aligned, json_option
from anachron.cli.evidence import Evidence, evidence_options

__all__ = ["audit", "run"]

_SCOPES = {
    "published": "as far as the published files can show",
    "with microdata": "people counted in the original rows",
}


@click.command(short_help="Check whether a release keeps its promise.")
@click.argument("release", type=click.Path(path_type=Path))
@evidence_options
@json_option
def audit(release: Path, evidence: Evidence) -> Answer:
    """Check whether RELEASE keeps its promise; exit with 1 if it does not.

    With the plan, or the ledger and the table, people are counted again in the original rows.
    Without them only what a recipient sees can be checked.
    """
    return run(release, evidence)


def run(release: Path, evidence: Evidence) -> Answer:
    """Audit a release, and tell the verdict."""
    from anachron import flow

    verdict = flow.audit(release, **evidence.known())
    rows = [
        (
            click.style("holds", fg="green") if check.holds else click.style("FAILS", fg="red"),
            check.about,
            check.promised
            if check.measured == "as promised"
            else f"{check.measured} (promised: {check.promised})",
        )
        for check in verdict.checks
    ]
    word = "The promise holds" if verdict.holds else "The promise FAILS"
    title = click.style(f"{word}: {verdict.guarantee}, {_SCOPES[verdict.scope]}", bold=True)
    return Answer(verdict.to_dict(), "\n".join([title, *aligned(rows)]), 0 if verdict.holds else 1)
