"""The steps of the papers are in the files that docs/architecture.md names, and these say so."""

from __future__ import annotations

import ast
import re

import pytest

from tests.house.test_layers import DOCUMENTED, SOURCE

TABLE = DOCUMENTED.read_text(encoding="utf-8").split("## Where the papers are")[1].split("## ")[0]
STEPS = re.findall(r"^\| .*\| `(\S+\.py)` \| (.+?) \|$", TABLE, re.M)


def test_none_is_missing() -> None:
    assert len(STEPS) == len(re.findall(r"^\|", TABLE, re.M)) - 2
    assert len([line for line in TABLE.splitlines() if re.match(r"\| \w", line)]) == 12 + 1


@pytest.mark.parametrize(("file", "step"), STEPS, ids=lambda part: part)
def test_a_file_names_its_step(file: str, step: str) -> None:
    texts = [
        " ".join(node.value.split())
        for node in ast.walk(ast.parse((SOURCE / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert any(step in text for text in texts)
