"""Being stopped: by Ctrl-C, by the system, or because the terminal was closed.

Python hears a signal only between two of its own steps, and libraries below it turn what it then
raises into errors of their own. So it is noted here that work was stopped, the libraries that can
be interrupted are interrupted, and whatever they raise leaves as what it is: a stop.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs as Unraisable

__all__ = ["STOPS", "Terminated", "interruptible", "stoppable"]


class Terminated(SystemExit):
    """The system asked the process to end; its code is the one that shells expect then."""


STOPS = (KeyboardInterrupt, Terminated)
"""What a stop looks like when it leaves :func:`stoppable`."""

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
_A_MOMENT = 0.01
_received: list[int] = []
_interrupts: set[Callable[[], None]] = set()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let work be stopped at once, and leave as a stop and nothing else.

    A program that handles these signals itself keeps its own ways; so do threads beside the main
    one, which never hear a signal.
    """
    with _heard():
        try:
            yield
        except BaseException as error:
            # A stop may have been wrapped with what is to be said of it.
            if not _received or isinstance(error, STOPS) or isinstance(error.__cause__, STOPS):
                raise
            raise _stop() from None
        if _received:
            # Somebody below has swallowed it.
            raise _stop()


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """Call ``interrupt``, from another thread, if work is stopped while the block lasts."""
    _interrupts.add(interrupt)
    try:
        yield
    finally:
        _interrupts.discard(interrupt)


def _stop() -> BaseException:
    number = _received[0]
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated(128 + number)


def _note(number: int, _frame: FrameType | None) -> None:
    """Stop the work. Who is impatient and asks again does not stop the tidying up."""
    _received.append(number)
    if len(_received) == 1:
        raise _stop()


def _once_more(hook: Callable[[Unraisable], object], found: Unraisable) -> None:
    """A stop that fell into the end of an object's life is lost there: stop again, outside it."""
    if not isinstance(found.exc_value, STOPS) or not _received:
        hook(found)
        return
    number = _received[0]
    _received.clear()
    threading.Timer(_A_MOMENT, os.kill, (os.getpid(), number)).start()


@contextmanager
def _heard() -> Iterator[None]:
    """Note the signals that nobody else handles."""
    free = (signal.SIG_DFL, signal.default_int_handler)
    main = threading.current_thread() is threading.main_thread()
    ours = [number for number in _SIGNALS if main and signal.getsignal(number) in free]
    if not ours:
        yield
        return
    _received.clear()
    before = {number: signal.getsignal(number) for number in ours}
    hook = sys.unraisablehook
    try:
        sys.unraisablehook = partial(_once_more, hook)
        for number in ours:
            signal.signal(number, _note)
        with _heard_at_once():
            yield
    finally:
        sys.unraisablehook = hook
        for number, handler in before.items():
            signal.signal(number, handler)
        _received.clear()


@contextmanager
def _heard_at_once() -> Iterator[None]:
    """Hear signals in a thread, too, while the main one is deep in a library."""
    if _others_are_woken():
        yield
        return
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    listening = threading.Thread(target=_listen, args=(ear,), daemon=True)
    try:
        signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        listening.start()
        yield
    finally:
        # Before it is closed, and whatever happened: its number will soon be another file's.
        signal.set_wakeup_fd(-1)
        mouth.close()
        if listening.is_alive():
            listening.join()
        elif listening.ident is None:
            ear.close()
        # Else a stop fell into its start: it hears that nobody speaks, and ends by itself.


def _others_are_woken() -> bool:
    """Whether signals wake somebody already: an event loop, such as that of a notebook."""
    before = signal.set_wakeup_fd(-1)
    if before == -1:
        return False
    try:
        signal.set_wakeup_fd(before)
    except (OSError, ValueError):  # whoever it was has closed it and gone
        return False
    return True


def _listen(ear: socket.socket) -> None:
    with ear, suppress(OSError):
        while numbers := ear.recv(64):
            if any(number in _SIGNALS for number in numbers):
                for interrupt in tuple(_interrupts):
                    interrupt()
