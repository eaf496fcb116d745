"""Every room keeps its part of every method, and nobody else knows methods by name."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

import pytest

from anachron.attacking.run import ATTACKS
from anachron.registry import METHODS, Method, Part
from tests.house.test_layers import FILES, named, part_of

ROOM = {
    "promise": "guarantees",
    "layout": "published",
    "courses": "making",
    "judge": "auditing",
    "measure": "measuring",
    "members": "placing",
    "regroup": "attacking",
    "page": "reporting",
    "shown": "reporting",
    "summary": "cli",
    "proposal": "proposing",
    "trial": "trying",
    "frontier": "exploring",
}


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_parts_are_there_and_in_their_room(method: Method) -> None:
    parts = {one.name: getattr(method, one.name) for one in fields(method)}
    found = {name: part for name, part in parts.items() if isinstance(part, Part)}
    assert found.keys() <= ROOM.keys() <= parts.keys()
    for name, part in found.items():
        assert part.place.startswith(f".{ROOM[name]}")
        assert part.load() is not None
    assert method.promise.load().method == method.name
    assert method.attacks <= set(ATTACKS)


def test_a_room_asks_for_its_own_parts_only() -> None:
    asked = {
        (node.attr, part_of(path), named(path))
        for path in FILES
        if "METHODS" in path.read_text()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript)
        if node.attr in ROOM
    }
    assert {part for part, _, _ in asked} == set(ROOM)
    assert not [where for part, room, where in asked if ROOM[part] != room]


def test_no_other_file_has_a_table_of_methods() -> None:
    """A dictionary with a key for each method belongs into the registry."""
    tables = {
        named(path)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Dict)
        if set(METHODS) <= {key.value for key in node.keys if isinstance(key, ast.Constant)}
    }
    assert not tables


KNOWN_BY_NAME = {
    "auditing/chain.py",
    "auditing/history.py",
    "auditing/whole.py",
}
"""Files that still compare with the name of a method: this list can only become shorter."""
KNOWN_BY_CLASS = {
    "flow/releases.py",
}
"""Files outside the rooms of the methods that still ask which promise it is; likewise."""


def test_hardly_anybody_knows_a_method_by_name() -> None:
    assert {named(path) for path in FILES if _compares_names(path)} == KNOWN_BY_NAME


def _compares_names(path: Path) -> bool:
    compared = (node for node in ast.walk(ast.parse(path.read_text())) if type(node) is ast.Compare)
    return any(
        isinstance(one, ast.Constant) and one.value in METHODS and _is_method(ast.unparse(node))
        for node in compared
        for one in ast.walk(node)
    )


def _is_method(comparison: str) -> bool:
    """Whether a method is compared, and no part or key that has the same name."""
    return "method" in comparison


def test_hardly_anybody_asks_which_promise_it_is() -> None:
    """Where a feed's snapshots become registers, its own rooms ask for that."""
    promises = {method.promise.load().__name__ for method in METHODS.values()}
    asking = {
        (part_of(path), named(path))
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
        if promises & {one.id for one in ast.walk(node.args[1]) if isinstance(one, ast.Name)}
    }
    of_methods = {"guarantees", "methods", "making", "reporting"}
    assert {file for room, file in asking if room not in of_methods} == KNOWN_BY_CLASS
