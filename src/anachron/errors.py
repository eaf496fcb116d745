"""Every error Anachron raises on purpose.

::

    AnachronError
    ├── InputError(ValueError)      the plan, the schema or the table cannot be accepted
    │   ├── PlanError               … because of what the plan says
    │   ├── CalendarError           … because of a granularity
    │   ├── QuestionError           … because a release cannot answer it
    │   └── TableError              … because of what the table holds
    ├── Refusal                     the request is understood and must not be carried out
    │   ├── GuaranteeError          … the promise cannot be kept for this table
    │   ├── AlreadyPublished        … it would intersect with an earlier release
    │   ├── Doubtful                … unless the owner says that the table is as meant
    │   └── LedgerBusy              … another publisher is at work on the ledger
    ├── LedgerError                 the ledger is damaged, foreign or out of step
    ├── ReleaseError                the folder is not a release, or was altered
    └── InternalError               our own mistake: please report it

An error says what was expected, what was found, where (file, column, row) and
what to do. It never repeats the content of a cell.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "AlreadyPublished",
    "AnachronError",
    "CalendarError",
    "Doubtful",
    "GuaranteeError",
    "InputError",
    "InternalError",
    "LedgerBusy",
    "LedgerError",
    "PlanError",
    "Problem",
    "QuestionError",
    "Refusal",
    "ReleaseError",
    "TableError",
    "whereabouts",
]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where it is, and what to do about it."""

    what: str
    file: str | None = None
    column: str | None = None
    row: int | None = None
    """The first offending row; the first row of data is row 1."""
    remedy: str | None = None

    def __str__(self) -> str:
        place = [
            text
            for text in (
                self.file,
                f"column {self.column!r}" if self.column is not None else None,
                f"row {self.row:,}" if self.row is not None else None,
            )
            if text
        ]
        where = ", ".join(place) + ": " if place else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{where}{self.what}{remedy}"


class AnachronError(Exception):
    """Base of all errors that Anachron raises on purpose.

    Example
    -------
    >>> import anachron as an
    >>> try:
    ...     an.TimeGranularity(k=1)
    ... except an.AnachronError as error:
    ...     print(error)
    k must be a whole number of at least 2, found 1.
    """


class InputError(AnachronError, ValueError):
    """The input cannot be accepted; all problems found are listed at once.

    A single problem may be given by its parts, as those of ``Problem``.
    """

    def __init__(
        self,
        problems: str | Problem | Iterable[Problem],
        file: str | None = None,
        column: str | None = None,
        row: int | None = None,
        remedy: str | None = None,
    ) -> None:
        if isinstance(problems, str):
            problems = Problem(problems, file, column, row, remedy)
        if isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class PlanError(InputError):
    """The plan, the schema or the guarantee is not valid."""


class CalendarError(InputError):
    """A granularity is not one, or clashes with another."""


class QuestionError(InputError):
    """The release cannot answer the question; the message shows one that it can."""


class TableError(InputError):
    """The table cannot be read as the schema says."""


class Refusal(AnachronError):
    """The request is understood and must not be carried out."""


class GuaranteeError(Refusal):
    """The promise cannot be kept for this table; nothing was written."""


class AlreadyPublished(Refusal):
    """The release would intersect with an earlier one of the same people."""


class Doubtful(Refusal):
    """The table looks as if people or values were written in another way; nothing was written."""


class LedgerBusy(Refusal):
    """Another publisher holds the ledger."""


class LedgerError(AnachronError):
    """The ledger is damaged, foreign or out of step with the releases."""


class ReleaseError(AnachronError):
    """The folder is not a release, or it is not as it was published."""


class InternalError(AnachronError):
    """A mistake of Anachron itself; nothing was published. Please report it."""


_PACKAGE = Path(__file__).resolve().parent


def whereabouts(error: BaseException) -> str:
    """The line of ours that failed. The message of a foreign error may hold a cell: never it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if Path(f.filename).is_relative_to(_PACKAGE)] or frames
    if not ours:
        return "an unknown place"
    return f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
