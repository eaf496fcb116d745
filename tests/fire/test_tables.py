"""A fair sample of the campaign of malformed tables and plans; the thousands are in ``tables``."""

from __future__ import annotations

from pathlib import Path

from tests.fire.good import csv_text
from tests.fire.made import Made
from tests.fire.running import run
from tests.fire.tables import _words, _written, campaign, prepared


def test_every_command_takes_the_good_table(tmp_path: Path) -> None:
    """What is refused is refused for what is wrong with it, not for how it is asked for."""
    store = tmp_path / "store"
    store.mkdir()
    prepared(store)
    for command in ("publish", "init", "push", "audit", "utility"):
        folder = tmp_path / command
        folder.mkdir()
        (folder / "t.csv").write_text(csv_text())
        made = Made("t.csv")
        file = _written(made, command, folder, store)
        outcome = run(_words(command, made, file, store), folder)
        assert outcome.code == 0, (command, outcome.said)


def test_a_sample_of_malformed_tables_ends_as_it_must() -> None:
    assert campaign(cases=20, seed=3, workers=1, step=11) == 0
