"""The records behind a release of a feed whose table is not held: they are put aside in parts.

Each part has the records that happened in some snapshots; those of other releases are parted by
their people. First it is looked where each is published, and those that are published in a
snapshot of another part are put aside once more, with those of that part. Then the records of
each part are laid against what is published there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from anachron.arrays import Array, Flags, Words
from anachron.auditing.evidence.digests import find
from anachron.auditing.evidence.feed import UNKNOWN, FeedState
from anachron.auditing.evidence.placed import Placed, Some, placed, some_of
from anachron.auditing.evidence.records import (
    RecordColumn,
    Records,
    behind,
    homes_of,
    one_type,
    planned_ones,
    waiting_of,
)
from anachron.auditing.history import FeedPast
from anachron.auditing.reading.columns import coded, plain_zero_values, whole
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.pieces import Published
from anachron.behind import Large, Passing
from anachron.behind.dealt import Dealt, dealt, ways

__all__ = ["DealtRecords", "dealt_records"]

_QUASI = "quasi {}"


@dataclass(frozen=True, eq=False)
class DealtRecords:
    """See :class:`anachron.auditing.evidence.placed.PlacedRecords`: they lie on a disk."""

    source: _Source
    parts: Dealt
    """By when they happened: so many parts as pieces are published, and more for all others."""
    arrived: Dealt | None
    """Those that are published in another part; None if there are none."""
    dropped: bool | None
    earlier: bool
    ended: bool

    def pieces(self) -> Iterator[Some]:
        """See :class:`anachron.auditing.evidence.placed.PlacedRecords`."""
        for part in range(self.source.pieces):
            yield self._some(part)

    def others(self) -> Iterator[Some]:
        """See :class:`anachron.auditing.evidence.placed.PlacedRecords`."""
        for part in range(self.source.pieces, len(self.parts)):
            if self.source.any_in(part, self.parts):
                yield self._some(part)

    def _some(self, part: int) -> Some:
        records, who = self.source.records(part, self.parts)
        at = placed(records, self.source.state)
        at_home = np.ones(len(records), dtype=bool)
        if part < self.source.pieces and self.arrived is not None and self.arrived.rows[part]:
            there = at.there
            records, at = self._with_arrived(part, records, who, at)
            at_home = np.arange(len(records)) < len(there)
        return some_of(records, at, at_home, self.source.part_of(at.there) == part)

    def _with_arrived(
        self, part: int, records: Records, who: pa.Array, at: Placed
    ) -> tuple[Records, Placed]:
        assert self.arrived is not None  # noqa: S101  # asked before
        rows = self.arrived.read(part)
        more, others = self.source.of_rows(rows, self.source.joint_quasi)
        none = np.full(len(more), -1, dtype=np.int64)
        return self.source.behind(records, who, more, others), Placed(
            np.concatenate([at.there, rows["there"].to_numpy()]),
            np.concatenate([at.listed, none]),
            np.concatenate([at.missing, none >= 0]),
        )


def dealt_records(
    form: Feed, state: FeedState, history: FeedPast, published: Published, table: Large
) -> DealtRecords | None:
    """Put all records aside; None if what was waiting does not have the form of a memory."""
    source = _Source.of(form, state, history, published, table)
    if source is None:
        return None
    parts = source.dealt()
    return source.looked_at(parts)


@dataclass(frozen=True, eq=False)
class _Source:
    """What must be known to put records aside, and to read them again."""

    form: Feed
    state: FeedState
    history: FeedPast
    table: Large
    ends: Array
    """The position after the last of each piece but the last."""
    waiting: Records | None
    known: Words
    """The keys of those, ascending."""
    listed: Words | None
    """Those that came late and were dropped, if there is a list of them."""

    @classmethod
    def of(
        cls,
        form: Feed,
        state: FeedState,
        history: FeedPast,
        published: Published,
        table: Large,
    ) -> _Source | None:
        waiting = None
        if history.waiting is not None and len(history.waiting):
            waiting = waiting_of(form, history.waiting)
            if waiting is None:
                return None
        known = np.zeros((0, 2), dtype=np.uint64)
        if waiting is not None:
            known = waiting.key[np.lexsort((waiting.key[:, 1], waiting.key[:, 0]))]
        books = history.books if history.waiting is None else None
        listed = None if books is None else books.dropped
        ends = np.searchsorted(state.start, published.begins[1:]) - state.first
        return cls(form, state, history, table, ends, waiting, known, listed)

    @property
    def pieces(self) -> int:
        """How many parts are laid against what is published."""
        return len(self.ends) + 1

    @cached_property
    def others(self) -> int:
        """How many parts have the records of other releases."""
        return ways(self.table.rows, self.table.at_once)

    @property
    def keyed(self) -> bool:
        """Whether records must be recognised."""
        several = self.form.promise.repeated == "one"
        return several or bool(len(self.state.key) or len(self.known) or self.listed is not None)

    def part_of(self, position: Array) -> Array:
        """The part of each position; -1 for those that are in no snapshot of the release."""
        found = np.searchsorted(self.ends, position, side="right")
        return np.where((position >= 0) & (position < self.state.size), found, -1)

    def dealt(self) -> Dealt:
        """Let the rows of the table pass, and put them into parts."""
        parts = self.pieces + self.others
        at_once = self.table.at_once
        return dealt(self._passing(), self._kinds(), parts, self.table.aside, at_once)

    def _kinds(self) -> pa.Schema:
        quasi = {_QUASI.format(name): pa.int32() for name in self.form.names}
        keys = {"high": pa.uint64(), "low": pa.uint64()} if self.keyed else {}
        value = self.table.sensitive_schema.field(0).type
        return pa.schema(
            {"home": pa.int64(), **keys, "who": self._who, "value": value, **quasi}.items()
        )

    @property
    def _who(self) -> pa.DataType:
        # Who waits is known by a digest alone, so all are, then.
        return self.table.names_kind if self.waiting is None else pa.binary(32)

    def _passing(self) -> Iterator[tuple[Array, pa.Table]]:
        secret = self.history.secret if self.keyed else None
        for rows in self.table.passing(secret):
            found = self._columns(rows)
            yield self._part(found["home"], found["who"]), pa.table(found)

    def _columns(self, rows: Passing) -> dict[str, Array | pa.Array]:
        home = homes_of(rows.instants, self.state.start, self.state.end)
        home = np.where(home == UNKNOWN, UNKNOWN, home - self.state.first)
        who = rows.names if self.waiting is None else self.history.pseudonyms(rows.names)
        keys = {} if rows.keys is None else {"high": rows.keys[:, 0], "low": rows.keys[:, 1]}
        quasi = {_QUASI.format(name): rows.quasi[name].codes for name in self.form.names}
        return {"home": home, **keys, "who": who, "value": rows.sensitive.column(0), **quasi}

    def _part(self, home: Array, who: pa.Array) -> Array:
        """The part of each record: those of other releases are parted by their people."""
        found = self.part_of(home)
        others = np.flatnonzero(found < 0)
        if len(others):
            hashes = self.table.hashes(who.take(pa.array(others)))
            found[others] = self.pieces + (hashes % np.uint64(self.others)).astype(np.int64)
        return found

    @cached_property
    def _waits(self) -> tuple[Array, pa.Array]:
        """The part of each record that waits, and whose it is."""
        if self.waiting is None or self.history.waiting is None:
            return np.zeros(0, dtype=np.int64), pa.array([], self._who)
        who = self.history.waiting["subject"].combine_chunks().cast(self._who)
        return self._part(self.waiting.home, who), who

    def any_in(self, part: int, parts: Dealt) -> bool:
        """Whether a part has records."""
        return bool(parts.rows[part] or (self._waits[0] == part).any())

    def records(self, part: int, parts: Dealt) -> tuple[Records, pa.Array]:
        """The records of a part, and whose each is."""
        found, who = self.of_rows(parts.read(part), self.own_quasi)
        waits: Flags = np.zeros(len(found), dtype=bool)
        if len(self.known):
            new = np.flatnonzero(find(found.key, self.known) < 0)
            found, who = found.take(new), who.take(pa.array(new))
        if self.waiting is not None:
            here = np.flatnonzero(self._waits[0] == part)
            mine = self._waits[1].take(pa.array(here))
            found = self.behind(self.waiting.take(here), mine, found, who)
            who = pa.concat_arrays([mine, who])
            waits = np.arange(len(found)) < len(here)
        elif self.listed is not None:
            found = replace(found, dropped=find(found.key, self.listed) >= 0)
        if self.form.promise.repeated == "one":
            kept = planned_ones(found, waits)
            found, who = found.take(kept), who.take(pa.array(kept))
        return found, who

    def behind(self, some: Records, theirs: pa.Array, more: Records, others: pa.Array) -> Records:
        """Lay more records behind some, and number their people anew."""
        return replace(behind(some, more), person=_numbered(pa.concat_arrays([theirs, others])))

    def of_rows(self, rows: pa.Table, quasi: Sequence[pa.Array]) -> tuple[Records, pa.Array]:
        """Rows that lay aside as records, and whose each is."""
        who, value = rows["who"].combine_chunks(), coded(rows["value"])
        keys = np.zeros((len(rows), 2), dtype=np.uint64)
        if "high" in rows.column_names:
            keys = np.stack([rows["high"].to_numpy(), rows["low"].to_numpy()], axis=1)
        found = Records(
            home=rows["home"].to_numpy(),
            key=keys,
            person=_numbered(who),
            value=RecordColumn(whole(value.indices, -1), value.dictionary),
            quasi=tuple(
                RecordColumn(rows[_QUASI.format(name)].to_numpy(), values)
                for name, values in zip(self.form.names, quasi, strict=True)
            ),
            dropped=np.asarray(rows["dropped"]) if "dropped" in rows.column_names else None,
        )
        return found, who

    @cached_property
    def own_quasi(self) -> list[pa.Array]:
        """What the codes of quasi columns stand for in rows of the table,"""
        return [plain_zero_values(self.table.values[name]) for name in self.form.names]

    @cached_property
    def joint_quasi(self) -> list[pa.Array]:
        """and in records of both the table and what was waiting."""
        if self.waiting is None:
            return self.own_quasi
        pairs = zip(self.waiting.quasi, self.own_quasi, strict=True)
        return [one_type(theirs.values, ours) for theirs, ours in pairs]

    def looked_at(self, parts: Dealt) -> DealtRecords:
        """Look where records are published, and put aside those of other parts."""
        seen = _Outline(self.state.size)
        if not self.keyed:
            for part in range(self.pieces, len(parts)):
                seen.look(self.records(part, parts)[0])
            return DealtRecords(self, parts, None, None, seen.earlier, not seen.later)
        kinds = self._kinds()
        value = pa.array([], kinds.field("value").type)
        if self.waiting is not None:
            value = one_type(self.waiting.value.values, value)
        kinds = kinds.set(kinds.get_field_index("value"), pa.field("value", value.type))
        kinds = kinds.append(pa.field("there", pa.int64()))
        if self.listed is not None:
            kinds = kinds.append(pa.field("dropped", pa.bool_()))
        moved = self._moved(parts, seen)
        at_once = self.table.at_once
        arrived = dealt(moved, kinds, self.pieces, self.table.aside, at_once)
        dropped = None if self.listed is None else seen.dropped
        return DealtRecords(self, parts, arrived, dropped, seen.earlier, not seen.later)

    def _moved(self, parts: Dealt, seen: _Outline) -> Iterator[tuple[Array, pa.Table]]:
        """The records of each part that are published in another, and in which."""
        for part in range(len(parts)):
            records, who = self.records(part, parts)
            seen.look(records)
            there = placed(records, self.state).there
            to = self.part_of(there)
            rows = np.flatnonzero((to >= 0) & (to != part))
            some = records.take(rows)
            value = some.value.values.take(pa.array(some.value.codes, mask=some.value.codes < 0))
            columns = {
                "home": some.home,
                "high": some.key[:, 0],
                "low": some.key[:, 1],
                "who": who.take(pa.array(rows)),
                "value": value,
                "there": there[rows],
            }
            for name, column in zip(self.form.names, some.quasi, strict=True):
                columns[_QUASI.format(name)] = column.codes
            if some.dropped is not None:
                columns["dropped"] = some.dropped
            yield to[rows], pa.table(columns)


@dataclass
class _Outline:
    """What was seen of all records."""

    size: int
    dropped: bool = False
    earlier: bool = False
    later: bool = False

    def look(self, records: Records) -> None:
        """Look at some more of them."""
        self.earlier |= bool((records.home < 0).any())
        self.later |= bool((records.home >= self.size).any())
        self.dropped |= records.dropped is not None and bool(records.dropped.any())


def _numbered(who: pa.Array) -> Array:
    return whole(who.dictionary_encode().indices, -1)
