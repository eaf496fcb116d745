"""The table of docs/proposals.md: what is proposed for each table of a folder.

python scripts/proposals.py FOLDER > docs/proposals.md
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anachron as an
from anachron.proposing.proposal import Proposal
from anachron.proposing.propose import propose

HEAD = ("table", "person", "time", "quasi, or series", "sensitive", "at home", "method",
        "published", "to sign")  # fmt: skip
SHOWN = 4
"""So many columns of a role are named."""

WORDS = """\
# What is proposed for real tables

<!-- Made by scripts/proposals.py from a folder of tables. -->

Thirteen public sets, as `anachron init` saw them without a word beside the file; in brackets people
and rows. In the last column is whether a careful person would sign the proposal. "Asks" means that
no plan is written until you say what is missing. In none of them is a column called sensitive
that neighbours know of. Each plan that is written can be published as it is, and was: the column
"published" has the rows of its release, or of its releases if it is a feed. The audit with the
table saw each promise kept.
"""

JUDGED = {
    "occ_sal_like": "asks which column is sensitive",
    "persons_14_states": "asks which column is sensitive; the person is right: a line of a form",
    "respondents": "yes",
    "frames_01_01_to_01_04": "no, a frame is nobody; asks",
    "series_50_all_trials": "asks: people have several series",
    "transactions_2017": "yes",
    "hospital_billing": "asks: one row has no case_id",
    "hospital_bpic2011": "yes",
    "sepsis": "asks: 24 rows have no case_id; then a look at twelve columns as they are",
    "crime": "after a look: an offence is taken for a person, and where it was is told three times",
    "linelist": "yes: each row is one death; brand1 is mostly empty, so no feed",
    "triage_counts": "no: a row stands for several reports, as is warned",
    "panel_1968_1988": "yes",
    "students": "asks: some are in several courses",
    "submissions": "yes",
    "gps": "yes, with squares that are large enough",
    "daily_48": "asks: people have a series for each day",
    "two_weeks_672": "yes",
    "active_duty_2010": "asks: nobody can be known again in a next release",
}
"""What a person who read the proposals says of each, by the name of the file."""


def line(file: Path, found: Proposal) -> str:
    """One row of the table."""

    def some(*columns: str) -> str:
        named = ", ".join(columns[:SHOWN])
        return f"{named} and {len(columns) - SHOWN} more" if len(columns) > SHOWN else named

    alone = len([*file.parent.glob("*.parquet")]) == 1
    who = " + ".join(found.columns("subject")) or "each row"
    cells = [
        file.parent.name + ("" if alone else f", {file.stem}"),
        f"{who} ({found.people:,}; {found.rows:,})",
        some(*found.columns("time")),
        some(*found.columns("quasi"), *found.columns("series")),
        some(*found.columns("sensitive")),
        f"{len(found.columns('home'))}",
        found.method if found.guarantee else "",
        published(file, found),
        JUDGED.get(file.stem, ""),
    ]
    return f"| {' | '.join(cells)} |"


def published(file: Path, found: Proposal) -> str:
    """How many rows are in what is published as proposed, which is audited with the table."""
    if found.schema is None or found.guarantee is None:
        return ""
    with tempfile.TemporaryDirectory() as aside:
        ledger, to = Path(aside, "ledger"), Path(aside, "releases")
        if isinstance(found.guarantee, an.Reposition):
            plan = an.Plan(file, found.schema, found.guarantee, ledger=ledger, releases=to)
            feed = an.open(plan)
            made = [*feed.push(file), *feed.flush()]
        else:
            made = [an.publish(file, found.schema, found.guarantee, ledger=ledger, to=to)]
        return f"{sum(release.table().num_rows for release in made):,}"


def main(folder: Path) -> None:
    """Print the page."""
    print(WORDS)
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for file in sorted(folder.rglob("*.parquet")):
        print(line(file, propose(file)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
