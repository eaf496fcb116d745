"""Paths as a person would type them."""

from __future__ import annotations

import shlex
from pathlib import Path

__all__ = ["shown"]


def shown(path: Path) -> str:
    """Write a path from the current folder if it lies there, quoted for a shell."""
    here = Path.cwd()
    place = path if path.is_absolute() else here / path
    return shlex.quote(str(place.relative_to(here) if place.is_relative_to(here) else path))
