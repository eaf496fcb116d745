"""The pages of the studio say everything in every language: nothing is missing, nothing is idle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import anachron
from anachron.reporting.catalogue import SAID, catalogue, entries
from anachron.reporting.languages import LANGUAGES
from anachron.reporting.messages import messages, names_in
from anachron.studio.writing import CODES

ROOM = Path(anachron.__file__).parent / "studio"
OTHERS = sorted(LANGUAGES.keys() - {"en"})


def _templates() -> set[str]:
    files = (ROOM / "templates").glob("*.html")
    return {message.text for file in files for message in messages(file.read_text("utf-8"))}


def _own(language: str) -> list[tuple[str, str]]:
    files = sorted((ROOM / "texts" / language).glob("*.po"))
    return [
        pair for file in files if file.name != SAID for pair in entries(file.read_text("utf-8"))
    ]


def test_pages_are_written_in_every_language() -> None:
    assert set(CODES) == set(LANGUAGES)


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_of_a_page_is_missing_and_none_is_idle(language: str) -> None:
    shared = catalogue(language, "anachron.reporting").texts
    own = [english for english, _ in _own(language)]
    assert len(own) == len(set(own))
    assert set(own) & shared.keys() == set()
    assert set(own) - _templates() == set()
    assert _templates() - shared.keys() - set(own) == set()


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_of_a_page_shows_the_same_values(language: str) -> None:
    for english, told in _own(language):
        assert told.strip()
        assert names_in(english) == names_in(told), english


@pytest.mark.parametrize("language", OTHERS)
def test_what_other_rooms_say_is_told_once_and_with_the_same_gaps(language: str) -> None:
    shared = catalogue(language, "anachron.reporting").said
    pairs = list(entries((ROOM / "texts" / language / SAID).read_text("utf-8")))
    said = [english for english, _ in pairs]
    assert len(said) == len(set(said))
    assert set(said) & shared.keys() == set()
    gaps = re.compile(r"\{\w*\}")
    for english, told in pairs:
        # They are filled in order.
        assert gaps.findall(english) == gaps.findall(told), english
