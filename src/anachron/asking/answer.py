"""An answer: an estimate between hard bounds, and why they are as far apart as they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from anachron.errors import InputError
from anachron.notebook import Sheet, aligned
from anachron.tabular import Tabular

__all__ = ["Answer", "Figure", "Row"]

_NOT_KNOWN = "not known"
_NONE = "no records"
_ERROR = "standard error"
_PARTS = {"estimate": "", "low": "_low", "high": "_high", "error": "_error"}
"""The numbers of a figure, and how the columns end that hold them."""


@dataclass(frozen=True)
class Figure:
    """One number: what it is expected to be, and between which bounds it is for certain."""

    name: str
    estimate: float | None
    """Expected if values are spread evenly within what was published; None if there is none."""
    low: float | None
    """The smallest value that is consistent with the release; None if it has no bound."""
    high: float | None
    error: float | None
    """The standard error of the estimate: 0 if it is exact, None if no standard error is known."""
    whole: bool = True
    """Whether it counts something."""

    @property
    def exact(self) -> bool:
        """Whether the release leaves nothing open."""
        return self.low is not None and self.low == self.high

    def __str__(self) -> str:
        if self.estimate is None:
            return "no value"
        if self.exact:
            return f"{_number(self.estimate, self.whole)} exactly"
        known = "no standard error is known"
        error = known if self.error is None else f"standard error {_brief(self.error)}"
        return f"{_number(self.estimate, self.whole)} ({_bounds(self, 'between ')}, {error})"

    def to_dict(self) -> dict[str, Any]:
        """Give the figure as plain values."""
        return {
            "name": self.name,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "error": self.error,
        }


@dataclass(frozen=True)
class Row:
    """The figures of one group, or of all records."""

    keys: tuple[object, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, repr=False)
class Answer(Tabular):
    """What a release answers.

    As a table (``to_pandas()``, ``to_polars()``, ``to_arrow()``) it has a row for each group, with
    four columns for each figure: ``n`` is the estimate, ``n_low`` and ``n_high`` are its bounds,
    ``n_error`` is its standard error. ``COUNT(*) AS n`` gives a figure its name.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> stays = pa.table({"guest": [1, 2, 3, 4], "day": ["2024-05-01", "2024-05-02"] * 2})
    >>> release = an.publish(stays, an.Schema("guest", "day"), an.TimeGranularity(k=2),
    ...                      ledger=folder + "/ledger", to=folder + "/releases")
    >>> print(release.ask("SELECT COUNT(*)"))
    4 exactly
    >>> release.ask("SELECT day, COUNT(*) AS n GROUP BY day").to_pandas()
              day    n  n_low  n_high  n_error
    0  2024-05-01  2.0    2.0     2.0      0.0
    1  2024-05-02  2.0    2.0     2.0      0.0
    """

    question: str
    keys: tuple[str, ...]
    """What the answer is grouped by."""
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """Why it is wide, and what it speaks of."""
    titles: tuple[str, ...] = ()
    """What its figures are called."""

    @property
    def estimate(self) -> float | None:
        """The estimate, if the question asks for one number."""
        return self._only().estimate

    @property
    def low(self) -> float | None:
        """The smallest value it may have, if the question asks for one number."""
        return self._only().low

    @property
    def high(self) -> float | None:
        """The largest value it may have, if the question asks for one number."""
        return self._only().high

    @property
    def error(self) -> float | None:
        """The standard error, if the question asks for one number."""
        return self._only().error

    def _only(self) -> Figure:
        if self.keys or len(self.rows) != 1 or len(self.rows[0].figures) != 1:
            raise InputError("the answer has several numbers: look at its rows.")
        return self.rows[0].figures[0]

    def __str__(self) -> str:
        if self.keys:
            shown = self._shown()
            numeric = range(len(self.keys), len(shown[0]))
            lines = aligned(shown, numeric) if self.rows else [_NONE]
        elif len(self.rows[0].figures) == 1:
            lines = [str(self.rows[0].figures[0])]
        else:
            lines = [f"{figure.name}: {figure}" for figure in self.rows[0].figures]
        return "\n".join([*lines, *self.notes])

    def __repr__(self) -> str:
        return super().__repr__() if self.keys else str(self)

    def to_dict(self) -> dict[str, Any]:
        """Give the answer as plain values, for JSON."""
        return {
            "question": self.question,
            "keys": list(self.keys),
            "rows": [
                {
                    "keys": {n: _plain(k) for n, k in zip(self.keys, row.keys, strict=True)},
                    "figures": [figure.to_dict() for figure in row.figures],
                }
                for row in self.rows
            ],
            "notes": list(self.notes),
        }

    def to_arrow(self) -> pa.Table:
        """Give it as an Arrow table: a row for each group; what is no number or text, as text."""
        columns = [
            (name, _column([row.keys[at] for row in self.rows]))
            for at, name in enumerate(self.keys)
        ]
        for at, name in enumerate(self.titles):
            figures = [row.figures[at] for row in self.rows]
            for part, end in _PARTS.items():
                found = [getattr(figure, part) for figure in figures]
                columns.append((name + end, pa.array(found, pa.float64())))
        names = [name for name, _ in columns]
        if len(set(names)) < len(names):
            raise InputError(
                "two columns would have the same name. Give figures names of their own, as in "
                "COUNT(*) AS n."
            )
        return pa.table(dict(columns))

    def _sheet(self) -> Sheet:
        notes = self.notes if self.rows else (_NONE, *self.notes)
        head, *body = self._shown()
        return Sheet(self.question, head, body, range(len(self.keys), len(head)), notes)

    def _shown(self) -> list[list[str]]:
        """The rows as texts, under a row of titles."""
        columns = [
            [name, *(_key(row.keys[at]) for row in self.rows)] for at, name in enumerate(self.keys)
        ]
        for at, name in enumerate(self.titles):
            cells = [_cells(row.figures[at]) for row in self.rows]
            for part, title in enumerate((name, "between", _ERROR)):
                column = [some[part] for some in cells]
                # Where everything is certain, no error is spoken of.
                if title != _ERROR or any(column):
                    columns.append([title, *column])
        return [list(row) for row in zip(*columns, strict=True)]


def _column(keys: list[object]) -> pa.Array:
    """What an answer is grouped by, as it was published; other things as they are written."""
    plain = [_plain(key) for key in keys]
    kinds = {type(key) for key in plain if key is not None}
    if kinds <= {int, float} or len(kinds) == 1:
        return pa.array(plain)
    return pa.array([None if key is None else str(key) for key in plain], pa.string())


def _cells(figure: Figure) -> list[str]:
    if figure.estimate is None:
        return ["no value", "", ""]
    estimate = _number(figure.estimate, figure.whole)
    if figure.exact:
        # What is certain has no error to state.
        return [estimate, "exactly", ""]
    error = _NOT_KNOWN if figure.error is None else _brief(figure.error)
    return [estimate, _bounds(figure), error]


def _bounds(figure: Figure, word: str = "") -> str:
    low, high = figure.low, figure.high
    if low is None or high is None:
        if low is None and high is None:
            return "without bounds"
        side = "at most" if low is None else "at least"
        return f"{side} {_outwards(high if low is None else low, low is None, figure.whole)}"
    return f"{word}{_outwards(low, False, figure.whole)} and {_outwards(high, True, figure.whole)}"


def _number(value: float, whole: bool) -> str:
    """Counts to one decimal, others to four digits that matter."""
    places = 1 if whole else _places(value)
    return _trimmed(f"{value:,.{places}f}")


def _outwards(value: float | None, up: bool, whole: bool) -> str:
    """A bound, rounded so that it stays one."""
    if value is None:
        return ""
    scale = 10 ** (0 if whole else _places(value))
    rounded = (math.ceil if up else math.floor)(value * scale) / scale
    return _trimmed(f"{rounded:,.{0 if whole else _places(value)}f}")


def _places(value: float) -> int:
    if not value or value == round(value):
        return 0
    return min(max(0, 3 - math.floor(math.log10(abs(value)))), 12)


def _brief(value: float) -> str:
    """Two digits that matter."""
    if value >= 9.95 or not value:
        return f"{value:,.0f}"
    return _trimmed(f"{value:.{min(1 - math.floor(math.log10(value)), 12)}f}")


def _trimmed(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _key(value: object) -> str:
    return "(none)" if value is None else str(value)


def _plain(value: object) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
