"""The walks through the house in docs/architecture.md: they are there, and they are walked."""

from __future__ import annotations

import ast
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from tests.house.test_layers import DOCUMENTED, SOURCE
from tests.ledger.stories import STORIES

STEP = re.compile(r"^ *((?:\w+/)*\w+\.py) +(\w+) +\S", re.M)
WALKS = DOCUMENTED.read_text(encoding="utf-8").split("## Four walks")[1].split("## Decisions")[0]
FOLDER = f"{SOURCE}/"
BLOCKS = re.findall(r"```text\n(.*?)```", WALKS, re.S)


def test_there_are_four_and_none_is_long() -> None:
    assert [len(STEP.findall(block)) for block in BLOCKS] == [
        len(block.splitlines()) for block in BLOCKS
    ]
    assert len(BLOCKS) == 4
    assert max(len(block.splitlines()) for block in BLOCKS) <= 60


@pytest.mark.parametrize(("file", "name"), sorted(set(STEP.findall(WALKS))))
def test_every_step_is_there(file: str, name: str) -> None:
    assert name in _defined(file, ast.FunctionDef) | _defined(file, ast.ClassDef) | _values(file)


def _defined(file: str, kind: type[ast.FunctionDef] | type[ast.ClassDef]) -> set[str]:
    tree = ast.parse((SOURCE / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, kind)}


def _values(file: str) -> set[str]:
    assigned = (node for node in ast.parse((SOURCE / file).read_text()).body)
    named = (node.targets for node in assigned if isinstance(node, ast.Assign))
    return {target.id for some in named for target in some if isinstance(target, ast.Name)}


PUBLISH = ("publish", "visits.toml")
PUSHES = [
    ("push", f"{name}.toml", f"{n}.parquet") for name in ("anatomy", "composed") for n in "123"
]
WALKED = {
    "publish": ("visits", (), [PUBLISH]),
    "push": ("anatomy composed", (), PUSHES),
    "audit": (
        "register",
        ("publish", "register.toml"),
        [
            ("audit", "register/0001", "--plan", "register.toml"),
            ("audit", "register", "--ledger", "register-ledger"),
        ],
    ),
    "ask": ("visits", PUBLISH, [("ask", "visits/0001", "SELECT COUNT(*) WHERE ill = 'dengue'")]),
}
"""By what is typed: the stories that are at hand, what is typed before, and the walk itself."""


@pytest.mark.parametrize("block", BLOCKS, ids=WALKED)
def test_a_walk_is_as_it_is_told(
    block: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stories, before, walk = WALKED[request.node.callspec.id]
    monkeypatch.chdir(tmp_path)
    for name in stories.split():
        _planned(name)
    if before:
        _type(before)
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, _event: str, _given: object) -> None:
        code = frame.f_code
        if code.co_filename.startswith(FOLDER):
            called.add((code.co_filename.removeprefix(FOLDER), code.co_name))

    others = sys.gettrace(), threading.gettrace()  # such as those who measure coverage
    threading.settrace(note)
    sys.settrace(note)
    try:
        for words in walk:
            _type(words)
    finally:
        sys.settrace(others[0])
        threading.settrace(others[1])
    told = STEP.findall(block)
    functions = {(file, name) for file, name in told if name in _defined(file, ast.FunctionDef)}
    assert len(functions) > 5
    assert not functions - called


def _planned(name: str) -> None:
    """Write tables of a story, and the plan for the first."""
    story = STORIES[name]
    for number in (1, 2, 3):
        pq.write_table(story.table(number), f"{number}.parquet")
    plan = an.Plan("1.parquet", story.schema, story.promise,
                   releases=Path(name), ledger=Path(f"{name}-ledger"))  # fmt: skip
    plan.write(Path(f"{name}.toml"))


def _type(words: Sequence[str]) -> None:
    done = CliRunner().invoke(anachron, words)
    assert done.exit_code == 0, done.output
