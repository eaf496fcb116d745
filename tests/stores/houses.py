"""What is published in these tests: by a small publisher, or by those of every method."""

from __future__ import annotations

from pathlib import Path

import anachron as an
from anachron.ledger import Ledger
from tests.crash.houses import HOUSES
from tests.crash.small import contents, release

TO = "s3://bucket/releases"
STEPS = {"granularity": 1, "invariance": 2, "reposition": 5, "composed": 4, "patterns": 1}
"""So many tables of each house make one release and more."""


def small(ledger: Path, to: str | Path, number: int) -> None:
    """Publish the n-th table of the small publisher, if it was not."""
    with Ledger.open(ledger).publishing(to) as publication:
        if publication.find(f"snapshot {number}") is None:
            release(publication, number)


def whole(name: str, ledger: Path, to: str | Path, step: int) -> None:
    """Publish the table of a step as its house does."""
    house = HOUSES[name]
    if house.pushed:
        plan = an.Plan("t.parquet", house.schema, house.promise, releases=to, ledger=ledger)
        an.open(plan).push(house.table(step))
        return
    an.publish(house.table(step), house.schema, house.promise, ledger=ledger, to=to,
               accept="strangers")  # fmt: skip


def on_disk(folder: Path) -> dict[str, bytes]:
    """The files of a local folder of releases."""
    return contents(folder)
