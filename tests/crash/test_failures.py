"""Fail every operation of the disk in turn: nothing is half done, and the error says so."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import pytest

import anachron as an
from anachron.errors import LedgerError, ReleaseError
from anachron.ledger import Ledger
from tests.crash.doom import killed_at
from tests.crash.small import check_feed, check_whole, contents, publish, push
from tests.daily import daily

OPERATIONS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "rmdir", "chmod", "utime")
REASONS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EMFILE)


@contextmanager
def failing(at: int, reason: int, for_ever: bool) -> Iterator[list[str]]:
    """Fail the n-th operation, or all from the n-th on; give the operations that were tried."""
    tried: list[str] = []

    def wrapped(name: str) -> mock._patch[object]:
        real = getattr(os, name)

        def operation(*arguments: object, **options: object) -> object:
            tried.append(name)
            if len(tried) == at or (for_ever and len(tried) > at):
                raise OSError(reason, os.strerror(reason))
            return real(*arguments, **options)

        return mock.patch.object(os, name, operation)

    patches = [wrapped(name) for name in OPERATIONS]
    for patch in patches:
        patch.start()
    try:
        yield tried
    finally:
        for patch in patches:
            patch.stop()


def attempt(work: Callable[..., object], root: Path, number: int) -> str:
    """Do the work, and give what the error says, if there is one."""
    try:
        work(root, number)
        return ""
    except (LedgerError, ReleaseError) as error:
        if " failed: " not in str(error):
            raise
        return str(error)


@pytest.fixture
def start(tmp_path: Path) -> Path:
    root = tmp_path / "start"
    root.mkdir()
    publish(root, 1)
    return root


BY_TURNS = [(REASONS, False)]
EACH = [*(((reason,), False) for reason in REASONS), ((errno.EIO,), True)]


@pytest.mark.parametrize(("reasons", "for_ever"), daily([*BY_TURNS, *EACH], *BY_TURNS, EACH[-1]))
def test_a_failure_of_any_operation_leaves_all_or_nothing(
    start: Path, reasons: tuple[int, ...], for_ever: bool
) -> None:
    at, reached = 0, True
    while reached:
        at += 1
        root = start.with_name("run")
        shutil.copytree(start, root)
        with failing(at, reasons[at % len(reasons)], for_ever) as tried:
            answer = attempt(publish, root, 2)
        reached = len(tried) >= at
        check_whole(root, 1 if answer else 2)
        assert publish(root, 2).name == "0002"
        assert check_whole(root, 2) == 2
        shutil.rmtree(root)
    assert at > 25


@pytest.mark.parametrize(
    "before", [1, *(pytest.param(n, marks=pytest.mark.campaign) for n in (0, 2))]
)
def test_a_failure_of_any_operation_of_a_push_leaves_all_or_nothing(
    tmp_path: Path, before: int
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    Ledger.open(start / "ledger")
    for number in range(1, before + 1):
        push(start, number)
    at, reached = 0, True
    while reached:
        at += 1
        root = start.with_name("run")
        shutil.copytree(start, root)
        with failing(at, REASONS[at % len(REASONS)], for_ever=at % 3 == 0) as tried:
            answer = attempt(push, root, before + 1)
        reached = len(tried) >= at
        check_feed(root, before if answer else before + 1)
        push(root, before + 1)
        assert check_feed(root, before + 1) == before + 1
        shutil.rmtree(root)
    assert at > 8


def test_a_failure_while_a_ledger_is_made_leaves_none(tmp_path: Path) -> None:
    at, reached = 0, True
    while reached:
        at += 1
        root = tmp_path / str(at)
        root.mkdir()
        with failing(at, REASONS[at % len(REASONS)], for_ever=False) as tried:
            attempt(publish, root, 1)
        reached = len(tried) >= at
        assert publish(root, 1).name == "0001"
        assert check_whole(root, 1) == 1


def publish_in_little_room(root: Path, room: int) -> None:
    """SQLite writes by itself, so its failures need a limit of the operating system."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    try:
        publish(root, 2)
    except (LedgerError, ReleaseError):
        (root / "refused").touch()


def test_a_full_disk_under_the_catalog_leaves_all_or_nothing(start: Path) -> None:
    refused = []
    for room in range(1024, 50_000, 6000):
        root = start.with_name("run")
        shutil.copytree(start, root)
        assert not killed_at(10**9, publish_in_little_room, root, room)
        was_refused = (root / "refused").exists()
        (root / "refused").unlink(missing_ok=True)
        refused.append(was_refused)
        check_whole(root, 1 if was_refused else 2)
        publish(root, 2)
        assert check_whole(root, 2) == 2
        shutil.rmtree(root)
    assert any(refused)
    assert not all(refused)


def test_a_file_that_the_machine_cannot_read_is_no_mistake_of_the_release(
    start: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a refuted promise nor a mistake of ours: what failed is said, and nothing written."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = contents(start / "releases")
    for step in ("walk", "check_size"):
        with monkeypatch.context() as patch:
            patch.setattr(f"anachron.auditing.checks.files.{step}", full)
            with pytest.raises(an.AnachronError, match=r"Reading .* failed: No space left") as told:
                an.audit(start / "releases/0001")
            assert "mistake" not in str(told.value)
    assert contents(start / "releases") == before
