"""A table of which the rows lie aside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from anachron.arrays import Array
from anachron.engines.local.digest import digest
from anachron.engines.local.scan import Scan
from anachron.engines.spark.table import SparkTable

__all__ = ["AsideTable"]

_WHY = "a table larger than memory gives no arrays of rows"


@dataclass(frozen=True, eq=False)
class AsideTable(SparkTable):
    """See :class:`anachron.engines.base.Table`."""

    @property
    def scan(self) -> Scan:
        """Where it is read."""
        found: Any = self.read.driver
        return found

    @cached_property
    def _digest(self) -> str:
        clock: Any = self.when.clock
        return digest(self.scan, self.schema, clock)

    def people(self) -> NoReturn:
        """Rows are not to be had."""
        raise TypeError(_WHY)

    def column(self, name: str) -> NoReturn:  # noqa: ARG002
        """Rows are not to be had."""
        raise TypeError(_WHY)

    @property
    def instants(self) -> Array:
        """Rows are not to be had."""
        raise TypeError(_WHY)
