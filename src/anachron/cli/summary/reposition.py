"""What snapshots of a feed gave, in plain values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anachron.cli.answer import aligned, share_in_words

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["counted", "held_back", "reposition", "snapshots_in_words", "together"]

_FIGURES = (
    "published", "moved", "suppressed", "refused", "conflicts", "given_up", "late", "repeated",
    "missing", "uncovered", "widened", "groups", "loss", "distances", "snapshots", "too_frequent",
    "invariance", "barred", "releases", "account", "held",
)  # fmt: skip
_SUMS = (
    "rows", "published", "moved", "suppressed", "refused", "conflicts", "given_up", "late",
    "repeated",
)  # fmt: skip
_MOST = 5
"""So many delays are told of; the certificate has them all."""


def reposition(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say what was published on time, later and not at all."""
    data = {key: told[key] for key in _FIGURES if key in told}
    held = held_back(told)
    data |= {} if held is None else {"held": held}
    if not told.get("snapshots"):
        return data, []
    return data, aligned([*_facts(told), *_promise(release, told), *_cover(told)])


def together(told: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put the records of several releases of a feed together; notes are those of the last."""
    return {
        **told[-1],
        **{key: sum(one.get(key, 0) for one in told) for key in _SUMS},
        **({"barred": sum(one.get("barred", 0) for one in told)} if "barred" in told[-1] else {}),
        "loss": str(sum(Fraction(one["loss"]) for one in told)),
        "distances": [sum(n) for n in zip(*(one["distances"] for one in told), strict=True)],
        "snapshots": [snapshot for one in told for snapshot in one["snapshots"]],
        "releases": len(told),
        "held": sum(held_back(one) or 0 for one in told),
    }


def held_back(told: Mapping[str, Any]) -> int | None:
    """How many people were held back, of a feed that is published m-invariantly; else None."""
    inside = told.get("invariance")
    return None if inside is None else int(told.get("held", inside.get("held", 0)))


def counted(account: Mapping[str, Any]) -> dict[str, Any]:
    """Give the figures of a whole feed that its account knows best."""
    known = {"rows": "pushed", "suppressed": "left_out", "refused": "refused"}
    return {key: account[kind] for key, kind in known.items()}


def snapshots_in_words(told: Mapping[str, Any]) -> str:
    """The snapshots of a release, from the first to the last."""
    labels = [one["snapshot"] for one in told["snapshots"]]
    return labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"


def _facts(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    rows, published, moved = told["rows"], told["published"], told["moved"]
    many = f"{len(told['snapshots']):,}, " if len(told["snapshots"]) > 1 else ""
    yield "Snapshots", many + snapshots_in_words(told)
    if "releases" in told:
        yield "Releases", f"{told['releases']:,}, one for each snapshot with records"
    groups = f", in {told['groups']:,} groups" if "groups" in told else ""
    yield "Records", f"{rows:,} arrived, {published:,} published{groups}"
    if moved:
        delays = [(d, n) for d, n in enumerate(told["distances"]) if d and n]
        listed = ", ".join(f"{n:,} by {d}" for d, n in delays)
        if len(delays) > _MOST:
            listed = f"by at most {delays[-1][0]}"
        yield "Moved", f"{moved:,} of them ({share_in_words(moved, published)}): {listed}"
    else:
        yield "Moved", "none: every published record is in its own snapshot"
    lost, refused = told["suppressed"], told.get("refused", 0)
    yield "Left out", f"{lost:,} records" + (f" ({share_in_words(lost, rows)})" if rows else "")
    held = held_back(told)
    if held is not None:
        yield "Held back", f"{held:,} people whose value too many share; their records are left out"
    if told.get("barred"):
        yield "Dropped", f"{told['barred']:,} records of people who were left out before"
    if refused:
        yield "Refused", f"{refused:,} records of known people whose value would narrow them down"


def _promise(release: Release, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    inside = told.get("invariance")
    if inside is not None:
        yield (
            "Possible values",
            f"{inside['smallest_signature']:,} or more for everyone (promised: {inside['m']:,}), "
            f"with {inside['counterfeits']:,} counterfeits in the last release",
        )
        return
    before, after = (
        max(one[key] for one in told["snapshots"]) for key in ("share_before", "largest_share")
    )
    yield (
        "Largest share",
        f"{100 * after:.2f} % of a snapshot have the same value, at most (promised: "
        f"{100 / float(Fraction(release.guarantee['l'])):.2f} %; as they arrived: "
        f"{100 * before:.2f} %)",
    )


def _cover(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Who knows when something happened may see that it is missing."""
    missing, bare = told.get("missing", 0), told.get("uncovered", 0)
    if missing:
        yield (
            "Missing",
            f"{missing:,} records are not in their own snapshot, in sight of who knows that they "
            "happened then",
        )
    if bare:
        yield "Without cover", f"{bare:,} records are missing from snapshots that have no group"
