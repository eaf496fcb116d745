"""``anachron ask``: put a question to a release."""

from __future__ import annotations

from typing import Literal, get_args

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import json_option, release_argument
from anachron.stores import Place

__all__ = ["ask", "run"]

Estimated = Literal["learned", "even"]


@click.command(short_help="Ask a release: an estimate, and hard bounds.")
@release_argument
@click.argument("question", required=False)
@click.option(
    "--estimate",
    type=click.Choice(get_args(Estimated)),
    default="learned",
    show_default=True,
    help="Whether groups teach which values go with which rows, where they are published apart.",
)
@json_option
def ask(release: Place, question: str | None, estimate: Estimated) -> Answer:
    """Answer QUESTION from what was published in RELEASE, and from nothing else.

    QUESTION is SQL: SELECT COUNT(*) WHERE ... GROUP BY ...; sums and means are
    SUM(column) and AVG(column). RELEASE is a release, or a folder of releases that belong
    together. Without a QUESTION, tell what can be asked.
    """
    return run(release, question, estimate)


def run(release: Place, question: str | None, estimate: Estimated = "learned") -> Answer:
    """Ask a release, and tell the answer."""
    from anachron import flow

    if question is None:
        return _offer(release)
    answer = flow.ask(release, question, estimate=estimate)
    return Answer(answer.to_dict(), str(answer))


def _offer(release: Place) -> Answer:
    """Tell what can be asked, with questions that work."""
    from anachron import flow

    columns, questions = flow.askable(release)
    lines = [
        click.style("What can be asked", bold=True),
        *aligned(columns),
        click.style("Questions that work", bold=True),
        *(f'  anachron ask {shown(release)} "{_in_shell(text)}"' for text in questions),
    ]
    data = {
        "columns": [{"column": name, "holds": holds} for name, holds in columns],
        "questions": questions,
    }
    return Answer(data, "\n".join(lines))


def _in_shell(text: str) -> str:
    """What a shell reads as the text within double quotation marks."""
    for sign in '\\"$`':
        text = text.replace(sign, f"\\{sign}")
    return text
