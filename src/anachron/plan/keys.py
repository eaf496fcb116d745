"""What every section of a plan file is made of: keys, what each may hold, what it means."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Moment", "Number", "Section", "SpanOfTime", "Text", "each", "expects", "key"]

Text = Annotated[str, Field(min_length=1)]
Number = int | float | str
Moment = datetime | date | str
SpanOfTime = Annotated[list[Moment], Field(min_length=2, max_length=3)]


class Section(BaseModel):
    """One table of a plan file."""

    # Strict: 5 is not "5". Unknown keys are refused: a misspelt one must not be ignored.
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def key(expected: str, meaning: str, default: Any = ..., *, each: str | None = None) -> Any:
    """Define a key; ``each`` says what each entry holds if the key is a table."""
    says = {"expects": expected, "each": each or expected}
    return Field(default, description=meaning, json_schema_extra=cast(Any, says))


def expects(model: type[Section], key: str) -> str:
    """What a key may hold, in plain words."""
    return _said(model, key)["expects"]


def each(model: type[Section], key: str) -> str:
    """What an entry of a key may hold that is a table, in plain words."""
    return _said(model, key)["each"]


def _said(model: type[Section], key: str) -> dict[str, str]:
    return cast(dict[str, str], model.model_fields[key].json_schema_extra)
