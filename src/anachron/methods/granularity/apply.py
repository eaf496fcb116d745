"""Turn the chosen view into what is published, and say what each column means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anachron.engines.base import Resources, Rule, Spans, Table
from anachron.guarantees import TimeGranularity
from anachron.ladders import Bins, Drop, Parents, Prefix, Step
from anachron.methods.granularity.plan import Found

__all__ = ["Outcome", "apply"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a method hands over to be written, checked and remembered."""

    resources: Resources
    columns: dict[str, dict[str, Any]]
    """What each column of the schema was published as."""
    facts: dict[str, Any]
    """What a recipient must know beside: numbers only."""
    spans: Spans


def apply(table: Table, promise: TimeGranularity, found: Found) -> Outcome:
    """Carry out the first answer of a search."""
    lattice, chosen = found.offer.lattice, found.answers[0]
    view, rule = lattice.view(chosen.node), Rule(promise.k, promise.max_share)
    schema = table.schema
    columns: dict[str, dict[str, Any]] = {}
    for column, rungs, step in zip(
        schema.quasi, lattice.ladders, lattice.steps[chosen.node], strict=True
    ):
        rung = rungs[step]
        published = rung.recoding.published.column_names
        columns[column] = {"role": "quasi", "published": published, **_meaning(rung.step)}
    granularity = next(g for g in promise.granularities if g.name == view.time.name)
    columns[schema.time] = {
        "role": "time",
        "granularity": granularity.to_dict(),
        "published": [schema.time, f"{schema.time}_start", f"{schema.time}_end"],
    }
    for column in schema.sensitive:
        columns[column] = {"role": "sensitive", "published": [column]}
    return Outcome(
        {"data": table.publish(view, rule)},
        columns,
        {"suppressed_rows": chosen.counts.lost_rows},
        table.spans(view, rule),
    )


def _meaning(step: Step) -> dict[str, Any]:
    if isinstance(step, Bins):
        return {"step": "bins", "width": str(step.width), "origin": str(step.origin)}
    if isinstance(step, Prefix):
        return {"step": "prefix", "length": step.length}
    if isinstance(step, Parents):
        covers: dict[str, list[str]] = {}
        for value, parent in step.parents:
            covers.setdefault(parent, []).append(value)
        return {"step": "parents", "covers": covers}
    return {"step": "left out" if isinstance(step, Drop) else "as it is"}
