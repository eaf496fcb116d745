"""What trying gives back: one row for each answer of each setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anachron.guarantees import Guarantee
from anachron.tabular import Tabular
from anachron.trying.figures import Figures, figures_of
from anachron.trying.show import as_html, as_text, plain

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Trial", "Tried"]


@dataclass(frozen=True)
class Tried:
    """One minimal answer of a setting; or that it cannot be kept, and why."""

    setting: Mapping[str, Any]
    """The parts of the promise that were tried."""
    guarantee: Guarantee | None
    """The promise to publish with; None if the parts do not fit together."""
    own: bool
    """Whether it is the plan's own setting."""
    chosen: bool
    """Whether this is the answer that would be published."""
    figures: Figures | None
    """Risks and costs; None if the setting cannot be kept."""
    reason: str = ""
    """Why it cannot be kept."""

    @property
    def kept(self) -> bool:
        """Whether the promise can be kept."""
        return self.figures is not None


@dataclass(frozen=True, repr=False)
class Trial(Tabular):
    """Risk and cost of settings that were tried, and of which nothing was written.

    Made by :func:`anachron.trial`, for the owner of the table alone: it tells what no release does.
    ``rows`` are typed; :meth:`to_pandas`, :meth:`to_polars` and :meth:`to_arrow` give a table.

    Example
    -------
    >>> import anachron as an, pyarrow as pa
    >>> days = pa.table({"who": [1, 2, 3, 4], "day": ["2024-05-01", "2024-05-02"] * 2})
    >>> promise = an.TimeGranularity(k=2, granularities=["day", "month"])
    >>> plan = an.Plan("days.csv", an.Schema(subject="who", time="day"), promise)
    >>> tried = an.trial(plan, {"k": [2, 3, 5]}, table=days)
    >>> [(row.setting["k"], row.kept) for row in tried if row.chosen or not row.kept]
    [(2, True), (3, True), (5, False)]
    >>> tried.rows[0].figures.smallest_group
    2
    """

    method: str
    kind: type[Figures]
    """What the figures of this method are."""
    parts: tuple[str, ...]
    """The parts of the promise that were tried."""
    rows: tuple[Tried, ...]
    table_rows: int
    people: int
    basis: tuple[str, ...]
    """What the figures rest on: whether the past was taken into account, and how lots fell."""

    def __iter__(self) -> Iterator[Tried]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def kept(self) -> bool:
        """Whether the plan's own setting can be kept."""
        return any(row.own and row.kept for row in self.rows)

    @property
    def title(self) -> str:
        """What was tried, in a line."""
        settings = len({id(row.setting) for row in self.rows})
        many = "1 setting" if settings == 1 else f"{settings:,} settings"
        return (
            f"Trial of {many} of {self.method}: {self.table_rows:,} rows of {self.people:,} people"
        )

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Give all rows as plain values."""
        return {
            "method": self.method,
            "rows": self.table_rows,
            "people": self.people,
            "kept": self.kept,
            "basis": list(self.basis),
            "tried": self._records(),
        }

    def to_arrow(self) -> pa.Table:
        """Give a table of Arrow: a column for each part that was tried, and for each figure."""
        import pyarrow as pa

        records = self._records()
        names = list(records[0])
        return pa.table({name: pa.array([row[name] for row in records]) for name in names})

    def _records(self) -> list[dict[str, Any]]:
        nothing = dict.fromkeys(figures_of(self.kind))
        return [
            {
                **{name: plain(row.setting[name]) for name in self.parts},
                "own": row.own,
                "kept": row.kept,
                "chosen": row.chosen,
                **(nothing if row.figures is None else row.figures.to_dict()),
                "reason": row.reason or None,
            }
            for row in self.rows
        ]
