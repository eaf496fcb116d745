"""Sort out the rows of a push: what is new, what was pushed before, and what comes late."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.base import Table
from anachron.errors import AlreadyPublished, Problem, TableError
from anachron.guarantees import Reposition
from anachron.kernels.programs import get_ready
from anachron.methods.outcome import Past
from anachron.methods.reposition.eligible import Array
from anachron.methods.reposition.memory import Memory
from anachron.methods.reposition.timeline import Timeline
from anachron.methods.values import kind_to_text

__all__ = ["Arrivals", "arrivals"]

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The rows of a push that are to be planned."""

    rows: Array
    """Their places in the table."""
    home: Array
    value: Array
    key: Keys
    values: tuple[str, ...]
    """All values of the feed by code, those that are new among them."""
    kind: str
    content: Mapping[int, str]
    """For each new snapshot, by position, a digest of its records."""
    repeated: tuple[int, ...]
    """Positions of snapshots that were pushed before, with the same records."""
    more: bool
    """Whether there are rows of later snapshots, which were not asked for."""
    late: int
    """Rows that come too late for their snapshot and are dropped."""
    doubles: int
    """Rows left out because their person has another in the same snapshot."""


def arrivals(
    table: Table,
    promise: Reposition,
    memory: Memory,
    time: Timeline,
    past: Past,
    until: int | None = None,
) -> Arrivals:
    """Look at the rows of a push; of those after position ``until``, only that there are some."""
    if promise.then != "anatomy":
        _check_filled(table)
    secret = past.secret("feed")
    with ThreadPoolExecutor(max_workers=1) as beside:
        # The engine hashes rows on its own threads, which leaves time for all that needs no hash.
        hashed = beside.submit(table.row_keys, secret)
        home = time.positions(table.instants, table.schema.time)
        code, values, kind = _coded(table, memory)
        if promise.solver == "rolling" or promise.first == "exact":
            get_ready()
        keys = hashed.result()
    content = _content(home, keys[:, 1])
    known = {
        int(p): memory.pushed[int(at)].content
        for p, at in zip(content, time.bounds(np.array(list(content)))[0], strict=True)
        if int(at) in memory.pushed
    }
    repeated = tuple(p for p in content if known.get(p) == content[p])
    wanted = ~np.isin(home, repeated)
    behind = wanted & (home < memory.window.next)
    if behind.any():
        _check_late(promise, table, np.flatnonzero(behind), known.keys() & set(home[behind]))
    gone = behind & ((home < memory.window.start) | (promise.late == "drop"))
    later = np.zeros(len(home), dtype=bool) if until is None else home > until
    rows = np.flatnonzero(wanted & ~gone & ~later)
    rows, doubles = _one_each(table, promise, rows, home, keys[:, 0])
    if len(rows) < len(home):
        home, code, keys = home[rows], code[rows], keys[rows]
    return Arrivals(
        rows,
        home,
        code,
        keys,
        values,
        kind,
        {
            p: text
            for p, text in content.items()
            if p >= memory.window.next and (until is None or p <= until)
        },
        repeated,
        bool(later.any()),
        int(gone.sum()),
        doubles,
    )


def _check_filled(table: Table) -> None:
    """An interval cannot hold a value that is missing."""
    problems = [
        Problem(
            f"is empty in {int(table.frequencies(column)[-1]):,} rows.",
            column=column,
            row=int(np.argmax(table.codes(column) == len(table.values(column)) - 1)) + 1,
            remedy='Fill it in, or leave those rows out. A new feed with then = "anatomy" '
            "takes them.",
        )
        for column in table.schema.quasi
        if table.values(column).null_count
    ]
    if problems:
        raise TableError(problems)


def _content(home: Array, keys: Keys) -> dict[int, str]:
    """A digest of each snapshot: how many records, and the sum of their keyed hashes."""
    first = int(home.min())
    count = np.bincount(home - first)
    sums = np.zeros(len(count), dtype=np.uint64)
    np.add.at(sums, home - first, keys)
    return {first + int(i): f"{int(count[i])}:{int(sums[i]):016x}" for i in np.flatnonzero(count)}


def _check_late(promise: Reposition, table: Table, rows: Array, again: set[int]) -> None:
    if promise.late != "refuse":
        return
    if again:
        raise AlreadyPublished(
            f"{len(again):,} snapshots of this push were pushed before, with other records. What "
            "was planned with the first must not be planned again with the second. Push each "
            'snapshot once, when it is complete; or let late records join, with late = "recycle".'
        )
    raise TableError(
        Problem(
            f"lies before the last snapshot that was pushed ({len(rows):,} such rows).",
            column=table.schema.time,
            row=int(rows[0]) + 1,
            remedy='Push snapshots in order; or set late to "recycle" or "drop".',
        )
    )


def _one_each(
    table: Table,
    promise: Reposition,
    rows: Array,
    home: Array,
    rank: Keys,
) -> tuple[Array, int]:
    """Keep one record of each person in a snapshot."""
    if table.subjects == table.rows:
        return rows, 0
    people = np.asarray(table.people().indices.to_numpy(), dtype=np.int64)
    order = rows[np.lexsort((rank[rows], people[rows], home[rows]))]
    again = np.zeros(len(order), dtype=bool)
    again[1:] = (home[order[1:]] == home[order[:-1]]) & (people[order[1:]] == people[order[:-1]])
    if again.any() and promise.repeated == "refuse":
        raise TableError(
            Problem(
                f"holds a person who is in the same snapshot twice ({int(again.sum()):,} rows).",
                column=table.schema.subject,
                row=int(order[again].min()) + 1,
                remedy='A snapshot has one record of each person. Set repeated to "one" to '
                "publish one of them, or choose shorter snapshots for a new feed.",
            )
        )
    return np.sort(order[~again]), int(again.sum())


def _coded(table: Table, memory: Memory) -> tuple[Array, tuple[str, ...], str]:
    """The code of each row's sensitive value, and what all codes stand for."""
    name = table.schema.sensitive[0]
    column = table.column(name)
    if column.null_count:
        missing = np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))
        raise TableError(
            Problem(
                f"is empty in {len(missing):,} rows.",
                column=name,
                row=int(missing[0]) + 1,
                remedy="Fill it in, or leave those rows out.",
            )
        )
    kind = kind_to_text(column.type)
    if memory.kind and kind != memory.kind:
        raise TableError(
            Problem(
                "has another type than in the snapshots before.",
                column=name,
                remedy="Give every snapshot in the same format.",
            )
        )
    coded = column.dictionary_encode()
    texts = coded.dictionary.cast(pa.string())
    values = (*memory.values, *sorted(set(texts.to_pylist()) - set(memory.values)))
    place = np.asarray(pc.index_in(texts, pa.array(values, pa.string())).to_numpy(), dtype=np.int64)
    return place[coded.indices.to_numpy()], values, kind
