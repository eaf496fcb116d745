"""Run a command in a fork of this warm process, with limits, and judge what came of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anachron.cli.main import anachron
from anachron.cli.trouble import explained

__all__ = ["CANARY", "Outcome", "faults", "run", "warm"]

CANARY = "4711"
"""Stands in every text and name of the tables, and must never stand in a message."""
MEMORY = 2 << 30
CPU = 30
CLOCK = 150
"""Seconds by the clock, on a machine that is shared; what waits for ever is found by it."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int | None
    """None if a signal ended it."""
    signal: int
    said: str
    seconds: float
    memory: int
    rows: int | None = None
    """The rows that were published, if it says so."""
    there: int | None = None
    """The rows that a third reader finds in a table that was published."""
    left: list[str] = field(default_factory=list)
    """What it wrote, though it failed."""


def warm() -> None:
    """Load what commands load when they are first used."""
    import openpyxl  # noqa: F401
    import pandas  # noqa: F401
    import pyreadstat  # noqa: F401
    import python_calamine  # noqa: F401

    from anachron.attacking import run  # noqa: F401
    from anachron.cli import attack, audit, init, publish, push, utility  # noqa: F401
    from anachron.flow import answers, attacks, releases, trials, verdicts  # noqa: F401
    from anachron.measuring import run as measured  # noqa: F401
    from anachron.proposing import propose  # noqa: F401
    from anachron.registry import METHODS

    for method in METHODS.values():
        for part in vars(method).values():
            if hasattr(part, "load"):
                part.load()


def run(
    words: Sequence[str] | Callable[[], object],
    folder: Path,
    count: Callable[[], int | None] = lambda: None,
) -> Outcome:
    """Run a command, or call something, in a folder, in a process of its own."""
    before = {path.name for path in folder.iterdir()}
    hear, tell = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(hear)
        _in_child(words, folder, count, tell)
    os.close(tell)
    told = _heard(hear, began + CLOCK)
    if told is None:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    answer = json.loads(told) if told else {"said": "", "rows": None, "there": None}
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    left = [] if code == 0 else _left(folder, before)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Outcome(
        code,
        ended,
        answer["said"],
        seconds,
        used.ru_maxrss << 10,
        answer["rows"],
        answer["there"],
        left,
    )


def _heard(hear: int, until: float) -> bytes | None:
    """All that the child says; None if it does not end in time."""
    import select

    told = b""
    with os.fdopen(hear, "rb", buffering=0) as stream:
        while (rest := until - time.monotonic()) > 0:
            if select.select([stream], [], [], rest)[0]:
                block = stream.read(1 << 16)
                if not block:
                    return told
                told += block
    return None


def _in_child(
    words: Sequence[str] | Callable[[], object],
    folder: Path,
    count: Callable[[], int | None],
    tell: int,
) -> None:
    code = 99
    try:
        os.chdir(folder)
        (folder / "scratch").mkdir()
        os.environ["ANACHRON_TMP"] = str(folder / "scratch")
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU + 5, CPU + 5))
        code, said = _called(words) if callable(words) else _commanded(words)
        rows = _rows(said) if code == 0 else None
        there = count() if rows is not None else None
        with contextlib.suppress(OSError):
            (folder / "scratch").rmdir()
        answer = json.dumps({"said": said[:200_000], "rows": rows, "there": there})
        with os.fdopen(tell, "wb") as stream:
            stream.write(answer.encode())
    finally:
        os._exit(code)


def _commanded(words: Sequence[str]) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            anachron([words[0], "--json", *words[1:]], prog_name="anachron")
        except SystemExit as end:
            code = int(end.code or 0) if not isinstance(end.code, str) else 98
    return code, out.getvalue() + err.getvalue()


def _called(work: Callable[[], object]) -> tuple[int, str]:
    try:
        return 0, json.dumps({"rows": getattr(work(), "rows", None)}, default=str)
    except Exception as error:  # noqa: BLE001 - as the command line has it
        answer = explained(error)
        return answer.exit_code, answer.text


def _rows(said: str) -> int | None:
    try:
        told = json.loads(said)
    except ValueError:
        return None
    return told.get("rows") if isinstance(told, dict) and "published_rows" in told else None


def _left(folder: Path, before: set[str]) -> list[str]:
    """What is there that was not: private folders, and ledgers without a release, hold nothing."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name in before:
            continue
        if path.name == "led":
            found += [str(p.relative_to(folder)) for p in path.glob("state/*")]
        elif path.is_dir():
            found += [str(p.relative_to(folder)) for p in path.rglob("*")]
        else:
            found.append(path.name)
    shutil.rmtree(folder / "scratch", ignore_errors=True)
    return found


def faults(outcome: Outcome) -> list[str]:
    """What must not be."""
    said, refused = outcome.said, bool(outcome.code) and not outcome.signal
    other = outcome.there is not None and outcome.there != outcome.rows
    found = {
        f"ended by signal {outcome.signal}": outcome.signal != 0,
        f"exit {outcome.code}": outcome.code not in (0, 1, 2, None),
        "an internal error": "mistake of Anachron" in said or "Traceback" in said,
        "a cell is repeated": refused and CANARY in said,
        "neither place nor remedy": outcome.code == 2 and not _has_remedy(said),
        f"left behind: {outcome.left[:3]}": bool(outcome.left),
        f"{outcome.seconds:.0f} s": outcome.seconds > CPU,
        f"{outcome.memory >> 20} MB": outcome.memory > MEMORY,
        f"{outcome.there} rows there, {outcome.rows} taken": other,
    }
    return [fault for fault, there in found.items() if there]


def _has_remedy(said: str) -> bool:
    try:
        problems = json.loads(said)["error"]["problems"]
    except (ValueError, KeyError, TypeError):
        return ": " in said
    return all(
        ". " in problem["what"]
        or problem["remedy"]
        or problem["file"]
        or problem["column"]
        or problem["row"]
        for problem in problems
    )
