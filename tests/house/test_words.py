"""One word for one thing: the glossary of docs/architecture.md, and names of classes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.house.test_docs import PAGES, ROOT
from tests.house.test_layers import DOCUMENTED, FILES, SOURCE, named

GLOSSARY = DOCUMENTED.read_text(encoding="utf-8").split("## Words")[1].split("## ")[0]
ENTRY = re.compile(r"^\| ([a-z, ]+) \| (.+?) \| `(\S+\.py)` `(\w+)` \|(.*)\|$", re.M)
ENTRIES = [(words.split(", "), file, name) for words, _, file, name, _ in ENTRY.findall(GLOSSARY)]
TITLE = re.compile(r"\*[\w-]+:? [^*]+\*")
"""Papers have the words that they have."""
NOT_USED = [word.strip() for *_, some in ENTRY.findall(GLOSSARY) for word in some.split(",")]


def test_every_line_of_the_glossary_is_one() -> None:
    lines = re.findall(r"^\|", GLOSSARY, re.M)
    assert len(ENTRIES) == len(lines) - 2
    words = [word for words, _, _ in ENTRIES for word in words]
    assert not [word for word, many in Counter(words).items() if many > 1]


@pytest.mark.parametrize(("words", "file", "name"), ENTRIES, ids=lambda part: str(part))
def test_a_word_is_at_home_where_it_is_said_to_be(words: list[str], file: str, name: str) -> None:
    """It is the name of what stands there, or occurs in it."""
    text = _home(SOURCE / file, name).casefold().replace("_", " ")
    assert not [word for word in words if word not in text and word.replace(" ", "") not in text]


def _home(path: Path, name: str) -> str:
    """The source of a class, or of an assignment with what is said of it."""
    source = path.read_text(encoding="utf-8")
    body = ast.parse(source).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return ast.get_source_segment(source, node) or ""
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            told = ast.unparse(after) if isinstance(after, ast.Expr) else ""
            return ast.unparse(node) + told
    raise AssertionError(f"{path} has no {name}")


@pytest.mark.parametrize("word", [word for word in NOT_USED if word])
def test_a_word_that_is_not_used_is_not_used(word: str) -> None:
    parts = re.findall("[a-z]+", word)
    assert not [path for path, names in _names().items() if _has(names, parts)]
    said = re.compile(rf"\b{re.escape(word)}s?\b", re.I)
    texts = {page: page.read_text(encoding="utf-8") for page in (*PAGES, ROOT / "CHANGELOG.md")}
    texts[DOCUMENTED] = texts[DOCUMENTED].replace(GLOSSARY, "")
    assert not [page.name for page, text in texts.items() if said.search(TITLE.sub("", text))]


@cache
def _names() -> dict[str, frozenset[tuple[str, ...]]]:
    """The names that each file gives to something, as words."""
    return {named(path): frozenset(_given(path)) for path in FILES}


def _given(path: Path) -> list[tuple[str, ...]]:
    found = [path.stem]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.arg):
            found.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
    apart = (re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in found)
    return [tuple(re.findall("[a-z]+", name)) for name in apart]


def _has(names: frozenset[tuple[str, ...]], parts: list[str]) -> bool:
    many = len(parts)
    return any(
        list(name[at : at + many]) == parts for name in names for at in range(len(name) - many + 1)
    )


def test_no_name_is_that_of_many_classes() -> None:
    defined = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert not {name for name, many in defined.items() if many > 2}


def test_no_file_is_long() -> None:
    lines = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert not {file for file, many in lines.items() if many > 350}
