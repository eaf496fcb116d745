"""Yardsticks that several methods have, each declared once."""

from __future__ import annotations

from anachron.exploring import rehearsal, temporal
from anachron.exploring.yardsticks import Yardstick

__all__ = ["ATTACK", "OF_TIME", "QUESTIONS", "UNIQUE"]

UNIQUE = Yardstick(
    "unique", "risk", "people alone by what is published", share=True, find=rehearsal.unique
)
ATTACK = Yardstick(
    "attack", "risk", "people exposed by the worst attack", share=True, find=rehearsal.attacked
)
QUESTIONS = Yardstick(
    "questions", "loss", "median error of random questions", share=True, find=rehearsal.asked
)
OF_TIME = (
    Yardstick(
        "windows", "loss", "median error of counts in windows", share=True, find=temporal.windows
    ),
    Yardstick("trends", "loss", "median error of trends", share=True, find=temporal.trends),
    Yardstick("weekdays", "loss", "error of weekdays", share=True, find=temporal.weekdays),
    Yardstick("lags", "loss", "error of autocorrelation", find=temporal.lags),
)
"""Losses of temporal questions."""
