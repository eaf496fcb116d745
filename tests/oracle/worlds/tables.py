"""A table of one world, held in memory: what a method asks of one, without any engine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.engines.base import KEY, ROW, SUBJECT, TIME, quasi, sensitive
from anachron.engines.local.rows import LocalRows
from anachron.schema import Schema

__all__ = ["Held"]


class Held:
    """See :class:`anachron.engines.base.Table`."""

    notes: tuple[str, ...] = ()
    recorded_by = "day"
    given = None

    def __init__(
        self,
        schema: Schema,
        who: Sequence[str],
        columns: Mapping[str, Sequence[Any]],
        instants: Sequence[int] = (),
        keys: np.ndarray | None = None,
    ) -> None:
        self.schema, self._who, self._keys = schema, who, keys
        self._columns = {name: pa.array(column) for name, column in columns.items()}
        self.instants = np.array(instants, dtype=np.int64)
        self.rows, self.subjects = len(who), len(set(who))

    def forget(self) -> None:
        """What is small is kept."""

    @property
    def first(self) -> int:
        return int(self.instants.min())

    @property
    def last(self) -> int:
        return int(self.instants.max())

    @cached_property
    def _digest(self) -> str:
        content = [self._who, *(column.to_pylist() for column in self._columns.values())]
        return hashlib.sha256(repr((content, self.instants.tolist())).encode()).hexdigest()

    def digest(self) -> str:
        return self._digest

    def people(self) -> pa.Array:
        return pa.array(self._who).dictionary_encode()

    def column(self, name: str) -> pa.Array:
        return self._columns[name]

    def values(self, column: str) -> pa.Array:
        different = self._columns[column].unique()
        return different.take(pc.sort_indices(different))

    def codes(self, column: str) -> np.ndarray:
        found = pc.index_in(self._columns[column], self.values(column))
        return np.asarray(found.to_numpy(), dtype=np.int32)

    def held(self, secret: bytes | None = None) -> LocalRows:
        schema = self.schema
        return LocalRows.of(
            {
                ROW: np.arange(self.rows),
                SUBJECT: self.people(),
                TIME: self.instants,
                **{quasi(name): self.codes(name) for name in schema.quasi},
                **{sensitive(name): self._columns[name] for name in schema.sensitive},
                **({} if self._keys is None else {KEY: self._keys}),
            }
        )

    def series(self) -> np.ndarray:
        columns = [self._columns[name].to_numpy() for name in self.schema.series]
        return np.stack(columns, axis=1).astype(np.float64)

    @property
    def whole_series(self) -> bool:
        return all(pa.types.is_integer(self._columns[n].type) for n in self.schema.series)

    def close(self) -> None:
        pass
