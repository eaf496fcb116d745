"""``anachron ask``: put a question to a release."""

from __future__ import annotations

from pathlib import Path

import click

from anachron.cli.answer import Answer, aligned, shown
from anachron.cli.options import json_option, release_argument

__all__ = ["ask", "run"]


@click.command(short_help="Ask a release: an estimate, and hard bounds.")
@release_argument
@click.argument("question", required=False)
@json_option
def ask(release: Path, question: str | None) -> Answer:
    """Answer QUESTION from what was published in RELEASE, and from nothing else.

    QUESTION is SQL: SELECT COUNT(*) WHERE ... GROUP BY ...; sums and means are
    SUM(column) and AVG(column). RELEASE is a release, or a folder of releases that belong
    together. Without a QUESTION, tell what can be asked.
    """
    return run(release, question)


def run(release: Path, question: str | None) -> Answer:
    """Ask a release, and tell the answer."""
    from anachron import flow

    if question is None:
        return _offer(release)
    answer = flow.ask(release, question)
    return Answer(answer.to_dict(), str(answer))


def _offer(release: Path) -> Answer:
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
