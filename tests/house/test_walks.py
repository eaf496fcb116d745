"""The walks through the house in docs/architecture.md: every file and every function is there."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.test_layers import DOCUMENTED, SOURCE

STEP = re.compile(r"^ *((?:\w+/)*\w+\.py) +(\w+) +\S", re.M)
WALKS = DOCUMENTED.read_text(encoding="utf-8").split("## Four walks")[1].split("## Decisions")[0]
BLOCKS = re.findall(r"```text\n(.*?)```", WALKS, re.S)


def test_there_are_four_and_none_is_long() -> None:
    assert [len(STEP.findall(block)) for block in BLOCKS] == [
        len(block.splitlines()) for block in BLOCKS
    ]
    assert len(BLOCKS) == 4
    assert max(len(block.splitlines()) for block in BLOCKS) <= 60


@pytest.mark.parametrize(("file", "name"), sorted(set(STEP.findall(WALKS))))
def test_every_step_is_there(file: str, name: str) -> None:
    defined = set()
    for node in ast.walk(ast.parse((SOURCE / file).read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    assert name in defined
