"""Plans: what to publish, what to promise and where to put it, in one small TOML file.

``sections`` says which keys a plan has, as far as schema and promise do not say it themselves;
``read`` turns a file into a :class:`Plan` and lists everything that is wrong with it, ``write``
turns a plan into a file again.
"""

from __future__ import annotations

from anachron.plan.plan import Plan
from anachron.plan.source import Source

__all__ = ["Plan", "Source"]
