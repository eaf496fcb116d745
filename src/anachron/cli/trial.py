"""``anachron publish --trial``: what a plan would give, and what others in its place would."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from anachron.cli.answer import Answer
from anachron.cli.progress import progress_bar

__all__ = ["read_parts", "read_values", "run"]


def run(
    file: Path,
    over: Iterable[str],
    table: str | None = None,
    max_views: int | None = None,
    as_of: str | None = None,
    accept: tuple[str, ...] = (),
    *,
    past: bool = True,
) -> Answer:
    """Try what a plan file says, and what is given beside it."""
    from anachron import flow

    with progress_bar() as progress:
        found = flow.trial(
            file,
            read_parts(over),
            table=table,
            past=past,
            as_of=as_of,
            max_views=max_views,
            accept=accept,
            progress=progress,
        )
    return Answer(found.to_dict(), str(found), 0 if found.kept else 1)


def read_parts(over: Iterable[str], option: str = "--with") -> dict[str, list[Any]]:
    """Read what to try of each part; of one that is named twice, all of it."""
    parts: dict[str, list[Any]] = {}
    for text in over:
        name, values = read_values(text, option)
        parts[name] = [*parts.get(name, []), *values]
    return parts


def read_values(text: str, option: str = "--with") -> tuple[str, list[Any]]:
    """Read what to try: values between commas, or a list as plan files have it.

    >>> read_values("k=2,5,10")
    ('k', [2, 5, 10])
    >>> read_values("max_suppressed=0,0.01,1/30")
    ('max_suppressed', [0, '0.01', '1/30'])
    >>> read_values('granularities=[["day", "week"], ["month"]]')
    ('granularities', [['day', 'week'], ['month']])
    """
    from anachron.errors import PlanError
    from anachron.trying.written import read

    try:
        return read(text)
    except PlanError as error:
        raise click.UsageError(f"{option} {error}") from None
