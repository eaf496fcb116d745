"""Times written in a way that the schema spells out, read by DuckDB."""

from __future__ import annotations

import re

from anachron.source.base import literal

__all__ = ["format_pattern", "format_sql"]

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_CELLS = {
    "Y": "[0-9]{4}",
    "m": "(0?[1-9]|1[0-2])",
    "d": "(0?[1-9]|[12][0-9]|3[01])",
    "H": "([01]?[0-9]|2[0-3])",
    "I": "(0?[1-9]|1[0-2])",
    "p": "(?i:[ap]m)",
    "M": "[0-5][0-9]",
    "S": "[0-5][0-9]",
    "f": "[0-9]{1,6}",
    "b": f"(?i:{'|'.join(month[:3] for month in _MONTHS)})",
    "B": f"(?i:{'|'.join(_MONTHS)})",
    "z": "[+-][0-9]{2}:?[0-9]{2}",
    "%": "%",
}
"""What stands in a cell for each sign of a format."""


def format_pattern(time_format: str) -> str:
    """The regular expression of the cells that are written so."""
    parts = re.split(r"%(.)", time_format)
    texts = [re.escape(text) for text in parts[::2]]
    signs = [*(_CELLS[sign] for sign in parts[1::2]), ""]
    return "".join(text + sign for text, sign in zip(texts, signs, strict=True))


def format_sql(name: str, time_format: str) -> str:
    """SQL for the microseconds of a text that is written so, on the clock that it tells."""
    return f"epoch_us(try_strptime(CAST({name} AS VARCHAR), {literal(time_format)}))"
