"""A table of which the rows lie aside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn, cast

from anachron.arrays import Array
from anachron.engines.aside.rows import AsideRows
from anachron.engines.local.digest import digest
from anachron.engines.local.scan import Scan
from anachron.engines.spark.table import SparkTable

__all__ = ["AsideTable"]

_WHY = "a table larger than memory gives no arrays of rows"


@dataclass(frozen=True, eq=False)
class AsideTable(SparkTable):
    """See :class:`anachron.engines.base.Table`."""

    dealt: AsideRows | None = field(default=None, repr=False)
    """Rows by people, of which each has one name; without, they are made of the scan when asked."""

    def held(self, secret: bytes | None = None) -> Any:
        """The rows."""
        if self.dealt is None or secret is not None:
            return super().held(secret)
        return self.dealt

    @property
    def scan(self) -> Scan:
        """Where it is read."""
        found: object = self.read.driver
        return cast("Scan", found)

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
