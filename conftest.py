"""Every test, and every example in the documentation, runs in an empty folder of its own."""

from __future__ import annotations

import secrets
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every machine and in every run, however slow it is. New ones are looked
# for by the campaigns.
settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANACHRON_KEYS", raising=False)
    # What a killed process of another test left aside is none of this one's business.
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path_factory.mktemp("aside")))


@pytest.fixture
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every new ledger has the same key: with it all lots are given, and nothing is by chance."""
    drawn = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    monkeypatch.setattr("anachron.ledger.keys.secrets", drawn)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long campaigns out unless they are asked for."""
    if "campaign" in str(config.getoption("-m")):
        return
    left_out = pytest.mark.skip(reason="a long campaign: run with -m campaign")
    for item in items:
        if item.get_closest_marker("campaign"):
            item.add_marker(left_out)
