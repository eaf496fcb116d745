"""What counts as one value and as one person, seen with eyes of its own.

Two spellings count as one if they differ only in capitals, width, blanks, invisible characters or
Unicode form, unless the release says that spelling is exact: then only blanks around a text and
its Unicode form do not count. Values are compared as numbers and moments, whatever their type.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anachron.arrays import Array, Codes
from anachron.auditing.reading.columns import is_number
from anachron.behind import Large, Microdata
from anachron.behind.folding import folded_names, spelled

__all__ = [
    "Names",
    "alike",
    "exact_of",
    "keys_of",
    "kinds_of",
    "names_of",
    "people_of",
    "places_in",
    "text_keys",
]

Names = tuple[Codes, int]
_NAMES: WeakKeyDictionary[Microdata, dict[bool, Names]] = WeakKeyDictionary()
"""What was found of a table, for as long as it is there: several checks ask."""
_EPOCH = datetime(1970, 1, 1)
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_DAY = 86400 * 10**9


def exact_of(ours: Mapping[str, Any]) -> bool:
    """Whether a release says that spelling is exact; ValueError if it says something else."""
    if ours.get("spelling", "exact") != "exact":
        raise ValueError
    return "spelling" in ours


def keys_of(values: pa.Array, *, exact: bool) -> list[Hashable]:
    """What values are compared by."""
    kind = values.type
    if pa.types.is_dictionary(kind):
        values, kind = values.dictionary_decode(), kind.value_type
    if pa.types.is_timestamp(kind):
        return _moments(values.cast(pa.int64()), _UNITS[kind.unit], "moment")
    if pa.types.is_date(kind):
        return _moments(values.cast(pa.date32()).cast(pa.int32()), _DAY, "moment")
    if pa.types.is_time(kind):
        width = pa.int32() if pa.types.is_time32(kind) else pa.int64()
        return _moments(values.cast(width), _UNITS[kind.unit], "clock")
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return [None if value is None else Fraction(value) for value in values.to_pylist()]
    return text_keys(values.cast(pa.string()).to_pylist(), kind, exact=exact)


def text_keys(texts: Sequence[str | None], kind: pa.DataType, *, exact: bool) -> list[Hashable]:
    """What texts are compared by that stand for values of a type."""
    read = _reader(kind)
    found: list[Hashable] = []
    for text in texts:
        try:
            found.append(None if text is None else read(text))
        except (ValueError, ArithmeticError):
            found.append(text)
    if read is not str:
        return found
    return [None if text is None else spelled(str(text), exact=exact) for text in found]


def kinds_of(domain: pa.Array, *, exact: bool) -> Array:
    """A number for each value of a domain, the same for those that count as one; and one more."""
    numbers: dict[Hashable, int] = {}
    kinds = [numbers.setdefault(key, len(numbers)) for key in keys_of(domain, exact=exact)]
    return np.array([*kinds, len(domain)], dtype=np.int64)


def places_in(domain: pa.Array, values: pa.Array, *, exact: bool) -> Array:
    """The place of each value among published ones; -1 where it is none of them."""
    try:
        same = pc.index_in(values.cast(domain.type), value_set=domain)
        place = np.asarray(same.fill_null(-1), dtype=np.int64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        place = np.full(len(values), -1, dtype=np.int64)
    strange = np.flatnonzero((place < 0) & np.asarray(values.is_valid()))
    if not len(strange):
        return place
    theirs, ours = _comparable(domain, values.take(pa.array(strange)), exact)
    known = {key: at for at, key in reversed(list(enumerate(theirs))) if key is not None}
    place[strange] = [known.get(key, -1) for key in ours]
    return place


def names_of(loaded: Microdata, *, exact: bool) -> Names:
    """A number for the person of each row, the same for all spellings; and how many there are."""
    known = _NAMES.setdefault(loaded, {})
    if exact not in known:
        known[exact] = _names_of(loaded, exact)
    return known[exact]


def _names_of(loaded: Microdata, exact: bool) -> Names:
    values = loaded.subject_values
    if pa.types.is_integer(values.type):
        return loaded.subject, len(values)
    names = folded_names(values, exact=exact)
    if names is values:
        return loaded.subject, len(values)
    people = pc.count_distinct(names).as_py()
    if people == len(values):
        return loaded.subject, people
    return names.dictionary_encode().indices.to_numpy()[loaded.subject], people


def people_of(loaded: Microdata | Large, *, exact: bool) -> int:
    """How many people there are, whatever the spelling of their names."""
    return (
        loaded.who.folded(exact=exact)[1]
        if isinstance(loaded, Large)
        else names_of(loaded, exact=exact)[1]
    )


def alike(one: pa.DataType, other: pa.DataType) -> bool:
    """Whether values of two types can be compared: both are texts, numbers, moments, …"""
    return _family(one) == _family(other)


def _family(kind: pa.DataType) -> str:
    families = {
        "number": (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal),
        "moment": (pa.types.is_timestamp, pa.types.is_date),
        "clock": (pa.types.is_time,),
        "text": (pa.types.is_string, pa.types.is_large_string),
        "bytes": (pa.types.is_binary, pa.types.is_large_binary),
    }
    found = (name for name, tests in families.items() if any(test(kind) for test in tests))
    return next(found, str(kind))


def _comparable(
    domain: pa.Array, values: pa.Array, exact: bool
) -> tuple[list[Hashable], list[Hashable]]:
    """Keys of two columns, of which one may be of texts that stand for values of the other."""
    theirs, ours = pa.types.is_string(domain.type), pa.types.is_string(values.type)
    if theirs and not ours:
        texts = text_keys(domain.to_pylist(), values.type, exact=exact)
        return texts, keys_of(values, exact=exact)
    if ours and not theirs:
        texts = text_keys(values.to_pylist(), domain.type, exact=exact)
        return keys_of(domain, exact=exact), texts
    return keys_of(domain, exact=exact), keys_of(values, exact=exact)


def _moments(numbers: pa.Array, unit: int, what: str) -> list[Hashable]:
    return [None if n is None else (what, n * unit) for n in numbers.to_pylist()]


def _reader(kind: pa.DataType) -> Any:
    if is_number(kind):
        return lambda text: Fraction(Decimal(text))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _moment
    return _clock if pa.types.is_time(kind) else str


def _moment(text: str) -> tuple[str, int]:
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    past = datetime.fromisoformat(seconds) - _EPOCH
    return "moment", (past.days * 86400 + past.seconds) * 10**9 + int(fraction.ljust(9, "0"))


def _clock(text: str) -> tuple[str, int]:
    return "clock", _moment(f"1970-01-01 {text}")[1]
