"""What a command answers: the same for programs and for people."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from io import UnsupportedOperation
from pathlib import Path
from typing import Any, TextIO

import click

from anachron.stores import Address, Place

__all__ = [
    "Answer",
    "aligned",
    "share_in_words",
    "shown",
    "stdout_for_json",
    "tell",
]


@dataclass(frozen=True)
class Answer:
    """One answer: plain values, their words, and the exit code."""

    data: dict[str, Any]
    """For programs, with ``--json``."""
    text: str
    """For people."""
    exit_code: int = 0
    failed: bool = False
    """Whether the text is an error and belongs on stderr."""
    grave: str = ""
    """What is said on stderr even with ``--quiet``: what fails, and what the owner must know."""


def tell(answer: Answer, as_json: bool, stdout: TextIO, *, quietly: bool = False) -> None:
    """Print an answer."""
    if quietly and not as_json and not answer.failed:
        if answer.grave:
            click.echo(answer.grave, err=True)
    elif as_json:
        json.dump(answer.data, stdout, indent=2, allow_nan=False)
        stdout.write("\n")
        stdout.flush()
    elif answer.text:
        click.echo(answer.text, err=answer.failed)


@contextmanager
def stdout_for_json(as_json: bool) -> Iterator[TextIO]:
    """Keep stdout for the JSON document alone: whatever else is printed goes to stderr.

    Libraries below us print from C, so the file descriptor is moved too.
    """
    stdout = sys.stdout
    if not as_json:
        yield stdout
        return
    with redirect_stdout(sys.stderr), _moved_descriptor(stdout) as kept:
        yield kept


@contextmanager
def _moved_descriptor(stdout: TextIO) -> Iterator[TextIO]:
    """Point the descriptor of stdout to stderr, and give a stream to where it pointed."""
    try:
        stdout.flush()
        number, aside = stdout.fileno(), os.dup(stdout.fileno())
        errors = sys.stderr.fileno()
    except (UnsupportedOperation, OSError, ValueError, AttributeError):
        # Not a real file, so nothing below Python can print to it.
        yield stdout
        return
    os.dup2(errors, number)
    try:
        with os.fdopen(os.dup(aside), "w", encoding="utf-8") as kept:
            yield kept
    finally:
        with suppress(OSError):
            os.dup2(aside, number)
        os.close(aside)


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ") -> list[str]:
    """Lay out rows of texts in columns; the last column may be long."""
    if not rows:
        return []
    lengths = [[len(click.unstyle(cell)) for cell in row] for row in rows]
    widths = [*(max(column) for column in list(zip(*lengths, strict=True))[:-1]), 0]
    return [
        (
            indent
            + "  ".join(
                cell + " " * (width - length)
                for cell, width, length in zip(row, widths, taken, strict=True)
            )
        ).rstrip()
        for row, taken in zip(rows, lengths, strict=True)
    ]


def share_in_words(part: int, whole: int) -> str:
    """Write a share as a percentage that never rounds something to nothing."""
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.2f} %" if percent >= 0.01 or not part else "less than 0.01 %"


def shown(path: Place) -> str:
    """Write a path from the current folder if it lies there, quoted for a shell."""
    if isinstance(path, Address):
        return shlex.quote(str(path))
    here = Path.cwd()
    place = path if path.is_absolute() else here / path
    return shlex.quote(str(place.relative_to(here) if place.is_relative_to(here) else path))
