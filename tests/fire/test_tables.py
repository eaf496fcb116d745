"""A fair sample of the campaign of malformed tables and plans; the thousands are in ``tables``.

Both are played from a process of their own: in a fork of the test run, whose threads stay behind,
a library may wait for ever.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.fire.good import csv_text
from tests.fire.made import Made
from tests.fire.running import run
from tests.fire.tables import _words, _written, campaign, prepared  # noqa: F401 - by name

ROOT = Path(__file__).resolve().parents[2]


def played(call: str) -> None:
    """Call a function of this file where nothing has run yet."""
    done = subprocess.run(
        [sys.executable, "-c", f"from tests.fire.test_tables import *; {call}"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def every_command(folder: Path) -> None:
    store = folder / "store"
    store.mkdir()
    prepared(store)
    for command in ("publish", "init", "push", "audit", "utility"):
        place = folder / command
        place.mkdir()
        (place / "t.csv").write_text(csv_text())
        made = Made("t.csv")
        file = _written(made, command, place, store)
        outcome = run(_words(command, made, file, store), place)
        assert outcome.code == 0, (command, outcome.said)


def test_every_command_takes_the_good_table(tmp_path: Path) -> None:
    """What is refused is refused for what is wrong with it, not for how it is asked for."""
    played(f"every_command(Path({str(tmp_path)!r}))")


def test_a_sample_of_malformed_tables_ends_as_it_must() -> None:
    played("sys.exit(campaign(cases=8, seed=3, workers=1, step=29))")
