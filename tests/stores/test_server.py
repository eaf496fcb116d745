"""The same against a server that speaks S3, over the network of this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.errors import AnachronError, LedgerError, ReleaseError
from anachron.ledger import Ledger
from tests.crash.doom import PROCESSES
from tests.crash.houses import HOUSES
from tests.crash.small import contents
from tests.daily import daily
from tests.stores.houses import STEPS, small, whole
from tests.stores.server import KEYS, Refused, Server, broken_off, served


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with served() as server:
        yield server


@pytest.fixture
def server(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    running.empty()
    return running


def begun_at(root: Path) -> Path:
    """A ledger with which nothing was published yet."""
    Ledger.open(root / "begun")
    return root / "begun"


def published(root: Path, begun: Path, name: str) -> dict[str, bytes]:
    """What a house publishes into a folder."""
    shutil.copytree(begun, root / "local" / "ledger")
    for step in range(1, STEPS[name] + 1):
        whole(name, root / "local" / "ledger", root / "local" / "releases", step)
    return contents(root / "local" / "releases")


@pytest.mark.parametrize("name", daily(STEPS, "granularity", "invariance"))
def test_objects_are_the_files_of_a_folder(name: str, server: Server, tmp_path: Path) -> None:
    begun = begun_at(tmp_path)
    expected = published(tmp_path, begun, name)
    for step in range(1, STEPS[name] + 1):
        whole(name, begun, server.at(), step)
    assert server.objects() == expected
    assert Ledger.open(begun).check() == []
    *_, history = an.flow.audit_history(server.at(), ledger=begun)
    assert history.holds


def test_commands_take_addresses(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    house = HOUSES["granularity"]
    pq.write_table(house.table(1), "t.parquet")
    an.Plan("t.parquet", house.schema, house.promise, server.at(), "ledger").write("plan.toml")
    release, page = server.at("releases/0001"), ["-o", "page.html"]

    def command(*words: str) -> dict[str, Any]:
        done = CliRunner().invoke(anachron, [*words, "--json"], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert "Sesame" not in done.output
        return dict(json.loads(done.stdout))

    assert command("publish", "plan.toml")["release"] == release
    assert command("ask", release, "SELECT COUNT(*)")["rows"] or True
    assert command("ask", server.at(), "SELECT COUNT(*)") == command(
        "ask", release, "SELECT COUNT(*)"
    )
    assert command("audit", release, "--plan", "plan.toml")["holds"]
    assert command("audit", server.at(), "--ledger", "ledger")
    assert command("attack", release, "--plan", "plan.toml")
    assert command("utility", release, "--plan", "plan.toml", "--questions", "5")
    assert command("report", release, "--ledger", "ledger", *page)
    assert release not in Path("page.html").read_text()
    assert command("ledger", "show", "ledger")["releases"][0]["folder"] == release
    assert command("ledger", "check", "ledger")["problems"] == []
    assert command("ledger", "recover", "ledger")["done"] == []
    done = CliRunner().invoke(anachron, ["publish", "plan.toml"])
    assert f"anachron report '{release}'" in done.output.replace("\n", " ")
    assert {path.name for path in tmp_path.iterdir()} == {
        "ledger", "page.html", "page.jsonld", "plan.toml", "t.parquet",
    }  # fmt: skip


def refused(status: str, code: str) -> Any:
    def hook(*_: Any) -> None:
        raise Refused(status, code)

    return hook


@pytest.mark.parametrize(
    ("hook", "says"),
    [
        (refused("403 Forbidden", "AccessDenied"), "answered AccessDenied.*AWS_ACCESS_KEY_ID.*put"),
        (refused("403 Forbidden", "InvalidAccessKeyId"), "InvalidAccessKeyId.*AWS_ACCESS_KEY_ID"),
        (refused("404 Not Found", "NoSuchBucket"), "NoSuchBucket.*Make the bucket first"),
        (refused("400 Bad", "Sesame4711 of a stranger"), "answered an error.*try again"),
        (broken_off, "cannot be reached.*try again"),
    ],
)
def test_what_a_store_refuses_is_said_with_a_remedy(
    hook: Any, says: str, server: Server, tmp_path: Path
) -> None:
    server.before = hook
    with pytest.raises(LedgerError, match=says) as told:
        small(tmp_path / "ledger", server.at(), 1)
    with pytest.raises(ReleaseError, match=says) as again:
        an.Release(server.at("releases/0001"))
    server.before = lambda *_: None
    assert not any(key in f"{told.value!r} {again.value!r}" for key in KEYS.values())
    assert (server.objects(), Ledger.open(tmp_path / "ledger").entries()) == ({}, [])


def test_a_bucket_that_is_not_there(server: Server, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"NoSuchBucket.*Make the bucket first"):
        small(tmp_path / "ledger", server.at(bucket="another"), 1)


def test_no_credentials_at_all(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(LedgerError, match=r"no credentials were found.*AWS_ACCESS_KEY_ID"):
        small(tmp_path / "ledger", server.at(), 1)
    assert server.asked == []


def test_without_boto3_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    before = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "anachron.stores.s3":
            raise ModuleNotFoundError(name)
        return before(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(AnachronError, match=r"pip install 'anachron\[s3\]'"):
        an.Release("s3://bucket/releases/0001")


def check(server: Server, ledger: Path, expected: dict[str, bytes]) -> None:
    known = Ledger.open(ledger)
    before = server.objects()
    assert before.items() <= expected.items()
    assert {name.partition("/")[0] for name in before} <= {e.path.name for e in known.entries()}
    known.recover()
    assert known.recover() == []
    there = server.objects()
    assert there.items() <= expected.items()
    assert there.keys() == {
        f"{entry.number:04d}/{name}" for entry in known.entries() for name in entry.files
    }
    assert known.check() == []


def snapshot(server: Server) -> dict[str, bytes]:
    return {key: found.value for key, found in server.backend.buckets["bucket"].keys.items()}


def put_back(server: Server, kept: dict[str, bytes]) -> None:
    server.empty()
    for key, content in kept.items():
        server.backend.put_object("bucket", key, content)


def killed_at_every_request(name: str, server: Server, tmp_path: Path, stride: int = 1) -> int:
    """Kill it before each request reaches the store, and after; go on, and compare."""
    begun = begun_at(tmp_path)
    expected = published(tmp_path, begun, name)
    kept: dict[str, bytes] = {}
    killed = 0
    for step in range(1, STEPS[name] + 1):
        at, reached = 1, True
        while reached:
            for when in ("before", "after"):
                ledger = tmp_path / "ledger"
                shutil.rmtree(ledger, ignore_errors=True)
                shutil.copytree(begun, ledger)
                put_back(server, kept)
                child = PROCESSES.Process(target=let_in, args=(name, ledger, server.at(), step))
                setattr(server, when, partial(kill, child, at))
                child.start()
                child.join()
                reached = child.exitcode == -signal.SIGKILL
                assert reached or child.exitcode == 0
                killed += reached
                server.before = server.after = lambda *_: None
                check(server, ledger, expected)
                whole(name, ledger, server.at(), step)
                check(server, ledger, expected)
            at += stride
        shutil.rmtree(begun)
        shutil.copytree(ledger, begun)
        kept = snapshot(server)
    assert server.objects() == expected
    return killed


def let_in(name: str, ledger: Path, to: str, step: int) -> None:
    # The process that it was forked from may have begun before there was a server.
    os.environ.update(KEYS)
    whole(name, ledger, to, step)


def kill(child: Any, at: int, number: int, _what: str, _environ: Any) -> None:
    if number == at:
        os.kill(child.pid, signal.SIGKILL)
        wait([child.sentinel])
        raise Refused("500 Gone", "Nobody")


@pytest.mark.campaign
@pytest.mark.parametrize("name", STEPS)
def test_a_process_that_is_killed_at_every_request(
    name: str, server: Server, tmp_path: Path
) -> None:
    assert killed_at_every_request(name, server, tmp_path) > 20 * STEPS[name] / 2


def test_a_process_that_is_killed_at_some_requests(server: Server, tmp_path: Path) -> None:
    assert killed_at_every_request("granularity", server, tmp_path, stride=19) > 1


@pytest.mark.parametrize("stride", daily([1, 17], 17))
def test_a_line_that_breaks_off(stride: int, server: Server, tmp_path: Path) -> None:
    """The answer is lost, and so may be all that follow; the request may have been carried out."""
    begun = begun_at(tmp_path)
    expected = published(tmp_path, begun, "granularity")
    at, asked = 1, 99
    while at <= asked:
        for when in ("before", "after"):
            ledger = tmp_path / "ledger"
            shutil.rmtree(ledger, ignore_errors=True)
            shutil.copytree(begun, ledger)
            server.empty()
            setattr(server, when, partial(cut_from, at))
            with pytest.raises(AnachronError, match="cannot be reached"):
                whole("granularity", ledger, server.at(), 1)
            server.before = server.after = lambda *_: None
            check(server, ledger, expected)
            server.asked.clear()
            whole("granularity", ledger, server.at(), 1)
            assert server.objects() == expected
            server.empty()
            whole("granularity", begun_at(tmp_path / f"{when}-{at}"), server.at(), 1)
            asked = len(server.asked)
        at += stride


@pytest.mark.parametrize("stride", daily([2, 29], 29))
def test_who_reads_is_told_that_a_line_broke_off(
    stride: int, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that cannot be reached is not one that is lost, nor one that fails."""
    from anachron.stores import s3

    # Asking again is tried above; here it would only take time.
    once = s3._SETTINGS.merge(s3.Config(retries={"total_max_attempts": 1}))
    monkeypatch.setattr(s3, "_SETTINGS", once)
    s3._client.cache_clear()
    ledger = tmp_path / "ledger"
    for step in (1, 2):
        whole("invariance", ledger, server.at(), step)
    whole("granularity", tmp_path / "events", server.at("events"), 1)
    there = server.objects()
    works = [
        lambda: whole("granularity", tmp_path / "events", server.at("events"), 1),
        lambda: whole("invariance", ledger, server.at(), 2),
        lambda: an.ask(server.at("releases/0002"), "SELECT COUNT(*)"),
        lambda: an.audit(server.at("releases/0002"), ledger=ledger),
        lambda: an.flow.audit_history(server.at(), ledger=ledger),
        lambda: an.attack(server.at("releases/0002"), ledger=ledger),
    ]
    for work in works:
        server.asked.clear()
        server.before = lambda *_: None
        work()
        for at in range(1, len(server.asked) + 1, stride):
            server.asked.clear()
            server.before = partial(cut_from, at)
            with pytest.raises(AnachronError, match=r"cannot be reached.*try again"):
                work()
    assert "cannot be reached" in Ledger.open(ledger).check()[0]
    server.before = lambda *_: None
    assert (server.objects(), Ledger.open(ledger).check()) == (there, [])
    s3._client.cache_clear()


def cut_from(at: int, number: int, what: str, environ: Any) -> None:
    if number >= at:
        broken_off(number, what, environ)
