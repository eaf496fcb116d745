"""Names the moments at which a crash must do no harm."""

from __future__ import annotations

__all__ = ["reached"]


def reached(step: str) -> None:
    """Say that a step of something durable is about to happen, or has just happened.

    It does nothing. The crash tests put in its place a function that kills the process.
    """
