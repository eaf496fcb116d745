"""What an audit gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import pyarrow as pa

from anachron.notebook import Sheet
from anachron.tabular import Tabular, arrow_of

__all__ = [
    "PEOPLE_COUNTED",
    "PUBLISHED",
    "ROWS_COUNTED",
    "WITH_LEDGER",
    "WITH_MICRODATA",
    "Check",
    "Verdict",
    "Word",
]

Word = Literal["holds", "not refuted", "fails"]
"""What a verdict comes to, in a word."""

PUBLISHED = "published"
"""Scope of an audit that saw the release alone: it can refute the promise, not prove it."""
WITH_LEDGER = "with ledger"
"""Scope of an audit that saw what the ledger remembers, but not the original rows."""
WITH_MICRODATA = "with microdata"
"""Scope of an audit that saw the rows the release was made from, too."""
PEOPLE_COUNTED = "people counted"
"""Scope of an audit of any table that has a column which tells people apart."""
ROWS_COUNTED = "rows counted"
"""Scope of an audit of any table that has none: if a person has several rows, it flatters."""


@dataclass(frozen=True)
class Check:
    """One thing that was checked: what was promised, and what was measured."""

    name: str
    holds: bool
    promised: str
    measured: str
    """Counts, shares and group numbers; never a value of the microdata."""
    about: str
    """What the check is about, in plain words."""
    witnesses: tuple[str, ...] = ()
    """Where it fails: some releases, groups or rows, by number; never a personal value."""

    def __str__(self) -> str:
        return f"{self.about}: {self.measured} (promised: {self.promised})"


@dataclass(frozen=True, repr=False)
class Verdict(Tabular):
    """Say whether a release keeps its promise, and by what measure.

    As a table (``to_pandas()``, ``to_polars()``, ``to_arrow()``) it has a row for each check.

    Parameters
    ----------
    release
        The name of the release.
    guarantee
        What was promised, in one line.
    scope
        ``"published"`` if only the release was at hand, ``"with ledger"`` if what the ledger
        remembers was, ``"with microdata"`` if the rows it was made from were, too. Only the
        last proves how many people a group covers. Of a table that is no release:
        ``"people counted"`` or ``"rows counted"``.
    checks
        Everything that was checked, the promise itself first.
    figures
        What was measured along the way: counts and shares, no personal values.

    Example
    -------
    >>> import anachron as an
    >>> from anachron.auditing.verdict import Check
    >>> people = Check("people", True, "5", "7", "people in the smallest group")
    >>> verdict = an.Verdict("0001", "TimeGranularity(k=5)", "with microdata", (people,), {})
    >>> print(verdict)
    holds: people in the smallest group: 7 (promised: 5); 1 check of 1 holds, with microdata
    """

    release: str
    guarantee: str
    scope: str
    checks: tuple[Check, ...]
    figures: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether every check holds, and there was something to check."""
        return bool(self.checks) and not self.failures

    @property
    def word(self) -> Word:
        """What it comes to: ``"holds"`` only if the rows themselves were seen.

        Without the table nothing that was looked at contradicts the promise: it is
        ``"not refuted"``, and :attr:`holds` is True as well, since no check fails.
        """
        if not self.holds:
            return "fails"
        return "not refuted" if self.scope in (PUBLISHED, WITH_LEDGER) else "holds"

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(check for check in self.checks if not check.holds)

    def __str__(self) -> str:
        total, failed = len(self.checks), self.failures
        count = f"{total - len(failed)} check{'s' if total != 1 else ''} of {total} " + (
            "holds" if total == 1 else "hold"
        )
        if not self.checks:
            return "fails: nothing could be checked"
        headline = failed[0] if failed else self.checks[0]
        return f"{self.word}: {headline}; {count}, {self.scope}"

    def to_dict(self) -> dict[str, Any]:
        """Give the verdict as plain values."""
        return {
            "holds": self.holds,
            "word": self.word,
            "release": self.release,
            "guarantee": self.guarantee,
            "scope": self.scope,
            "checks": [
                asdict(check) | {"witnesses": list(check.witnesses)} for check in self.checks
            ],
            "figures": dict(self.figures),
        }

    def to_arrow(self) -> pa.Table:
        """Give it as an Arrow table, a row for each check."""
        return arrow_of(Check, self.checks)

    def _sheet(self) -> Sheet:
        told = any(check.witnesses for check in self.checks)
        head = ["", "check", "promised", "measured", *(["where"] if told else [])]
        body = []
        for check in self.checks:
            cells = ["holds" if check.holds else "fails", check.about]
            cells += [check.promised, check.measured]
            body.append([*cells, *(["; ".join(check.witnesses)] if told else [])])
        return Sheet(str(self), head, body)
