"""``anachron report``: a certificate for a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from anachron.cli.answer import Answer, shown
from anachron.cli.options import (
    Evidence,
    evidence_options,
    json_option,
    output_option,
    quiet_option,
    release_argument,
)
from anachron.cli.progress import progress_bar
from anachron.stores import Place

__all__ = ["report", "run"]


@click.command(short_help="Write the certificate of a release.")
@release_argument
@output_option("certificate.html", "The HTML file to write.")
@click.option("--attacks", is_flag=True, help="Try all attacks, and show what came of them.")
@click.option(
    "--questions",
    type=click.IntRange(0, 1_000_000),
    default=0,
    help="Ask so many random questions of a kind, to show how good the answers are.",
)
@click.option(
    "--language",
    default="en",
    show_default=True,
    help="The language of the page: en or de.",
)
@evidence_options
@quiet_option
@json_option
def report(
    release: Place,
    output: Path,
    attacks: bool,
    questions: int,
    language: str,
    evidence: Evidence,
) -> Answer:
    """Write the certificate of RELEASE: one HTML file that needs nothing else.

    Its twin for programs is written beside it, as JSON-LD. The plan says in its section
    [certificate] who publishes what for whom. With the plan, or the ledger, the certificate also
    tells what else was on offer and why finer granularities fail; with --attacks and --questions,
    what an adversary and an honest reader learn from it.
    """
    return run(release, output, evidence, attacks=attacks, questions=questions, language=language)


def run(
    release: Place,
    output: Path,
    evidence: Evidence,
    *,
    attacks: bool = False,
    questions: int = 0,
    language: str = "en",
) -> Answer:
    """Write a certificate, and tell where."""
    from anachron import flow

    if output.suffix.lower() not in (".html", ".htm"):
        # An earlier certificate may be replaced; nothing else may.
        raise click.UsageError("the certificate is an HTML file: its name must end in .html.")
    if isinstance(release, Path) and output.resolve().is_relative_to(release.resolve()):
        raise click.UsageError("the certificate must not lie inside the release, which is sealed.")
    known = evidence.known()
    if questions and known["table"] is None:
        raise click.UsageError("--questions needs --plan, or --ledger and --table.")
    with progress_bar() as progress:
        path = flow.report(
            release, output, **known, **_stated(evidence), attacks=attacks, questions=questions,
            language=language, progress=progress,
        )  # fmt: skip
    twin = path.with_suffix(flow.TWIN)
    text = f"Wrote {shown(path)}, and {shown(twin)} for programs\n"
    text += f"Open it in a browser: {path.resolve().as_uri()}"
    told = {"certificate": str(path), "twin": str(twin), "release": str(release)}
    return Answer(told, text)


def _stated(evidence: Evidence) -> dict[str, Any]:
    """Who publishes what for whom, if there is a plan that says so."""
    if evidence.plan is None:
        return {}
    from anachron.plan import Plan

    return Plan.read(evidence.plan).certificate.to_dict()
