"""The languages of certificates: a grammar, and a catalogue of texts.

A further language is a grammar like ``german.py``, a folder ``texts/CODE``, and an entry here;
``tests/house/test_languages.py`` and ``test_spoken.py`` tell which sentences its catalogue lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from markupsafe import Markup

from anachron.errors import InputError
from anachron.reporting.catalogue import Catalogue, catalogue
from anachron.reporting.charts import Chart, Locale
from anachron.reporting.german import GERMAN, figures
from anachron.reporting.words import WORDS

__all__ = ["LANGUAGES", "Language", "language"]

_NUMBER = re.compile(r"[\d.,–/() %+-]*\d[\d.,–/() %+-]*")
"""What a text was filled with, if it is a number and not a name."""
_Known = dict[str, str | None]
"""Texts that were looked up, and what they are; None for those that nobody knows."""


@dataclass(frozen=True)
class Language:
    """How a certificate is written in a language; English as the templates have it."""

    code: str
    locale: Locale = "en-US"
    """By which charts write numbers and dates."""
    grammar: Mapping[str, Callable[..., Any]] | None = None
    figures: Callable[[str], str] = str
    """From a number as English writes it."""
    packages: tuple[str, ...] = ()
    """Where its texts are."""

    @property
    def words(self) -> Mapping[str, Callable[..., Any]]:
        """What templates may write by, by name."""
        return {
            **(self.grammar or WORDS),
            "figure": self.figure,
            "translated": self.translated,
            "translated_chart": self.chart,
        }

    @cached_property
    def _texts(self) -> Catalogue | None:
        return catalogue(self.code, *self.packages) if self.grammar else None

    def text(self, english: str) -> str:
        """Give a text of the templates; one that the catalogue lacks is refused."""
        if self._texts is None:
            return english
        try:
            return self._texts.text(english)
        except KeyError:
            raise InputError(
                f"the language {self.code!r} lacks a text of this certificate: {english!r}."
            ) from None

    def translated(self, english: str) -> str:
        """Give what another room says; what the catalogue does not know is marked as English."""
        told = self._told(english)
        if told is None:
            return Markup('<span lang="en">{}</span>').format(english) if english else ""
        return told

    def plainly(self, english: str) -> str:
        """The same where no markup can stand: in a drawing, or in a title."""
        return self._told(english) or english

    def figure(self, said: float | str) -> str:
        """Write what was measured as people read it, be it a number or words."""
        if isinstance(said, str) and not _NUMBER.fullmatch(said):
            return self.translated(said)
        grammar: Mapping[str, Callable[..., Any]] = self.grammar if self.grammar else WORDS
        return str(grammar["number" if isinstance(said, float) else "figure"](said))

    def _told(self, english: str, known: _Known | None = None) -> str | None:
        """Give a finished text; of one that tells several things, thing by thing.

        What was looked up on the way is ``known``: names with commas have many ways to be read.
        """
        if self._texts is None:
            return english
        known = {} if known is None else known
        if english not in known:
            told = self._whole(self._texts, english, known)
            known[english] = self._parts(self._texts, english, known) if told is None else told
        return known[english]

    def _whole(self, texts: Catalogue, english: str, known: _Known) -> str | None:
        for found in texts.said_as(english):
            filled = [self._filling(given, kind, known) for given, kind in found.filled]
            if None not in filled:
                return found.text.format(*filled) if filled else found.text
        return self.figures(english) if _NUMBER.fullmatch(english) else None

    def _parts(self, texts: Catalogue, english: str, known: _Known) -> str | None:
        for one, joint, others in texts.split(english):
            first = self._whole(texts, one, known)
            if first is not None:
                rest = self._told(others, known)
                return None if rest is None else f"{first}{joint}{rest}"
        return None

    def _filling(self, given: str, kind: str, known: _Known) -> str | None:
        """What fills a gap: words, a number in the form of the language, or a name as it is."""
        if kind == "told":
            return self._told(given, known)
        if kind == "said":
            return self._told(given, known) or given
        if kind == "items":
            return ", ".join(self._told(one, known) or one for one in given.split(", "))
        return self.figures(given) if kind != "list" and _NUMBER.fullmatch(given) else given

    def chart(self, chart: Chart) -> Chart:
        """A chart with its words and numbers in this language."""
        if self._texts is None:
            return chart
        return replace(
            chart,
            says=self.plainly(chart.says),
            records=tuple(
                {
                    key: self.plainly(str(value)) if key in chart.worded else value
                    for key, value in one.items()
                }
                for one in chart.records
            ),
            head=tuple(map(self.plainly, chart.head)),
            rows=tuple(tuple(self._cells(chart, row)) for row in chart.rows),
            speak=self.plainly,
            locale=self.locale,
        )

    def _cells(self, chart: Chart, row: tuple[str, ...]) -> list[str]:
        return [
            self.figures(cell) if place in chart.numeric and _NUMBER.fullmatch(cell)
            else self.plainly(cell) if chart.worded and place == 0
            else cell
            for place, cell in enumerate(row)
        ]  # fmt: skip


_HOME = "anachron.reporting"
LANGUAGES: Mapping[str, Language] = {
    "en": Language("en"),
    "de": Language("de", "de-DE", GERMAN, figures, (_HOME,)),
}
"""The languages that certificates can be written in, by their codes."""


def language(code: str, package: str = _HOME) -> Language:
    """Look up a language, with the texts of a method from elsewhere."""
    if code not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise InputError(f"no certificate can be written in the language {code!r}; in {known}.")
    found = LANGUAGES[code]
    return (
        found
        if package in (_HOME, *found.packages)
        else replace(found, packages=(*found.packages, package))
    )
