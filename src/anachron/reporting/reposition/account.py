"""The account of a feed: every record that was pushed, once, as what it became."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.words import count, many, plural

__all__ = ["Account", "account"]

_KINDS = ("pushed", "published", "waiting", "left_out", "dropped", "refused")
_MOST = 31
"""So many snapshots are listed."""


@dataclass(frozen=True)
class Account:
    """The account as it was when the release was recorded; counts are of records."""

    total: tuple[int, ...]
    """Of each kind."""
    snapshots: tuple[tuple[str, tuple[int, ...]], ...]
    """The snapshots whose records this release, or what was pushed with it, made something of."""
    whole: bool
    """Whether it goes back to the first snapshot of the feed."""

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Account:
        """Read what the ledger keeps."""

        def counts(line: Mapping[str, Any]) -> tuple[int, ...]:
            return tuple(int(line[kind]) for kind in _KINDS)

        lines = tuple((str(one["snapshot"]), counts(one)) for one in told["snapshots"])
        return cls(counts(told["total"]), lines, told["begins"] is None)


def account(found: Account | None, unit: str) -> list[Markup]:
    """Lay the account open, snapshot by snapshot, for those that are not published as they came."""
    if found is None:
        return []
    listed = [(name, line) for name, line in found.snapshots if line[0] != line[1]]
    rows = [(name, *map(count, line)) for name, line in listed[:_MOST]]
    rows.append(("all that was pushed so far", *map(count, found.total)))
    head = (unit, *(kind.replace("_", " ") for kind in _KINDS))
    return [
        tag("h3", "What became of every record"),
        tag("p", _words(found, listed, unit)),
        table(head, rows, numeric=range(1, len(head))),
    ]


def _words(found: Account, listed: list[tuple[str, tuple[int, ...]]], unit: str) -> str:
    whole = len(found.snapshots) - len(listed)
    text = (
        "When this release was recorded. Waiting: may still be published. Left out: can no longer "
        "be. Dropped: came too late, or was one of several of a person. Refused: would narrow a "
        "known person down."
    )
    if whole:
        text += f" {plural(whole, unit, many(unit))} with all records published"
        text += " is not listed." if whole == 1 else " are not listed."
    if len(listed) > _MOST:
        text += f" Of {len(listed)} others the first {_MOST} are listed."
    if not found.whole:
        text += " The account begins in the middle of the feed: before, none was kept."
    return text
