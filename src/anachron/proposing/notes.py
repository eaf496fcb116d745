"""What a plan that was proposed says of itself: a comment for everything that was decided."""

from __future__ import annotations

from collections.abc import Iterable

from anachron.ladders import Ladder
from anachron.plan import Plan
from anachron.proposing.proposal import Proposal

__all__ = ["notes_of"]


def notes_of(plan: Plan, found: Proposal) -> dict[str, str]:
    """A comment for every proposal, so that nothing is decided in silence."""

    def about(columns: tuple[str, ...]) -> str:
        return "\n".join(f"{c}: {found.role(c).reason}" for c in columns) or "none found"

    offered: Iterable[tuple[str, Ladder]] = getattr(plan.guarantee, "ladders", ())
    ladders = {
        f"guarantee.ladders.{column}": f"May be published: {'; '.join(ladder.describe())}."
        for column, ladder in offered
    }
    zone = "Fill in the zone whose clock and calendar are meant, such as Europe/Rome."
    home = found.columns("home")
    warned = "".join(f"\nLook: {warning}" for warning in found.warnings)
    return {
        "source": f"A proposal, made from a look at {found.rows:,} rows. Correct it before use."
        f"{warned}",
        "schema": "Columns that are not named below never leave.\n" + (about(home) if home else ""),
        "schema.subject": about(found.columns("subject"))
        if plan.schema.subject_columns
        else "each row is a person: rows are counted",
        "schema.time": about(found.columns("time")),
        "schema.quasi": about(found.columns("quasi")),
        "schema.sensitive": about(found.columns("sensitive")),
        "schema.series": about(found.columns("series")),
        "schema.time_zone": zone if plan.schema.time_zone == "UTC" else "as you said",
        "guarantee": f"{found.method}: {found.fits}.",
        **{f"guarantee.{key}": note for key, note in found.promising.notes.items()},
        **ladders,
        "destination": "The releases may be handed out. The ledger stays with you.",
    }
