"""Whatever a check or an attack can say is in every catalogue, and no catalogue says more."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import anachron
from anachron.reporting.catalogue import catalogue
from anachron.reporting.languages import LANGUAGES
from tests.house.sources import rooms
from tests.house.spoken import figures_in, said_in
from tests.house.test_languages import OTHERS, UNKNOWN, WORD

AUDIT, ATTACKS, FILES = "anachron.auditing", "anachron.attacking", "anachron.parquet"
ALIKE = {"Anachron", "ANACHRON_UNPACKED", "CSV"}
"""Words that are the same in all languages."""
GAP = re.compile(r"\{\w*\}")
QUOTED = re.compile(r"'[^']*'")


@cache
def spoken() -> dict[str, set[str]]:
    """Every text, with the roles in which it is said."""
    found: dict[str, set[str]] = {}
    for room in rooms(AUDIT, ATTACKS, FILES):
        for role, text in said_in(room):
            found.setdefault(text, set()).add(role)
    return found


@cache
def measured() -> frozenset[str]:
    """Every figure, as a certificate calls it."""
    return frozenset(
        key.replace("_", " ") for room in rooms(AUDIT, ATTACKS) for key in figures_in(room)
    )


def shown(text: str, roles: set[str]) -> list[str]:
    """A text as it can stand on a certificate: counted, with groups, or in a release."""
    forms = [text]
    if "wrong" in roles:
        forms += [f"1,234 {text}", f"{text} (1,234 groups, such as 3, 45)", f"{text}; 8 others"]
    if "where" in roles and not text.startswith("release"):
        forms.append(f"release 0012, {text}")
    return forms


def left_in_english(text: str, told: str) -> set[str]:
    """Words that a gap of another text has swallowed."""
    said, meant = (set(WORD.findall(QUOTED.sub("", one))) for one in (text, told))
    return (said & meant) - ALIKE


def test_texts_are_found() -> None:
    """One of each way in which the source can say something."""
    assert len(spoken()) > 350
    assert len(measured()) > 100
    assert {
        "rows too few",  # a key of what is wrong
        "7; 7 people with fewer than 7",  # a name that stands for it
        "7 in the smallest group, 7 in all (7 groups, such as 7)",  # a function that adds to it
        "something is missing or malformed",  # a constant of another module
        "in another order",  # a property of a table
        "others: patterns",  # a loop
        "7 snapshots with other numbers of published records",  # a key that is written later
        "row group 7, column 7, page 7: a run of no values",  # an error that holds another
        "not as published: its guarantee",  # an item of a list
        "at least 7 values left for everyone",  # handed to a function
    } <= spoken().keys()
    assert {"largest posterior", "exposed by quasi", "delay sigmas", "longest delay"} <= measured()


@pytest.mark.parametrize("language", OTHERS)
def test_all_that_checks_and_attacks_say_is_known(language: str) -> None:
    told = LANGUAGES[language].translated
    forms = [form for text, roles in spoken().items() for form in shown(text, roles)]
    assert [form for form in forms if UNKNOWN in told(form)] == []
    assert [form for form in forms if left_in_english(form, told(form))] == []


@pytest.mark.parametrize("language", OTHERS)
def test_all_figures_have_a_name(language: str) -> None:
    told = LANGUAGES[language].translated
    assert [key for key in measured() if UNKNOWN in told(key)] == []
    assert [key for key in measured() if left_in_english(key, told(key))] == []


@cache
def source() -> str:
    """All words of the source one after the other, whatever stands between them."""
    home = Path(anachron.__file__).parent
    files = (*home.rglob("*.py"), *(home / "reporting" / "specs").glob("*.json"))
    text = "\n".join(file.read_text("utf-8") for file in files)
    words = WORD.findall(re.sub(r'"\s*\n\s*f?"', "", text).lower().replace("_", " "))
    return f" {' '.join(words)} "


def pieces(words: list[str]) -> int:
    """Of how few pieces of the source some words can be made."""
    if not words:
        return 0
    ends = range(len(words), 0, -1)
    end = next((at for at in ends if f" {' '.join(words[:at])} " in source()), 0)
    return 1 + pieces(words[end:]) if end else 99


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_idle(language: str) -> None:
    """Each part between gaps is said, or made of few parts that are."""
    for text in catalogue(language, "anachron.reporting").said:
        parts = [WORD.findall(part.lower().replace("_", " ")) for part in GAP.split(text)]
        more = sum(max(pieces(words) - 1, 0) for words in parts)
        assert more <= 1 + sum(map(len, parts)) // 8, text
