"""Which engine holds the rows: that of this process, or Spark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from anachron.errors import PlanError
from anachron.parts.kinds import one_of
from anachron.parts.part import Kind, Plain, Reading, part
from anachron.parts.shapes import Holds, Text

__all__ = ["Engine", "engine_of"]

Name = Literal["local", "spark"]
"""The engines there are."""


def _place(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given.isprintable() or given != given.strip():
        raise PlanError(f"{name} must be the address of a master or of a server, as a text.")
    if "token=" in given or "@" in given:
        # Plans are shown, kept and handed on.
        raise PlanError(
            f"{name} holds a secret.",
            remedy="Leave it out: Spark takes tokens from its own settings.",
        )
    return given


@dataclass(frozen=True, init=False)
class Engine(Plain):
    """Say which engine holds the rows; the release is the same, byte for byte.

    Parameters
    ----------
    name
        ``"local"``: this process. ``"spark"``: Apache Spark, which reads Parquet files that its
        workers can reach; see [Spark](../spark.md).
    master
        For Spark: a master such as ``"local[4]"`` or ``"spark://host:7077"``, or a server of Spark
        Connect, ``"sc://host:15002"``. If not given, the one that Spark is set up for.

    Example
    -------
    >>> Engine("spark", "local[4]").to_dict()
    {'name': 'spark', 'master': 'local[4]'}
    >>> engine_of("spark:sc://host:15002").master
    'sc://host:15002'
    """

    name: Name = part(one_of(Name), before="local")
    master: str = part(Kind(Holds("an address", Text), _place), before="")

    def __init__(self, name: Name = "local", master: str = "") -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        if reading.kept.get("master") and reading.kept.get("name") == "local":
            reading.add("master is for Spark.", 'Set name to "spark", or leave master out.')


def engine_of(given: Engine | str | None) -> Engine:
    """An engine that somebody names: ``local``, ``spark``, or ``spark:`` and its master."""
    if isinstance(given, Engine):
        return given
    name, _, master = (given or "local").partition(":")
    return Engine(name, master)  # type: ignore[arg-type]
