"""Small parts: so that a few rows are a release of many files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["of_rows", "parts_of_rows"]


def of_rows(patch: pytest.MonkeyPatch, rows: int, group: int | None = None) -> None:
    """Let parts have so few rows, for those who publish and for the audit, which has own eyes."""
    patch.setattr("anachron.release.parts.PART_ROWS", rows)
    patch.setattr("anachron.auditing.reading.parts.PART_ROWS", rows)
    if group is not None:
        assert rows % group == 0, "a part is of whole row groups, as in all releases"
        patch.setattr("anachron.release.parts.GROUP_ROWS", group)


@contextmanager
def parts_of_rows(rows: int, group: int | None = None) -> Iterator[None]:
    """The same for a while."""
    with pytest.MonkeyPatch.context() as patch:
        of_rows(patch, rows, group)
        yield
