"""What publishing gave, in plain values and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, shown
from anachron.registry import METHODS

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["summary"]

Told = Callable[["Release", Mapping[str, Any]], tuple[dict[str, Any], list[str]]]
"""What is particular to a method: plain values, and lines."""


def summary(release: Release, evidence: str, is_new: bool, account: str = "") -> Answer:
    """Say what was published and what it cost.

    ``evidence`` are the options for its report; ``account`` is that of a feed, in a sentence.
    """
    told: Mapping[str, Any] = release.explanation or {}
    tell: Told = METHODS[release.guarantee["method"]].summary.load()
    particular, lines = tell(release, told)
    notes = list(told.get("notes", []))
    data = {
        "release": str(release.place),
        "number": release.number,
        "new": is_new,
        "guarantee": dict(release.guarantee),
        "rows": told.get("rows"),
        "subjects": told.get("subjects"),
        "published_rows": release.rows,
        **particular,
        "notes": notes,
    }
    state = "Published" if is_new else "Published before, and the same now:"
    title = f"{state} release {release.number} in {shown(release.place)}"
    next_step = f"Next: anachron report {shown(release.place)} {evidence}"
    noted = [f"Note: {note}" for note in notes]
    text = [click.style(title, bold=True), *lines, *noted]
    text += [account] if account else []
    return Answer(data, "\n".join([*text, next_step]), grave="\n".join(noted))
