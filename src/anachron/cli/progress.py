"""A bar for long work, on stderr and only where a person can see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anachron.cli.options import is_quiet

__all__ = ["progress_bar"]


@contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None] | None]:
    """Give a function that hears what is being done and the share that is done, or nothing."""
    if is_quiet() or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def hear(what: str, share: float) -> None:
            bar.update(task, description=what, completed=share)

        yield hear
