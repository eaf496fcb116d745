"""What several commands take: paths, ``--json``, and what the owner can show beside a release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

__all__ = [
    "PATH",
    "Evidence",
    "all_option",
    "evidence_options",
    "is_quiet",
    "json_option",
    "output_option",
    "plan_argument",
    "quiet_option",
    "release_argument",
]

PATH = click.Path(path_type=Path)
plan_argument = click.argument("plan", type=PATH)
release_argument = click.argument("release", type=PATH)


def output_option(default: str, what: str) -> Callable[..., Any]:
    """Give a command the option ``-o``, the file that it writes."""
    return click.option(
        "-o", "--output", type=PATH, default=Path(default), show_default=True, help=what
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
        table = plan.table if self.table is None else self.table
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
