"""What the documentation tells a person to type, typed."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def shell(line: str) -> None:
    """Run one line of a shell block; ``# exit 1`` says that it must be refused.

    Processes are the matter of ``tests/cli/test_processes.py``; here the command is called.
    """
    command, _, comment = line.partition("#")
    expected = re.search(r"exit (\d)", comment)
    name, *words = shlex.split(command)
    if name == "cat":
        assert all(Path(word).is_file() for word in words)
        return
    assert name == "anachron", "what else a person types is not known here"
    done = CliRunner().invoke(anachron, words)
    assert done.exit_code == (int(expected[1]) if expected else 0), done.stderr


@pytest.mark.parametrize("name", ["getting-started.md", "from-a-spreadsheet.md"])
def test_a_page_works_as_typed_from_top_to_bottom(name: str) -> None:
    page = (ROOT / "docs" / name).read_text()
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for language, block in BLOCK.findall(page):
        if language == "sh":
            for line in block.splitlines():
                shell(line)
        elif language == "python":
            test = doctest.DocTestParser().get_doctest(block, names, "page", None, 0)
            runner.run(test, clear_globs=False)
            names = test.globs
        elif language == "toml" and name == "from-a-spreadsheet.md":
            plan = Path("plan.toml").read_text().splitlines(keepends=True)
            assert "".join(line for line in plan if line[0] != "#").startswith(block)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert "://" in target or (page.parent / target).exists(), target


def test_a_spreadsheet_takes_six_commands_at_most() -> None:
    page = (ROOT / "docs" / "from-a-spreadsheet.md").read_text()
    lines = [line for kind, block in BLOCK.findall(page) if kind in ("sh", "text")
             for line in block.splitlines()]  # fmt: skip
    assert 4 < len(lines) <= 6


def test_the_readme_names_the_command_that_ci_runs() -> None:
    command = "sh scripts/test"
    assert command in (ROOT / "README.md").read_text()
    assert command in (ROOT / ".ci" / "run").read_text()
