"""A bar for long work, on stderr and only where a person can see it, and asked for no quiet."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from anachron.cli.options import is_quiet
from anachron.progress import Tell, lines, silent, terminal_bar

__all__ = ["progress_bar"]


def progress_bar() -> AbstractContextManager[Tell]:
    """Give a function that hears what is being done and the share that is done."""
    if (listened := lines()) is not None:
        return nullcontext(listened)
    return nullcontext(silent) if is_quiet() else terminal_bar()
