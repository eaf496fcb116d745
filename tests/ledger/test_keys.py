"""Files in the place of a ledger's key that are no key: each is refused in words, at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from anachron.errors import LedgerError
from anachron.ledger import Ledger
from anachron.ledger.keys import ENVIRONMENT
from tests.crash.small import publish


def _large(file: Path) -> None:
    with file.open("wb") as made:
        made.truncate(1 << 40)
    file.chmod(0o600)


def _words(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    file.chmod(0o600)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a folder": lambda file: file.mkdir(0o700),
    "a link to nothing": lambda file: file.symlink_to("nowhere"),
    "a link to itself": lambda file: file.symlink_to(file.name),
    "a device": lambda file: file.symlink_to("/dev/zero"),
    "nothing": lambda file: _words(file, b""),
    "too short": lambda file: _words(file, b"x" * 31),
    "too long": lambda file: _words(file, b"x" * 33),
    "without end": _large,
    "another key": lambda file: _words(file, b"x" * 32),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_is_no_key_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, elsewhere: bool
) -> None:
    publish(tmp_path, 1)
    ledger = Ledger.open(tmp_path / "ledger")
    file = tmp_path / "ledger" / "key"
    if elsewhere:
        monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "keys"))
        file = ledger.move_key(tmp_path / "keys")
    file.unlink()
    HOSTILE[name](file)
    with pytest.raises(LedgerError) as refused:
        publish(tmp_path, 2)
    assert str(file) in str(refused.value) or "key" in str(refused.value)
    assert sorted(path.name for path in (tmp_path / "releases").iterdir()) == ["0001"]
