"""What one more release of a register gave, in plain values and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anachron.cli.answer import aligned, share_in_words

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["invariance"]

_FIGURES = (
    "known", "new", "changed", "filled", "counterfeits", "held", "refused", "groups",
    "signatures", "smallest_signature", "history",
)  # fmt: skip
_MOST = 6
"""So many releases are told of; the certificate has them all."""


def invariance(release: Release, told: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Say who is in the release, what it took, and how it continues the ones before."""
    data = {key: told[key] for key in _FIGURES if key in told}
    if "groups" not in told:
        return data, []
    return data, aligned([*_facts(release, told), *_history(told)])


def _facts(release: Release, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    fake, held, refused = told["counterfeits"], told["held"], told["refused"]
    promise = release.guarantee
    apart = promise.get("then") == "anatomy"
    real = release.rows if apart else release.rows - fake
    share = share_in_words(fake, real + fake)
    changed = f" ({told['changed']:,} with a new set of values)" if told["changed"] else ""
    yield (
        "People",
        f"{real:,}: {told['known'] - refused:,} known{changed}, {told['new'] - held:,} new",
    )
    if apart:
        yield "Rows", f"{real:,}: one for each person, with exact quasi values"
        yield "Values", f"{real + fake:,}: one for each person, and {_counterfeits(fake)} ({share})"
    else:
        yield "Rows", f"{release.rows:,}: one for each person, and {_counterfeits(fake)} ({share})"
    yield "Groups", f"{told['groups']:,} groups, of {told['signatures']:,} sets of values"
    yield (
        "Smallest set",
        f"{told['smallest_signature']:,} possible values (promised: {promise['m']:,})",
    )
    yield "Mode", f"{promise['mode']} (balance: {promise['balance']})"
    if held:
        yield "Held back", f"{held:,} new people whose value too many share; offer them again"
    elif promise.get("when_ineligible", "refuse") != "refuse":
        yield "Held back", "nobody"
    if refused:
        yield "Left out", f"{refused:,} known people whose new value would narrow them down"


def _history(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    past = told.get("history", [])
    if len(past) > 1:
        begin = "… → " if len(past) > _MOST else ""
        # Releases of before it was recorded do not say whom they held back.
        rows, fake, held = (
            begin
            + " → ".join(f"{entry[key]:,}" if key in entry else "?" for entry in past[-_MOST:])
            for key in ("rows", "counterfeits", "held")
        )
        back = f", {held} people held back" if any(entry.get("held") for entry in past) else ""
        yield "History", f"{len(past):,} releases: {rows} rows, {fake} counterfeits{back}"


def _counterfeits(number: int) -> str:
    return f"{number:,} counterfeit{'' if number == 1 else 's'}"
