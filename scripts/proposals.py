"""The table of docs/getting-started.md: what is proposed for each table of a folder.

python scripts/proposals.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from anachron.proposing.propose import propose
from anachron.proposing.proposal import Proposal


def line(name: str, found: Proposal) -> str:
    """One row of the table."""

    def some(*columns: str) -> str:
        shown = ", ".join(columns[:6])
        return f"{shown}, … ({len(columns)})" if len(columns) > 6 else shown

    who = " + ".join(found.columns("subject")) or "each row"
    quasi = [*found.columns("quasi"), *found.columns("series")]
    cells = [
        name,
        f"{who} ({found.people:,} of {found.rows:,} rows)",
        some(*found.columns("time")),
        some(*quasi),
        some(*found.columns("sensitive")),
        str(len(found.columns("home"))),
        found.method if found.guarantee else f"none ({found.method})",
    ]
    return f"| {' | '.join(cells)} |"


def main(folder: Path) -> None:
    """Print the table."""
    print("| table | person | time | quasi, or series | sensitive | at home | method |")
    print("|---|---|---|---|---|---|---|")
    for file in sorted(folder.rglob("*.parquet")):
        print(line(f"{file.parent.name}/{file.stem}", propose(file)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
