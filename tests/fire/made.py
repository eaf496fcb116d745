"""What a class of malformed tables makes: where the table lies, and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

__all__ = ["Class", "Made", "put"]


@dataclass(frozen=True)
class Made:
    """A table that may be malformed."""

    table: str
    """As a plan names it."""
    options: dict[str, Any] = field(default_factory=dict)
    plan: bytes | None = None
    """The whole plan, if it is the plan that is malformed."""
    given: Callable[[], object] | None = None
    """What makes the table in memory, if it is given in Python."""


Class = Callable[[Random, Path], Made]


def put(folder: Path, name: str, content: bytes | str, **options: Any) -> Made:
    """Write a file, and name it."""
    text = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    (folder / name).write_bytes(text)
    return Made(name, options)
