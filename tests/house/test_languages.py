"""Every language says everything: no sentence is missing, none is idle, none lost a figure."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from string import Formatter

import pytest

import anachron
from anachron import attacking, auditing
from anachron.auditing.check import Declared
from anachron.calendar.definitions import BUILT_IN
from anachron.published.kinds import KINDS
from anachron.reporting.catalogue import SAID, catalogue, entries
from anachron.reporting.languages import LANGUAGES
from anachron.reporting.messages import messages, names_in

ROOM = Path(anachron.__file__).parent / "reporting"
OTHERS = sorted(LANGUAGES.keys() - {"en"})
UNKNOWN = 'lang="en"'
WORD = re.compile(r"[A-Za-z_]{3,}")
MAY_LACK = {"unit", "units", "granule", "steps"}
"""Names of granularities: a language with genders may speak of a stretch of time instead."""


def _templates() -> Counter[str]:
    files = (ROOM / "templates").glob("*.html")
    return Counter(message.text for file in files for message in messages(file.read_text("utf-8")))


def _files(language: str) -> list[Path]:
    return sorted((ROOM / "texts" / language).glob("*.po"))


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_of_a_template_is_missing_and_none_is_idle(language: str) -> None:
    given = catalogue(language, "anachron.reporting").texts
    assert given.keys() - _templates().keys() == set()
    assert _templates().keys() - given.keys() == set()
    assert all(text.strip() for text in given.values())


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_given_twice(language: str) -> None:
    """Else one of the two would win by the name of its file."""
    for files in (
        [f for f in _files(language) if f.name != SAID],
        [ROOM / "texts" / language / SAID],
    ):
        told = Counter(english for f in files for english, _ in entries(f.read_text("utf-8")))
        assert [text for text, n in told.items() if n > 1] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_message_shows_the_same_values(language: str) -> None:
    for english, told in catalogue(language, "anachron.reporting").texts.items():
        lost = names_in(english) - names_in(told)
        if lost == {"{}"}:  # of which German may leave out the name of a granularity
            assert "{}" not in told
            assert english.startswith(("happened in", "stand in", "Number of the group: records"))
            continue
        assert lost <= MAY_LACK, english
        assert names_in(told) <= names_in(english), english


@pytest.mark.parametrize("language", OTHERS)
def test_every_finished_text_keeps_its_gaps(language: str) -> None:
    for english, told in catalogue(language, "anachron.reporting").said.items():
        assert _gaps(english) == _gaps(told), english


def _gaps(text: str) -> list[str]:
    """The gaps in order: what is said must not change places with a number."""
    return [name for _, name, _, _ in Formatter().parse(text) if name is not None]


def _declared() -> Iterator[Declared[..., object]]:
    for module in walk_packages(auditing.__path__, "anachron.auditing."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Declared):
                yield value


def _attacks() -> Iterator[str]:
    """What findings are called, what they are about and what the adversary knows: literal texts."""
    for module in walk_packages(attacking.__path__, "anachron.attacking."):
        source = Path(str(import_module(module.name).__file__)).read_text("utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                for given in node.keywords:
                    said = given.arg in ("title", "about", "knows")
                    if said and isinstance(given.value, ast.Constant):
                        yield str(given.value.value)


def _titles(spec: object) -> Iterator[str]:
    if isinstance(spec, list):
        for one in spec:
            yield from _titles(one)
    elif isinstance(spec, dict):
        for key, value in spec.items():
            if key == "title" and isinstance(value, str):
                yield value
            else:
                yield from _titles(value)


def _charts() -> Iterator[str]:
    """What stands at axes and above columns of the charts of certificates."""
    for file in (ROOM / "specs").glob("*.json"):
        if file.stem not in ("values", "counterfeits"):  # for notebooks alone
            yield from _titles(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize("language", OTHERS)
def test_checks_attacks_charts_granularities_and_kinds_are_known(language: str) -> None:
    told = LANGUAGES[language].translated
    checks = [re.sub(r"\{[^}]*\}", "7", text) for one in _declared()
              for text in (one.about, one.promised) if not text.startswith("Find ")]  # fmt: skip
    assert len(checks) > 150
    attacks, charts = list(_attacks()), list(_charts())
    assert len(attacks) >= 36
    assert len(charts) > 10
    said = [*checks, *attacks, *charts, *BUILT_IN, *KINDS]
    assert [text for text in said if UNKNOWN in told(text)] == []
