"""Attack: what would an adversary learn from a release?"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.flow.blame import blamed
from anachron.flow.evidence import Evidence, Place, Progress, Where, evidence
from anachron.progress import Tell, between, heard, silent
from anachron.schema import Schema
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.attacking.findings import Findings
    from anachron.release import Release

__all__ = ["attack", "attacked"]


@stoppable()
def attack(
    release: Release | Where,
    *,
    table: object | None = None,
    schema: Schema | None = None,
    ledger: Place | None = None,
    only: Collection[str] = (),
    limit: int | None = None,
    impossible: Place | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Try all known attacks on a release, from everyone's point of view.

    Parameters
    ----------
    release
        A release, or its folder.
    table, schema, ledger
        As for :func:`audit`. Most attacks need them, to tell who is exposed.
    only
        Names of attacks; without any, all that apply.
    limit
        How many people are looked at where an attack takes long; the rest is drawn by lot.
    impossible
        A CSV file of combinations of quasi and sensitive values that cannot be.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

    Returns
    -------
    Findings
        For each attack that could be tried, a finding: who is exposed, and whether that was
        promised not to happen. They are a tuple, and a table: ``to_pandas()``, ``to_polars()``,
        ``to_arrow()``.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> visits = pa.table({"who": ["a", "b", "a"], "when": ["2024-05-01"] * 3})
    >>> schema = an.Schema(subject="who", time="when")
    >>> release = an.publish(visits, schema, an.TimeGranularity(k=2),
    ...                      ledger=folder + "/ledger", to=folder + "/releases")
    >>> [share] = an.attack(release, table=visits, schema=schema, only=["share"])
    >>> share.exposed, share.people                # two of three rows are those of a
    (1, 2)
    """
    with heard(progress, "attack") as tell:
        tell("reading the table", 0.0)
        with (
            evidence(release, table=table, schema=schema, ledger=ledger) as shown,
            blamed((shown.release,)),
        ):
            return attacked(shown, only, limit, impossible, between(tell, 0.1, 1.0))


def attacked(
    shown: Evidence,
    only: Collection[str] = (),
    limit: int | None = None,
    impossible: Place | None = None,
    tell: Tell = silent,
) -> Findings:
    """Try attacks with what is at hand; see :func:`attack`."""
    from anachron.attacking.findings import Findings
    from anachron.attacking.impossible import read_impossible
    from anachron.attacking.known import LIMIT, Known
    from anachron.attacking.run import attack_all

    known = Known(
        shown.release,
        shown.earlier,
        shown.microdata,
        shown.schema,
        shown.past,
        limit=LIMIT if limit is None else limit,
        impossible=None if impossible is None else read_impossible(Path(impossible)),
    )
    return Findings(attack_all(known, only, tell))
