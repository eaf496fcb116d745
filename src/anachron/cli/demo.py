"""``anachron demo``: the main job on invented data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli import ask, audit, publish, report
from anachron.cli.answer import Answer, shown
from anachron.cli.options import PATH, Evidence, json_option

if TYPE_CHECKING:
    from anachron.demo import Job

__all__ = ["demo"]


@click.command(short_help="Publish invented data, ask it, audit it and write its certificates.")
@click.argument("folder", type=PATH, default=Path("anachron-demo"))
@json_option
def demo(folder: Path) -> Answer:
    """Publish invented data in FOLDER, ask it, audit it and write its certificates.

    Shows every step as you would type it. FOLDER is made if it is not there.
    """
    from anachron.demo import prepare

    done = [_show(job, plan) for job, plan in prepare(folder)]
    holds = all(job["verdict"]["holds"] for job in done)
    pages = "\n".join(Path(job["certificate"]).resolve().as_uri() for job in done)
    data = {"folder": str(folder), "holds": holds, "jobs": done}
    return Answer(data, f"Done. Open the certificates in a browser:\n{pages}", 0 if holds else 1)


def _show(job: Job, plan: Path) -> dict[str, Any]:
    from anachron.plan import Plan

    click.echo(click.wrap_text(job.story, preserve_paragraphs=True) + "\n")
    published: dict[str, Any] = {}
    evidence, given = Evidence(plan=plan), f"--plan {shown(plan)}"
    # A register that goes back to an earlier snapshot would be released anew.
    done = publish.releases_of(Plan.read(plan))
    for name in job.tables[min(done, len(job.tables) - 1) :]:
        command, table = f"publish {shown(plan)}", None
        if name != job.table:
            ledger, table = plan.parent / job.ledger, str(plan.parent / name)
            which = f"--table {shown(Path(table))}"
            command, given = f"{command} {which}", f"--ledger {shown(ledger)} {which}"
            evidence = Evidence(ledger=ledger, table=table)
        published = _step(command, partial(publish.run, plan, table))
    release, certificate = Path(published["release"]), plan.parent / job.certificate
    asked = _step(f'ask {shown(release)} "{job.question}"', partial(ask.run, release, job.question))
    verdict = _step(f"audit {shown(release)} {given}", partial(audit.run, release, evidence))
    command = f"report {shown(release)} {given} --attacks --questions 300 -o {shown(certificate)}"
    page = partial(report.run, release, certificate, evidence, attacks=True, questions=300)
    written = _step(command, page)
    return {
        "plan": str(plan),
        "release": str(release),
        "answer": asked,
        "verdict": verdict,
        "certificate": written["certificate"],
    }


def _step(command: str, run: Callable[[], Answer]) -> dict[str, Any]:
    click.secho(f"$ anachron {command}", fg="cyan")
    answer = run()
    click.echo(answer.text + "\n")
    return answer.data
