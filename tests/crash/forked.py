"""Run commands in forks of one process that has loaded everything and done nothing."""

from __future__ import annotations

import os
import pkgutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import anachron
from anachron.cli.main import anachron as command

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 180.0


def load_everything() -> None:
    """Import all that a command may need. Nothing is run: threads do not survive a fork."""
    for found in pkgutil.walk_packages(anachron.__path__, "anachron."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    for library in ("pyarrow.dataset", "scipy.optimize", "numba", "jinja2", "sqlglot", "rich",
                    "vl_convert"):  # fmt: skip
        import_module(library)


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, negative if a signal ended it, and what it said."""

    code: int
    said: str
    seconds: float
    stopped: bool
    """Whether it was still at work when it was to be stopped."""


def run(
    words: Sequence[str],
    root: Path,
    settings: Mapping[str, str],
    stop: signal.Signals | None = None,
    after: float = PATIENCE,
    before: Callable[[], object] | None = None,
) -> Ended:
    """Run a command in a folder, and send it a signal if it still runs after some seconds."""
    said = root.parent / f"{root.name}.said"
    said.touch(0o600)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        be_the_command(words, root, settings, said, before)
    stopped = not _ended(child, after)
    if stopped and stop is None:
        os.kill(child, signal.SIGABRT)
        raise AssertionError(f"{words} does not end: {said.read_text()}")
    if stopped and stop is not None:
        os.kill(child, stop)
        if not _ended(child, PATIENCE):
            os.kill(child, signal.SIGABRT)
            raise AssertionError(f"{words} does not end after {stop}: {said.read_text()}")
    code = os.waitstatus_to_exitcode(_status.pop(child))
    text = said.read_text(errors="replace")
    said.unlink()
    return Ended(code, text, time.monotonic() - began, stopped)


def done(work: Callable[[], object]) -> None:
    """Do some work in a fork; what fails there fails here."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001  # it is told on the other side
            os.write(tell, traceback.format_exc()[-4000:].encode())
        os._exit(1)
    os.close(tell)
    with os.fdopen(hear) as heard:
        said = heard.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, said or status


_status: dict[int, int] = {}


def _ended(child: int, within: float) -> bool:
    until = time.monotonic() + within
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            _status[child] = status
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.01)


def be_the_command(
    words: Sequence[str],
    root: Path,
    settings: Mapping[str, str],
    said: Path,
    before: Callable[[], object] | None,
) -> None:
    """Become a process that a shell might have started."""
    code = 70
    try:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(root)
        os.environ.update(settings)
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        if before is not None:
            before()
        command(list(words), prog_name="anachron")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        code = 130  # before the command heard of signals, as Python itself would end
    except BaseException:  # noqa: BLE001  # told as Python would
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
