"""All findings of the attacks on one release, together."""

from __future__ import annotations

import pyarrow as pa

from anachron.attacking.finding import Finding
from anachron.notebook import Sheet
from anachron.tabular import Tabular, arrow_of

__all__ = ["Findings"]

_WORDS = {True: "holds", False: "FAILS", None: "not promised"}
_HEAD = ("attack", "exposed", "of people", "promise", "measured", "promised", "who knows")


class Findings(Tabular, tuple[Finding, ...]):
    """What each attack came to: a tuple of findings, which is a table, too.

    As a table (``to_pandas()``, ``to_polars()``, ``to_arrow()``) it has a row for each attack, with
    all that a :class:`Finding` says but its figures, which are others for each attack.

    Example
    -------
    >>> from anachron.attacking.finding import Finding
    >>> found = Findings([Finding("share", "Share", "rows of a person", 0, 9, "at most 1/2",
    ...                           "largest share 1/3", True)])
    >>> print(found)
    1 attack tried, and nothing that was promised is broken
    >>> found.to_pandas()[["attack", "exposed", "people", "holds"]]
      attack  exposed  people  holds
    0  share        0       9   True
    """

    __slots__ = ()

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings that break what was promised."""
        return tuple(finding for finding in self if finding.holds is False)

    def to_arrow(self) -> pa.Table:
        """Give them as an Arrow table, a row for each attack."""
        return arrow_of(Finding, self, without=("figures",))

    def __str__(self) -> str:
        many = "1 attack" if len(self) == 1 else f"{len(self)} attacks"
        if not self:
            return "no attack could be tried"
        if not self.broken:
            return f"{many} tried, and nothing that was promised is broken"
        return f"{many} tried: what was promised is BROKEN by " + ", ".join(
            finding.title for finding in self.broken
        )

    def _sheet(self) -> Sheet:
        body = [
            (
                finding.title,
                f"{finding.exposed:,}",
                f"{finding.people:,}",
                _WORDS[finding.holds],
                finding.measured,
                finding.promised,
                finding.knows,
            )
            for finding in self
        ]
        sampled = tuple(f"{f.title}: looked at {f.sampled}" for f in self if f.sampled)
        return Sheet(str(self), _HEAD, body, (1, 2), sampled, brief=5)
