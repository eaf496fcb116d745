"""From whatever goes wrong to an answer: the reason, where it is, and the exit code."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from anachron.cli.answer import Answer
from anachron.errors import AnachronError, InputError, whereabouts
from anachron.stopping import STOPS, Terminated

__all__ = ["EXIT_CODES", "explained"]

EXIT_CODES = {
    0: "done",
    1: "the promise fails, the request is refused, or something is broken",
    2: "wrong usage, or input that cannot be accepted",
    129: "stopped, because the terminal was closed",
    130: "stopped by you",
    143: "stopped by the system",
}


def explained(error: BaseException) -> Answer:
    """Turn an error into an answer. What it says of our own mistakes names no value."""
    if isinstance(error, InputError):
        return _answer(error, str(error), 2, [asdict(problem) for problem in error.problems])
    if isinstance(error, AnachronError):
        return _answer(error, str(error), 1)
    if isinstance(error, (click.Abort, *STOPS)):
        return _stopped(error)
    if isinstance(error, click.ClickException):
        return _usage(error)
    if isinstance(error, MemoryError):
        return _answer(error, "there is not enough memory. Nothing more was done.", 1)
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return _answer(error, f"{place}the system refused: {error.strerror}.", 1)
    return _answer(
        error,
        "this is a mistake of Anachron, please report it: "
        f"{type(error).__name__} at {whereabouts(error)}.",
        1,
    )


def _answer(
    error: BaseException, message: str, code: int, problems: list[dict[str, Any]] | None = None
) -> Answer:
    kind = type(error).__name__
    if problems is None:
        problems = [{"what": message, "file": None, "column": None, "row": None, "remedy": None}]
    data = {"error": {"kind": kind, "message": message, "problems": problems}, "exit": code}
    text = "\n".join(f"{click.style('Error:', fg='red')} {line}" for line in message.splitlines())
    return Answer(data, text, code, failed=True)


def _usage(error: click.ClickException) -> Answer:
    answer = _answer(error, error.format_message(), 2)
    context = getattr(error, "ctx", None)
    if context is None:
        return answer
    hint = f"{context.get_usage()}\nTry '{context.command_path} --help'.\n"
    return Answer(answer.data, hint + answer.text, 2, failed=True)


def _stopped(error: BaseException) -> Answer:
    """A command knows what an interruption left behind, and says it in a note."""
    cause = error.__cause__ or error
    message = " ".join(["stopped.", *getattr(cause, "__notes__", [])])
    if isinstance(cause, Terminated):
        return _answer(cause, message, int(str(cause.code)))
    return _answer(KeyboardInterrupt(), message, 130)
