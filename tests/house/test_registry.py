"""Every room keeps its part of every method; and one more method is one more entry."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.run import ATTACKS
from anachron.guarantees import from_dict
from anachron.registry import METHODS, Method, Part, registered
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


class Fifth(an.TimeGranularity):
    """A promise of its own, kept in the way of another one."""

    method: ClassVar[str] = "fifth"


def test_one_more_method(tmp_path: Path) -> None:
    visits = pa.table({"who": ["a", "b", "c"], "when": ["2024-05-01"] * 3, "ill": ["x", "y", "y"]})
    schema = an.Schema(subject="who", time="when", sensitive="ill")
    place = Part(f"{__name__}:Fifth")
    with registered(replace(METHODS["granularity"], name="fifth", promise=place)):
        promise = Fifth(k=3)
        assert from_dict(promise.to_dict()) == promise
        release = an.publish(
            visits, schema, promise, ledger=tmp_path / "ledger", to=tmp_path / "releases"
        )
        assert release.guarantee["method"] == "fifth"
        assert an.audit(release, table=visits, schema=schema, ledger=tmp_path / "ledger").holds
        assert an.ask(release, "SELECT COUNT(*) WHERE ill = 'y'").estimate == 2
        found = an.attack(release, table=visits, schema=schema, ledger=tmp_path / "ledger")
        assert {"homogeneity", "share"} <= {one.attack for one in found}
        certificate = tmp_path / "certificate.html"
        an.report(release, certificate, table=visits, schema=schema, ledger=tmp_path / "ledger")
        assert "promise kept" in certificate.read_text()
    assert "fifth" not in METHODS
