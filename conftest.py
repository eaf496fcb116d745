"""Every test, and every example in the documentation, runs in an empty folder of its own."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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

# Examples are found by importing a file, and this one is of an extra that tests do without.
collect_ignore = [] if find_spec("boto3") else ["src/anachron/stores/s3.py"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANACHRON_KEYS", raising=False)
    # What a killed process of another test left aside is none of this one's business.
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path_factory.mktemp("aside")))


@contextmanager
def _keys_of(name: str) -> Iterator[None]:
    """Keys of new ledgers follow from a name: a test has the same lots in every run."""
    numbers = count()

    def drawn(size: int) -> bytes:
        return hashlib.shake_256(f"{name} {next(numbers)}".encode()).digest(size)

    given = SimpleNamespace(token_bytes=drawn, token_hex=secrets.token_hex)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anachron.ledger.keys.secrets", given)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give each test keys of its own."""
    with _keys_of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """What several tests share does not depend on which of them is the first."""
    if fixturedef.scope == "function":
        return (yield)
    with _keys_of(f"{request.node.nodeid} {fixturedef.argname}"):
        return (yield)


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
