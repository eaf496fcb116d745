"""How far long work is: told while it goes on, and shown where a person can see it.

Work tells what is being done, and which share of it is done. Whoever calls it may listen, with a
function of these two; or have it shown: as a bar in a notebook, without widgets, or on a terminal.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from html import escape
from time import monotonic
from typing import Any

from anachron.notebook import framed

__all__ = [
    "LISTENED",
    "Tell",
    "between",
    "heard",
    "in_notebook",
    "lines",
    "notebook_bar",
    "silent",
    "terminal_bar",
    "told",
]

Tell = Callable[[str, float], None]
"""Hears what is being done, and which share of the work is done."""

LISTENED = "ANACHRON_PROGRESS"
"""The environment variable by which a program that started a command listens: ``lines``."""
_PATIENCE = 0.5
"""Nothing is shown unasked of work that takes less, in seconds."""
_SELDOM = 0.05
"""A program that listens is told no more often, in seconds."""
_OFTEN = 0.2
"""How often a bar in a notebook is drawn again, in seconds."""


def silent(_what: str, _share: float) -> None:
    """Hear, and do nothing."""


def between(tell: Tell, low: float, high: float) -> Tell:
    """Tell of work that is a part of other work: its beginning is at ``low``, its end at ``high``.

    >>> half = between(lambda what, share: print(what, share), 0.5, 1.0)
    >>> half("asking", 0.5)
    asking 0.75
    """
    return lambda what, share: tell(what, low + (high - low) * share)


@contextmanager
def heard(progress: Tell | bool | None, verb: str) -> Iterator[Tell]:
    """Give what work tells its progress to; it goes forwards only, and ends at 1.

    Parameters
    ----------
    progress
        A function that hears it; True to have it shown, in a notebook or on a terminal; False to
        have none. If it is None, a notebook shows it if the work takes longer than a moment.
    verb
        What is being done, in a word.

    Example
    -------
    >>> with heard(lambda what, share: print(what, share), "audit") as tell:
    ...     tell("reading", 0.3)
    ...     tell("reading again", 0.2)
    reading 0.3
    reading again 0.3
    audit done 1.0
    """
    with _listener(progress) as hear:
        reached = 0.0

        def tell(what: str, share: float) -> None:
            nonlocal reached
            reached = max(reached, min(share, 1.0))
            hear(what, reached)

        yield tell
        tell(f"{verb} done", 1.0)


def _listener(progress: Tell | bool | None) -> AbstractContextManager[Tell]:
    if callable(progress):
        return nullcontext(progress)
    if progress is not False and in_notebook():
        return notebook_bar(0.0 if progress else _PATIENCE)
    return terminal_bar() if progress else nullcontext(silent)


def in_notebook() -> bool:
    """Whether the kernel of a notebook runs this; IPython is not imported to find out."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return ask is not None and getattr(ask(), "kernel", None) is not None


@contextmanager
def terminal_bar() -> Iterator[Tell]:
    """A bar on stderr, if that is a terminal; it is gone when the work is done."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    console = Console(stderr=True, force_jupyter=False)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def hear(what: str, share: float) -> None:
            bar.update(task, description=what, completed=share)

        yield hear


def lines() -> Tell | None:
    """Tell a program that listens, in lines of JSON on stderr; None if none does.

    Whoever started the command has gone when nobody reads them any more: it stops, as it would
    with its terminal.
    """
    if os.environ.get(LISTENED) != "lines":
        return None
    last = 0.0

    def hear(what: str, share: float) -> None:
        nonlocal last
        if monotonic() - last < _SELDOM and share < 1.0:
            return
        last = monotonic()
        try:
            # Past the buffer of Python, where a line that nobody reads would stay and fail again.
            line = json.dumps({"progress": what, "share": round(share, 4)}) + "\n"
            os.write(sys.stderr.fileno(), line.encode())
        except OSError:
            # Whatever else is said on the way out must not fail for want of a listener.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
            raise KeyboardInterrupt from None

    return hear


def told(line: bytes) -> tuple[str, float] | None:
    """Read such a line; None for anything else.

    >>> told(b'{"progress": "verifying", "share": 0.75}'), told(b"a warning")
    (('verifying', 0.75), None)
    """
    try:
        found = json.loads(line)
        return str(found["progress"]), float(found["share"])
    except (ValueError, KeyError, TypeError):
        return None


@contextmanager
def notebook_bar(patience: float) -> Iterator[Tell]:
    """A bar below the cell that runs, which is drawn once the work has taken so many seconds.

    What is told is drawn by a clock beside the work: so it moves while a step takes long, and is
    not drawn more often than somebody could see.
    """
    bar, over = _Bar(), threading.Event()
    # Displays find their cell by the context.
    beside = copy_context()

    def draw_now_and_then() -> None:
        wait = patience
        while not over.wait(wait):
            bar.draw()
            wait = _OFTEN

    clock = threading.Thread(target=beside.run, args=(draw_now_and_then,), daemon=True)
    if not patience:
        bar.draw()
    clock.start()
    try:
        yield bar.hear
    except BaseException:
        bar.stop()
        raise
    finally:
        over.set()
        clock.join()
        if bar.shown is not None:
            bar.draw()


class _Bar:
    """What a notebook shows of work that goes on."""

    def __init__(self) -> None:
        self.told = "starting", 0.0
        self.begun = monotonic()
        self.shown: Any = None
        """The handle of what is displayed; None before."""

    def hear(self, what: str, share: float) -> None:
        self.told = what, share

    def stop(self) -> None:
        what, share = self.told
        self.told = f"stopped: {what}", share

    def draw(self) -> None:
        from IPython.display import display

        told = self.drawn(*self.told, monotonic() - self.begun)
        if self.shown is None:
            self.shown = display(told, raw=True, display_id=True)
        else:
            self.shown.update(told, raw=True)

    @staticmethod
    def drawn(what: str, share: float, seconds: float) -> dict[str, str]:
        """Draw it, for notebooks with and without HTML."""
        took = f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min"
        bar = f'<progress value="{share:.3f}" max="1"></progress>'
        html = f'<div class="progress">{bar} {escape(what)}, {took}</div>'
        return {"text/html": framed(html), "text/plain": f"{share:4.0%} {what}, {took}"}
