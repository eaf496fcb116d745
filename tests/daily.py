"""Of many cases of one test, those of every day; the others are played with ``-m campaign``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["daily"]


def daily(cases: Iterable[Any], *every_day: Any) -> list[Any]:
    """Mark all cases as long but those that are named, which must be among them.

    A case that is a tuple has a value for each of several arguments.
    """
    found = list(cases)
    assert set(every_day) <= set(found)
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if case in every_day else pytest.mark.campaign,
        )
        for case in found
    ]
