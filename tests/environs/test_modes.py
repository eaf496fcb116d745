"""Who may read what is written: the ledger and its witness nobody else, releases as umask says."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from anachron import scratch
from anachron.ledger.witness import ENVIRONMENT
from anachron.release.durable import write_text
from tests.crash.small import publish, push

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(root: Path) -> dict[str, int]:
    """The modes of all that is below a folder."""
    found = {str(path.relative_to(root)): path.stat().st_mode for path in root.rglob("*")}
    return {name: stat.S_IMODE(mode) for name, mode in found.items()}


def test_modes_of_all_that_is_written(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(scratch.PLACE, raising=False)
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "witnesses"))
    root = tmp_path / "root"
    root.mkdir()
    publish(root, 1)
    push(tmp_path / "feed", 1)
    for private in (root / "ledger", tmp_path / "feed" / "ledger", tmp_path / "witnesses"):
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        for name, mode in modes(private).items():
            assert mode == (0o700 if (private / name).is_dir() else 0o600), name
    for name, mode in modes(root / "releases").items():
        every = 0o777 if (root / "releases" / name).is_dir() else 0o666
        assert mode == every & ~umask, name
    page = write_text(tmp_path / "certificate.html", "")
    assert stat.S_IMODE(page.stat().st_mode) == 0o666 & ~umask
    with scratch.near(root / "ledger"), scratch.folder() as aside:
        assert {*modes(root / "ledger" / "aside").values()} == {0o700, 0o600}
        assert stat.S_IMODE(aside.parent.stat().st_mode) == 0o700


def test_what_is_not_yet_published_can_be_read_by_nobody_else(tmp_path: Path, umask: int) -> None:
    from anachron.ledger import Ledger

    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as publication:
        assert stat.S_IMODE(publication.stage().stat().st_mode) == 0o700
