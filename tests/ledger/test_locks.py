"""Where files cannot be locked nobody is told to wait for a publisher who is not there."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from pathlib import Path

import pytest

from anachron.errors import LedgerBusy, LedgerError
from anachron.ledger import Ledger
from tests.crash.small import publish


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A ledger on which SQLite says that it is locked."""
    publish(tmp_path, 1)
    return tmp_path


def test_another_publisher_is_named_as_such(busy: Path) -> None:
    with (
        Ledger.open(busy / "ledger").publishing(busy / "releases"),
        pytest.raises(LedgerBusy, match="Another publisher is at work"),
    ):
        publish(busy, 2)
    assert publish(busy, 2).name == "0002"


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.EIO, errno.EOPNOTSUPP])
def test_locks_that_do_not_work_are_named_as_such(
    busy: Path, reason: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_file: int, _how: int) -> None:
        raise OSError(reason, os.strerror(reason))

    other = sqlite3.connect(busy / "ledger" / "catalog.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(fcntl, "lockf", failing)
    with pytest.raises(LedgerError, match=r"cannot be locked .*Move it to a local disk") as found:
        publish(busy, 2)
    assert os.strerror(reason) in str(found.value)
    assert not isinstance(found.value, LedgerBusy)
    other.close()
