"""What several commands take: paths, ``--json``, and what the owner can show beside a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Literal, get_args

import click

from anachron.plan.source import Encoding, Source
from anachron.stores import Place, placed

__all__ = [
    "PATH",
    "Evidence",
    "accept_option",
    "all_option",
    "as_of_option",
    "evidence_options",
    "is_quiet",
    "json_option",
    "max_views_option",
    "output_option",
    "plan_argument",
    "quiet_option",
    "release_argument",
    "source_options",
]

PATH = click.Path(path_type=Path)


class _Place(click.ParamType[Place]):
    """A path, or the address of something in a store."""

    name = "place"

    def convert(self, value: Any, _param: Any, _context: Any) -> Place:
        return placed(value)


plan_argument = click.argument("plan", type=PATH)
release_argument = click.argument("release", type=_Place())


def output_option(default: str, what: str) -> Callable[..., Any]:
    """Give a command the option ``-o``, the file that it writes."""
    return click.option(
        "-o", "--output", type=PATH, default=Path(default), show_default=True, help=what
    )


as_of_option = click.option("--as-of", help="Name the release of a register, such as 2024-06-30.")
max_views_option = click.option(
    "--max-views",
    type=click.IntRange(min=1),
    help="Search up to so many combinations of granularity and ladder steps, however long.",
)


def accept_option(verb: str) -> Callable[..., Any]:
    """Give a command the option ``--accept``: doubts that its user has looked into."""
    return click.option(
        "--accept",
        multiple=True,
        type=click.Choice(["strangers", "changes"]),
        help=f"{verb} although nobody is known, or most values changed, because that is so.",
    )


json_option = click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    help="Answer with one JSON document on stdout, also for errors.",
)
"""The group acts on it."""

_QUIET = "anachron.quiet"
quiet_option = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, given: context.meta.update({_QUIET: given}),
    help="Say only what is wrong, on stderr, and show no progress; the exit code tells the rest.",
)
"""The group acts on it, and bars of progress do."""
all_option = click.option(
    "--all", "everything", is_flag=True, help="Tell everything, however many lines it takes."
)


def is_quiet() -> bool:
    """Whether the command that runs was asked to be quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


@dataclass(frozen=True)
class Evidence:
    """The plan of a release, or its ledger and table; a table given beside a plan is the one."""

    plan: Path | None = None
    ledger: Path | None = None
    table: str | None = None

    def known(self) -> dict[str, Any]:
        """Give what the flow takes."""
        if self.plan is None:
            return {"ledger": self.ledger, "table": self.table}
        from anachron.plan import Plan

        plan = Plan.read(self.plan)
        table = plan.table if self.table is None else plan.source.at(self.table)
        return {"ledger": plan.ledger, "table": table, "schema": plan.schema}


def evidence_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options ``--plan``, ``--ledger`` and ``--table``."""

    @click.option("--plan", type=PATH, help="The plan it was published with.")
    @click.option("--ledger", type=PATH, help="The ledger that recorded it.")
    @click.option("--table", help="The table it was made from; needs the plan or ledger.")
    @wraps(command)
    def with_evidence(
        *args: Any, plan: Path | None, ledger: Path | None, table: str | None, **options: Any
    ) -> Any:
        if plan is not None and ledger is not None:
            raise click.UsageError("--plan names the ledger already.")
        if table is not None and ledger is None and plan is None:
            raise click.UsageError("--table needs --ledger, which remembers the table's columns.")
        return command(*args, evidence=Evidence(plan, ledger, table), **options)

    return with_evidence


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Make of TABLE, and of options that say how to read it, a source."""

    @click.option("--sheet", help="The sheet of a spreadsheet that holds the table.")
    @click.option("--header", type=click.IntRange(min=1), default=1, show_default=True,
                  help="The row of a spreadsheet that names the columns.")  # fmt: skip
    @click.option("--encoding", type=click.Choice(get_args(Encoding)), default="utf-8",
                  show_default=True,
                  help="How the characters of a text file are written.")  # fmt: skip
    @click.option("--decimal", type=click.Choice([".", ","]), default=".", show_default=True,
                  help="What stands before the digits after the point in a text file.")  # fmt: skip
    @click.option("--labels", is_flag=True,
                  help="Take labels for codes, in files of Stata and SPSS.")  # fmt: skip
    @wraps(command)
    def with_source(
        *args: Any,
        table: str,
        sheet: str | None,
        header: int,
        encoding: Encoding,
        decimal: Literal[".", ","],
        labels: bool,
        **options: Any,
    ) -> Any:
        source = Source(table, sheet, header, encoding, decimal, labels)
        return command(*args, table=source, **options)

    return with_source
