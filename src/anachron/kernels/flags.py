"""What is known of a row and a condition, a bit each."""

from __future__ import annotations

__all__ = ["CERTAIN", "MAY", "MAY_ON_TIME", "MUST", "MUST_ON_TIME"]

MAY, MUST = 1, 2
MAY_ON_TIME, MUST_ON_TIME = 4, 8
"""The same, if the row happened when it is published."""
CERTAIN = 15
