"""What was measured: the figures to remember, every check, and where one fails."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from anachron.reporting.certificate import Certificate
from anachron.reporting.markup import Markup, join, mark, table, tag
from anachron.reporting.parts import section
from anachron.reporting.words import count, percent

__all__ = ["SCOPES", "WORST", "measured", "value"]

SCOPES = {
    "published": "The audit saw the release alone. That can refute the promise, not prove it.",
    "with ledger": "The audit saw the release and what the ledger remembers, not the original "
    "rows.",
    "with microdata": "The audit saw the release and the rows that it was made from.",
    "people counted": "The audit saw one table, and a column in it that tells people apart.",
    "rows counted": "The audit saw one table without a column that tells people apart: rows were "
    "counted, so that a person with several rows counts several times.",
}
"""How far each audit reaches."""

WORST = {
    "people_in_smallest_group": ("people in the smallest group", "the fewest among whom anyone is"),
    "smallest_candidate_set": (
        "values in the smallest candidate set",
        "what all releases together leave open about the person they say most about",
    ),
    "largest_share_of_one_person": (
        "largest share of one person",
        "of the rows of a group: a row picked there is that person’s with this chance",
    ),
    "largest_share_of_a_value": (
        "largest share of one value",
        "of the rows of a group: a guess at a person there is right with this chance",
    ),
    "largest_breach": (
        "largest chance to find a row",
        "for who knows a person’s values and shape",
    ),
    "largest_posterior": (
        "largest chance to know a value",
        "of the person about whom the release says most, for who knows the person’s group",
    ),
}
"""The figures to remember, if they were measured: their names, and what they mean."""

_FRACTION = re.compile(r"(\d+(?:/\d+)?) \([\d.]+ ?%\)")
_DECIMAL = re.compile(r"[01]\.\d+")


def measured(paper: Certificate) -> Markup:
    """List the worst figures, every check, and all that was measured along the way."""
    verdict = paper.verdict
    parts = [tag("p", SCOPES.get(verdict.scope, f"The audit: {verdict.scope}."))]
    worst = _worst(verdict.figures)
    if worst:
        head = ("the worst that was found", "", "what it means")
        parts.append(table(head, worst, numeric=(1,), class_="worst"))
    parts.append(_checks(paper))
    if verdict.figures:
        entries = [(key.replace("_", " "), value(said)) for key, said in verdict.figures.items()]
        data = table(("figure", "value"), entries, numeric=(1,))
        parts.append(tag("details", tag("summary", "All figures of the audit"), data))
    return section("What was measured", *parts)


def value(said: float | str) -> str:
    """Write a figure as people read it: ``1/3 (33.33 %)``, ``20.00 %``, ``1,234``.

    >>> value("1/3 (33.3333%)"), value("0.2000"), value(1234)
    ('1/3 (33.33 %)', '20.00 %', '1,234')
    """
    if isinstance(said, int):
        return count(said)
    text = f"{said:g}" if isinstance(said, float) else said
    if found := _FRACTION.fullmatch(text):
        return f"{found[1]} ({percent(Fraction(found[1]))})"
    return percent(Fraction(text)) if _DECIMAL.fullmatch(text) else text


def _worst(figures: Mapping[str, int | str]) -> list[tuple[str, ...]]:
    found = {key: words for key, words in WORST.items() if key in figures}
    same = figures.get("largest_posterior")
    if same is not None and figures.get("largest_share_of_a_value") == same:
        # In a single release the two are the same thing.
        del found["largest_share_of_a_value"]
    return [(title, value(figures[key]), means) for key, (title, means) in found.items()]


def _checks(paper: Certificate) -> Markup:
    rows = [
        (
            tag("span", _sign(check.holds), class_="state" if check.holds else "state failing"),
            check.about,
            check.promised,
            _found(check.measured, check.witnesses),
        )
        for check in paper.verdict.checks
    ]
    return table(("", "what was checked", "promised", "measured"), rows, class_="checks")


def _found(text: str, witnesses: tuple[str, ...]) -> str:
    """What was measured, and where to look: releases, groups and rows, by number."""
    if not witnesses:
        return text
    return join(text, tag("small", f"see {', '.join(witnesses)}"))


def _sign(holds: bool) -> Markup:
    word = "holds" if holds else "fails"
    return join(mark(word, ""), f" {word}")
