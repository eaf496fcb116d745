"""Which folder may import which: the law of the house, as a table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house.rooms import FREE, ROOMS, table

SOURCE = Path(__file__).parents[2] / "src" / "anachron"
DOCUMENTED = SOURCE.parents[1] / "docs" / "architecture.md"

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


def named(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def test_rooms_import_what_the_table_says_and_nothing_else() -> None:
    found: dict[str, set[str]] = {room.name: set() for room in ROOMS}
    for path in FILES:
        found[part_of(path)] |= imports(path) - {part_of(path)} - FREE
    assert found == {room.name: {*room.imports, *room.libraries} - FREE for room in ROOMS}


def test_the_table_of_the_documentation_is_this_one() -> None:
    assert table() in DOCUMENTED.read_text(encoding="utf-8"), "python -m tests.house.rooms"


def test_methods_know_no_engine_but_the_protocol_and_the_audit_knows_no_planning() -> None:
    barred = {
        "methods": ("engines.local",),
        "auditing": ("engines.local.table", "engines.local.rows"),
    }
    assert not [
        named(path)
        for path in FILES
        for what in barred.get(part_of(path), ())
        if what in path.read_text()
    ]


def test_files_stay_small() -> None:
    assert not [named(path) for path in FILES if len(path.read_text().splitlines()) > 400]
    assert not [named(path) for path in FILES if path.name == "utils.py"]


def test_functions_fit_a_screen() -> None:
    assert not [
        f"{named(path)}: {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines(node) > 45
    ]


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How long a function is, less its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_kinds_of_arrays_have_one_name() -> None:
    alias = re.compile(r"^[A-Z]\w* = npt\.NDArray\[np\.(int64|int32|float64|bool_|uint8|uint64)\]$")
    assert {
        named(path)
        for path in FILES
        if any(alias.match(line) for line in path.read_text().splitlines())
    } == {"arrays.py"}


# What must be done in one place only, because its dangers are dealt with there.
DOORS = {
    "duckdb.connect(": "instances.py",  # extensions that load themselves
    "borrowed(": "database.py",  # bars, zones, and rows spilled into any folder
    "tempfile": "scratch.py",  # people's data left behind on a disk: only what was published may be
    "njit": "kernels/compiled.py",  # caches that cannot be written
    "signal.signal(": "stopping.py",
    '"ANACHRON_MEMORY"': "memory.py",
}


def test_databases_that_are_used_again_are_set_up_in_one_place_only() -> None:
    """What is set for a whole database stays for whoever has it next."""
    setting = re.compile(r"""["']SET """)
    found = {named(path) for path in FILES if setting.search(path.read_text())}
    assert found == {"database.py", "instances.py"}


@pytest.mark.parametrize(("what", "door"), DOORS.items())
def test_what_is_dangerous_is_done_behind_one_door(what: str, door: str | None) -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in FILES
        for line in path.read_text().splitlines()
        if what in line and not {">>>", "...", "def"} & set(line.split())
    }
    assert found == ({door} if door else set())
