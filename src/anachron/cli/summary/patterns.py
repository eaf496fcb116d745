"""What publishing series gave, in plain values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anachron.cli.answer import aligned, share_in_words

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["patterns"]

_FIGURES = (
    "k", "P", "algorithm", "series", "times", "letters", "suppressed", "dropped", "trimmed",
    "interpolated", "groups", "subgroups", "value_loss", "pattern_loss", "levels", "breach",
)  # fmt: skip


def patterns(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say how many people share what, and how much of values and shapes was lost."""
    data = {key: told[key] for key in _FIGURES if key in told}
    if "groups" not in told:
        return data, []
    data["subjects"] = told["series"] + told["dropped"]
    return data, aligned([*_facts(release, told), *_losses(release, told), *_breach(told)])


def _facts(release: Release, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    total, lost = told["series"] + told["dropped"], told["suppressed"] + told["dropped"]
    yield "Series", f"{total:,} of {told['times']:,} times, {release.rows:,} published"
    yield "Groups", f"{told['groups']:,}, each of at least {told['k']:,} people with one envelope"
    # Releases from before there were segments do not tell how many letters a pattern has.
    letters = f" and {told['letters']:,} letters" if "letters" in told else ""
    yield (
        "Patterns",
        f"{told['subgroups']:,}, each of at least {told['P']:,} people of a group{letters}",
    )
    if lost:
        gaps = f"; {told['dropped']:,} of them for gaps" if told["dropped"] else ""
        yield "Left out", f"{lost:,} series ({share_in_words(lost, total)}{gaps})"
    else:
        yield "Left out", "none"


def _losses(release: Release, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    rows = max(release.rows, 1)
    levels = {int(level): many for level, many in told["levels"].items()}
    mean = sum(level * many for level, many in levels.items()) / rows
    flat = levels.get(1, 0)
    none = f"; {flat:,} people show no shape" if flat else ""
    yield "Levels", f"{min(levels)} to {max(levels)} letters, {mean:.1f} in the mean{none}"
    yield "Value loss", f"{told['value_loss'] / rows:,.4g} in the mean: the width of an envelope"
    yield (
        "Pattern loss",
        f"{told['pattern_loss'] / rows:.3f} in the mean (0: shapes are kept, 1: nothing of them)",
    )


def _breach(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    found = told["breach"]
    yield (
        "Largest breach",
        f"{100 * found['by_count']:.1f} % to find a row (promised: {100 / told['P']:.1f} %)",
    )
    for column, of in found["values"].items():
        yield f"… of {column}", f"{100 * of['by_count']:.1f} % to find a person's value"
