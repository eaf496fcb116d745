"""What is promised, and what a release is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from anachron.errors import Problem
from anachron.guarantees.promise import Promise, no_series
from anachron.parts.kinds import whole_number
from anachron.parts.part import part
from anachron.published import ways
from anachron.published.layouts import Layout
from anachron.published.strict import whole
from anachron.schema import Schema


@dataclass(frozen=True, init=False, repr=False)
class Frequent(Promise):
    """Whoever is published has at least n rows; they are published as they are.

    Parameters
    ----------
    n
        How many rows a person must have to be published.
    """

    method: ClassVar[str] = "frequent"
    one_spelling: ClassVar[bool] = False

    n: int = part(whole_number(1), shown=True)

    def __init__(self, *, n: int) -> None:
        self._keep(locals())

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        yield from no_series(schema, self.method)
        if schema.time:
            yield Problem("schema.time has no meaning for the method frequent.")


LAYOUT = Layout(
    (ways.AsItIs, ways.Content),
    {},
    {"data": ("group", "<quasi>", "<sensitive>")},
    {"suppressed_rows": whole},
)
