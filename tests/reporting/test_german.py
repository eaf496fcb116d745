"""Certificates in German: every method, numbers and dates in its form, nothing left in English."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jinja2 import nodes

import anachron as an
from anachron.attacking.uniqueness import Alone, By
from anachron.making.openness import notes_of
from anachron.reporting import html as module
from anachron.reporting.german import GERMAN
from anachron.reporting.html import html
from anachron.reporting.languages import language
from anachron.reporting.messages import messages, names_in, spoken
from anachron.reporting.words import WORDS, sentence
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting import stand_ins as events
from tests.reporting.pages import Outline
from tests.reporting.proof_stand_ins import finding, measure, utility

METHODS: dict[str, Any] = {
    "granularity": events, "invariance": register, "reposition": feed, "patterns": series,
}  # fmt: skip
ENGLISH = re.compile(
    r"\b(the|and|with|which|whoever|people|rows|group of|published)\b", re.IGNORECASE
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], str]:
    """A page of a method in a language, drawn once."""

    @cache
    def page(method: str, code: str) -> str:
        there, folder = METHODS[method], tmp_path_factory.mktemp(method)
        small = (events.table(3),) if there is events else ()
        found = (finding(None, 40, title="Share of one person"),)
        proof = found, utility(measure("ranges and windows"))
        return html(
            there.release(folder, *small), there.verdict(), there.record(), *proof, code=code
        )

    return page


@pytest.mark.parametrize("method", METHODS)
def test_no_english_is_left_but_what_is_marked(
    written: Callable[[str, str], str], method: str
) -> None:
    page = written(method, "de")
    assert '<html lang="de">' in page
    bare = re.sub(
        r'<span lang="en">.*?</span>|<code.*?</code>|<em>.*?</em>|<pre>.*?</pre>', "", page
    )
    assert ENGLISH.findall(Outline(bare).text) == []
    assert "Die Zusage ist eingehalten." in page


@pytest.mark.parametrize("method", METHODS)
def test_both_languages_have_the_same_structure(
    written: Callable[[str, str], str], method: str
) -> None:
    def tags(code: str) -> list[str]:
        drawn = {"path", "text", "g", "rect", "line", "circle", "title", "span", "i", "em"}
        return [tag for tag in Outline(written(method, code)).tags if tag not in drawn]

    assert tags("en") == tags("de")


def test_numbers_and_lengths_have_the_form_of_german() -> None:
    said = {name: GERMAN[name] for name in WORDS}
    assert said.keys() == WORDS.keys()
    assert said["digits"](1_234_567) == "1.234.567"
    assert said["percent"](Fraction(1, 8)) == "12,50 %"
    assert said["percent"](Fraction(1, 10**6)) == "weniger als 0,01 %"
    assert said["duration"](30.4) == "30,4 Tage"
    assert said["duration"](1.0) == "1 Tag"
    assert said["plural"](1, "Zeile", "Zeilen") == "1 Zeile"
    assert said["many"]("half_month") == "Halbmonate"
    assert said["spoken"]("two_weeks") == "two weeks"
    assert said["odds"](Fraction(5, 2)) == "2 von 5"
    assert said["date"]("2024-05-01T10:00:00+00:00") == "01.05.2024"


def test_what_other_rooms_say_is_known_by_pattern_and_names_stay() -> None:
    told = language("de").translated
    assert (
        told("at least 1,234 in each group, 5 in all")
        == "mindestens 1.234 in jeder Gruppe, 5 insgesamt"
    )
    assert told("columns of the file (counterfeits)") == "Spalten der Datei (counterfeits)"
    assert told("The value of 'rows' as it is.") == "Der Wert von 'rows', wie er ist."
    assert (
        told("as promised; 7 groups cannot be judged")
        == "wie zugesagt; 7 Gruppen lassen sich nicht beurteilen"
    )
    # Counts come before words, groups after them; several things are told one by one.
    assert told("rows too few (1 groups, such as 7); 1,234 missing values") == (
        "zu wenige Zeilen (1 Gruppe: 7); 1.234 fehlende Werte"
    )
    assert told("at most 0% of all rows") == "höchstens 0 % aller Zeilen"
    assert told("not as published: data.csv, its number") == (
        "nicht wie veröffentlicht: data.csv, ihre Nummer"
    )
    assert told("9 owls (2 groups, such as 3, 4)").startswith('<span lang="en">')
    # What is nearly known is not: half a sentence in each language would be worse than English.
    assert told("6 owls of 7 people").startswith('<span lang="en">')
    assert told("<b>never heard") == '<span lang="en">&lt;b&gt;never heard</span>'
    assert language("en").translated("<b>") == "<b>"  # escaped where it is printed


def test_an_unknown_language_is_refused_with_the_list() -> None:
    with pytest.raises(an.AnachronError, match="'fr'; in de, en"):
        language("fr")


def test_a_text_that_a_catalogue_lacks_is_refused() -> None:
    with pytest.raises(an.AnachronError, match="lacks a text"):
        language("de").text("Nobody wrote this.")


def test_messages_are_cut_where_lines_of_their_own_end() -> None:
    source = """<p class="a{% if b %} c{% endif %}">
One {{ n | plural("row") }}
{%- if x %}, and {{ y }}{% endif %}.
{% if z %}
Two.
{% endif %}
</p>{{ entry(_("groups"), _("at least {}").format(k)) }}<pre>code</pre>"""
    assert [(one.text, one.marked) for one in messages(source)] == [
        ('One {{ n | plural("row") }}{% if x %}, and {{ y }}{% endif %}.', False),
        ("Two.", False),
        ("groups", True),
        ("at least {}", True),
    ]
    assert names_in(next(messages(source)).text) == {"n", "y"}
    loud = spoken(source, str.upper)
    assert "TWO." in loud
    assert '_("groups")' in loud
    with pytest.raises(ValueError, match="closed on another line"):
        list(messages("<p>{% if x %}words\n{% endif %}\n</p>"))


def test_translated_templates_read_nothing_that_the_english_ones_do_not() -> None:
    """A name that only a translation has would be an error on some page."""
    english, german = (module.templates(module.__package__, code) for code in ("en", "de"))
    for name in english.list_templates(extensions=["html"]):
        source = Path(str(english.get_template(name).filename)).read_text("utf-8")
        read = [
            {
                node.name
                for node in env.parse(source, name).find_all(nodes.Name)
                if node.ctx == "load"
            }
            for env in (english, german)
        ]
        assert read[1] <= read[0], name


@pytest.mark.parametrize(
    ("by", "columns"),
    [("content", ("diagnosis", "ward")), ("quasi", ("age",)), ("shape", ()), ("group", ())],
)
@pytest.mark.parametrize(("counted", "timed"), [("people", False), ("rows", True)])
def test_who_is_alone_is_said_in_german(
    by: By, columns: tuple[str, ...], counted: str, timed: bool
) -> None:
    [note] = notes_of(Alone(1_601, 0, 1_989, counted, by, columns, timed=timed))
    told = str(language("de").translated(sentence(note)))
    assert "1.601 von 1.989" in told
    assert 'lang="en"' not in told
    assert not ENGLISH.search(told)


@pytest.mark.parametrize("text", ["a b0, c; a b1, d; ", "1 ", "(1,", "3 rows; ", "group 1, "])
def test_odd_names_do_not_keep_a_page_waiting(text: str) -> None:
    """Ways to read a text that has many joints are many; it ends all the same."""
    for many in (10, 2_000):
        assert language("de").plainly(text * many)
