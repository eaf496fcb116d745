"""Every test, and every example in the documentation, runs in an empty folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long campaigns out unless they are asked for."""
    if "campaign" in str(config.getoption("-m")):
        return
    left_out = pytest.mark.skip(reason="a long campaign: run with -m campaign")
    for item in items:
        if item.get_closest_marker("campaign"):
            item.add_marker(left_out)
