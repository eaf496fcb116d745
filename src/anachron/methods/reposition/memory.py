"""What the ledger remembers of a feed between two pushes, as one table.

The rows are the records that wait to be published, each with its pseudonym, home, value code,
rank and quasi values. Behind them are the pseudonyms of people who are never published any more,
if there are any (:mod:`anachron.methods.reposition.barred`). All else is in the table's metadata:
the window as it is planned, the values that the codes stand for, which snapshots were pushed and
what they held, the last snapshot, and the account of all records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from anachron.arrays import Words
from anachron.methods.reposition.account import Account
from anachron.methods.reposition.barred import Barred
from anachron.methods.reposition.records import NOBODY
from anachron.methods.reposition.window import Window

__all__ = ["FeedMemory", "Pushed", "from_table", "to_table"]

_KEY = b"anachron"


@dataclass(frozen=True)
class Pushed:
    """A lot that was pushed: a snapshot, or records that came late for it."""

    content: str
    """A keyed digest of its records."""
    releases: tuple[int, ...] = ()
    """Those that became due with it, and with the empty snapshots before it."""


@dataclass(frozen=True, eq=False)
class FeedMemory:
    """A feed between two pushes."""

    plan: Mapping[str, Any]
    """Schema and guarantee, as of the last push."""
    window: Window = field(default_factory=Window)
    values: tuple[str, ...] = ()
    """The sensitive values by their code. A value keeps its code for ever."""
    arrived: tuple[int, ...] = ()
    """How many records of each value arrived so far, by code."""
    kind: str = ""
    """The type of the sensitive column, as text."""
    opens: int = 0
    """The first instant of the first snapshot that is not published."""
    last: int = 0
    """The first instant of the last snapshot that was pushed."""
    pushed: Mapping[int, tuple[Pushed, ...]] = field(default_factory=dict)
    """All lots of a snapshot, by its first instant."""
    passing: tuple[int, ...] = ()
    """Releases that became due with empty snapshots, on the way to the next lot."""
    ending: int | None = None
    """The number that the first release of the end has, or would have; None before the end."""
    ended: int | None = None
    """The same, once nothing is left to publish."""
    dropped: Words = field(default_factory=lambda: np.zeros((0, 2), np.uint64))
    """The keys of rows that came late and are not planned: too late, or one of several of a person.
    Who pushes them again pushes nothing new."""
    account: Account = field(default_factory=Account)
    barred: Barred = field(default_factory=Barred)
    """Of an m-invariant feed: the people who were left out of it."""
    waiting: pa.Table | None = None


def to_table(memory: FeedMemory) -> pa.Table:
    """Write a memory."""
    waiting = memory.waiting
    if waiting is None:
        waiting = pa.table({"subject": NOBODY})
    notes: dict[str, Any] = {
        "plan": memory.plan,
        "window": {name: array.tolist() for name, array in memory.window.to_arrays().items()},
        "values": memory.values,
        "arrived": memory.arrived,
        "kind": memory.kind,
        "opens": memory.opens,
        "last": memory.last,
        "pushed": [
            [at, lot.content, lot.releases] for at, p in sorted(memory.pushed.items()) for lot in p
        ],
        "passing": memory.passing,
        "ending": memory.ending,
        "ended": memory.ended,
        "dropped": memory.dropped.astype(">u8").tobytes().hex(),
        "account": memory.account.to_dict(),
    }
    if not isinstance(memory.plan["guarantee"]["then"], str):
        notes["barred"] = {"begins": memory.barred.begins}
    return memory.barred.laid_behind(waiting).replace_schema_metadata({_KEY: json.dumps(notes)})


def from_table(table: pa.Table) -> FeedMemory:
    """Read back what :func:`to_table` wrote."""
    notes = json.loads(table.schema.metadata[_KEY])
    widths = {"clock": (-1,), "strands": (-1, 2)}
    arrays = {
        name: np.array(rows, dtype=np.int64).reshape(widths.get(name, (-1, 3)))
        for name, rows in notes["window"].items()
    }
    barred, waiting = Barred.parted(table.replace_schema_metadata(None), _barred_since(notes))
    return FeedMemory(
        plan=notes["plan"],
        window=Window.from_arrays(arrays),
        values=tuple(notes["values"]),
        arrived=tuple(notes["arrived"]),
        kind=notes["kind"],
        opens=notes["opens"],
        last=notes["last"],
        pushed=_lots(notes["pushed"]),
        passing=tuple(notes.get("passing", ())),
        ending=notes.get("ending", notes["ended"]),
        ended=notes["ended"],
        dropped=np.frombuffer(bytes.fromhex(notes.get("dropped", "")), ">u8")
        .reshape(-1, 2)
        .astype(np.uint64),
        account=_account(notes),
        barred=barred,
        waiting=waiting if len(waiting) else None,
    )


def _account(notes: Mapping[str, Any]) -> Account:
    """Read the account; ledgers of before there was one begin it with the next snapshot."""
    if "account" in notes:
        return Account.from_dict(notes["account"])
    return Account(begins=notes["last"] + 1)


def _barred_since(notes: Mapping[str, Any]) -> int | None:
    """From when on people are barred: of ledgers of before that, from the next snapshot on."""
    if "barred" in notes:
        begins: int | None = notes["barred"]["begins"]
        return begins
    return notes["last"] + 1 if notes["pushed"] else None


def _lots(rows: list[tuple[int, str, list[int] | int]]) -> dict[int, tuple[Pushed, ...]]:
    lots: dict[int, tuple[Pushed, ...]] = {}
    for at, content, due in rows:
        # Ledgers of before there were lots have one number, 0 for none.
        releases = tuple(due) if isinstance(due, list) else (due,) if due else ()
        lots[at] = (*lots.get(at, ()), Pushed(content, releases))
    return lots
