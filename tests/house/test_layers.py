"""Which folder may import which: the law of the house, as a table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "anachron"

# For each folder or module: the parts of Anachron and the libraries it may import.
# The standard library is always allowed; a folder may always import itself.
ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "steps": set(),
    "stopping": set(),
    "scratch": {"errors"},
    "database": {"errors", "scratch", "stopping", "duckdb"},
    "notebook": set(),
    "schema": {"errors"},
    "spelling": {"numpy", "pyarrow"},
    "ladders": {"errors"},
    "guarantees": {"errors", "ladders", "calendar"},
    "calendar": {"errors", "numpy", "holidays"},
    "plan": {"errors", "schema", "guarantees", "ladders", "calendar", "pydantic"},
    "kernels": {"numpy", "numba", "scipy"},
    "source": {"errors", "database", "duckdb", "numpy", "pyarrow", "narwhals",
               "adbc_driver_postgresql", "plan", "schema", "guarantees", "calendar"},
    "engines": {"errors", "database", "schema", "spelling", "calendar", "kernels", "source",
                "duckdb", "numpy", "pyarrow"},
    "methods": {"errors", "schema", "spelling", "guarantees", "ladders", "calendar", "kernels",
                "engines", "numpy", "pyarrow"},
    # A release is asked, and shows itself in a notebook: both are called when they are needed.
    "release": {"errors", "notebook", "steps", "asking", "reporting", "guarantees", "calendar",
                "pyarrow", "duckdb", "pandas", "polars", "numpy"},
    "ledger": {"errors", "schema", "scratch", "spelling", "steps", "release", "pyarrow",
               "duckdb", "numpy"},
    "auditing": {"errors", "database", "notebook", "schema", "guarantees", "calendar", "ladders",
                 "release", "ledger", "engines", "source", "duckdb", "numpy", "pyarrow",
                 "holidays"},
    "asking": {"errors", "notebook", "guarantees", "calendar", "release", "kernels", "methods",
               "sqlglot", "scipy",
               "numpy", "pyarrow"},
    "measuring": {"errors", "notebook", "schema", "guarantees", "calendar", "release", "asking",
                  "engines",
                  "auditing", "kernels", "methods", "numpy", "pyarrow", "duckdb"},
    "attacking": {"errors", "schema", "guarantees", "calendar", "ladders", "release", "ledger",
                  "engines", "auditing", "kernels", "methods", "numpy", "pyarrow", "duckdb"},
    "reporting": {"errors", "database", "notebook", "release", "auditing", "attacking", "measuring",
                  "duckdb", "pyarrow", "vl_convert", "numpy"},
    "publishing": {"errors", "schema", "guarantees", "engines", "methods", "release", "ledger",
                   "auditing"},
    "feeds": {"errors", "stopping", "schema", "guarantees", "engines", "methods", "release",
              "ledger", "auditing", "publishing", "numpy"},
    "flow": {"errors", "stopping", "schema", "guarantees", "plan", "engines", "publishing", "feeds",
             "release", "ledger", "auditing", "asking", "measuring", "attacking", "reporting"},
    "demo": {"errors", "flow", "plan", "schema", "guarantees", "ladders", "calendar", "numpy",
             "pyarrow", "release", "auditing"},
    "cli": {"errors", "stopping", "flow", "feeds", "plan", "schema", "guarantees", "ladders",
            "calendar", "source", "release", "ledger", "auditing", "asking", "measuring",
            "attacking", "demo", "click", "rich", "pydantic", "numpy"},
    "__init__": {"auditing", "calendar", "errors", "flow", "guarantees", "ladders", "ledger",
                 "plan", "release", "schema"},
    "__main__": {"cli"},
}  # fmt: skip

STANDARD = __import__("sys").stdlib_module_names


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The parts of Anachron and the libraries that a file imports, at the top or inside."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            if node.module == "anachron":
                names = [f"anachron.{alias.name}" for alias in node.names]
        for name in names:
            top, *rest = name.split(".")
            if top == "anachron":
                found.add(rest[0] if rest else "anachron")
            elif top not in STANDARD:
                found.add(top)
    return found


FILES = sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_file_imports_only_what_its_folder_may(path: Path) -> None:
    part = part_of(path)
    assert imports(path) - {part} <= ALLOWED[part]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_methods_know_no_engine_but_the_protocol_and_the_audit_knows_no_planning(
    path: Path,
) -> None:
    text = path.read_text()
    if part_of(path) == "methods":
        assert "engines.local" not in text
    if part_of(path) == "auditing":
        assert "engines.local.table" not in text
        assert "engines.local.publish" not in text


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    assert path.name != "utils.py"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_functions_fit_a_screen(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body

            length = body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]
            assert length <= 45, f"{path.name}:{node.name} has {length} lines"


# What must be done in one place only, because its dangers are dealt with there.
DOORS = {
    "duckdb.connect(": "database.py",  # bars, extensions, zones, and rows spilled into any folder
    "tempfile": "scratch.py",  # people's data left behind on a disk
    "njit": "kernels/compiled.py",  # caches that cannot be written
    "signal.signal(": "stopping.py",
    "os.environ.get(_MEMORY": "database.py",
}


@pytest.mark.parametrize(("what", "door"), DOORS.items())
def test_what_is_dangerous_is_done_behind_one_door(what: str, door: str) -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in FILES
        for line in path.read_text().splitlines()
        if what in line and ">>>" not in line and "..." not in line
    }
    assert found == {door}
