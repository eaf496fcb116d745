"""What the search for a granularity gave, in plain values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anachron.cli.answer import aligned, share_in_words

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["granularity"]

_MOST = 6
"""So many other answers and reasons are listed; the certificate has them all."""


def granularity(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say what was published, what it cost, and what else would have held."""
    answers = list(told.get("answers", []))
    chosen = answers[0] if answers else {}
    finer = list(_finer(told, chosen))
    data = {"chosen": chosen, "other_answers": answers[1:], "why_not_finer": finer}
    if not chosen:
        return data, []
    others = [(_title(told, a), _cost(a)) for a in answers[1:]]
    return data, [
        *aligned(list(_facts(release, told, chosen))),
        *_listed("Why not finer", [(_title(told, n), n["because"]) for n in finer]),
        *_listed("Other least answers", others),
    ]


def _facts(
    release: Release, told: Mapping[str, Any], chosen: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    offered = ", ".join(told["order"]["names"])
    yield "Time", f"by {chosen['granularity']} (considered: {offered})"
    for column, step in chosen["steps"].items():
        yield column, told["ladders"][column][step]
    yield (
        "Smallest group",
        f"{chosen['gen_c'][0]:,} people (promised: {release.guarantee.get('k', 1):,})",
    )
    yield "Groups", f"{chosen['groups']:,}"
    lost, rows = chosen["suppressed_rows"], told["rows"]
    allowed = Fraction(release.guarantee.get("max_suppressed", 0))
    limit = f"; allowed: {float(100 * allowed):.3g} %" if allowed else ""
    yield "Left out", f"{lost:,} of {rows:,} rows ({share_in_words(lost, rows)}{limit})"


def _cost(answer: Mapping[str, Any]) -> str:
    smallest, people = answer["gen_c"]
    lost = answer["suppressed_rows"]
    text = f"smallest group {smallest:,}, {answer['groups']:,} groups, gen_c ({smallest}, {people})"
    return text + (f", {lost:,} rows left out" if lost else "")


def _finer(told: Mapping[str, Any], chosen: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The failing views one step finer than the chosen one, in time or in one column."""
    if not chosen:
        return
    below = {fine for fine, coarse in told["order"]["edges"] if coarse == chosen["granularity"]}
    for node in told["nodes"]:
        if node["state"] != "fails":
            continue
        steps = [chosen["steps"][column] - step for column, step in node["steps"].items()]
        in_time = node["granularity"] in below and not any(steps)
        in_column = node["granularity"] == chosen["granularity"] and sorted(steps)[-1:] == [1]
        if in_time or (in_column and sum(map(abs, steps)) == 1):
            yield {key: node[key] for key in ("granularity", "steps", "because")}


def _title(told: Mapping[str, Any], view: Mapping[str, Any]) -> str:
    steps = [f"{c}: {told['ladders'][c][step]}" for c, step in view["steps"].items()]
    return ", ".join([str(view["granularity"]), *steps])


def _listed(title: str, rows: list[tuple[str, str]]) -> list[str]:
    if not rows:
        return []
    more = [f"    … and {len(rows) - _MOST} more, in the certificate"] if len(rows) > _MOST else []
    return [f"  {title}", *aligned(rows[:_MOST], indent="    "), *more]
