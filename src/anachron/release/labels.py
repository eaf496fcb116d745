"""Labels of granules in the order of time, also where their text sorts otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from anachron.published.ways import Granules, Way

__all__ = ["in_time_order"]


def in_time_order(table: pa.Table, columns: Mapping[str, Way]) -> pa.Table:
    """Make labels ordered categories where ``morning`` would sort behind ``afternoon``."""
    for way in columns.values():
        if isinstance(way, Granules):
            label, start, _ = way.names
            if {label, start} <= set(table.column_names):
                table = _ordered(table, label, start)
    return table


def _ordered(table: pa.Table, label: str, start: str) -> pa.Table:
    granules = table.group_by([label, start]).aggregate([]).sort_by(start)
    names = granules[label].combine_chunks()
    if names.to_pylist() == sorted(names.to_pylist()):
        return table
    codes = pc.index_in(table[label].combine_chunks(), names)
    ordered = pa.DictionaryArray.from_arrays(codes, names, ordered=True)
    return table.set_column(table.column_names.index(label), label, ordered)
