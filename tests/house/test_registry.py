"""Every room keeps its part of every method, and nobody else knows methods by name."""

from __future__ import annotations

import ast
from dataclasses import fields

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
    "present": "measuring",
    "members": "attacking",
    "regroup": "attacking",
    "page": "reporting",
    "charts": "reporting",
    "summary": "cli",
    "proposal": "cli",
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
