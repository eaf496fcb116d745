"""Publish: a process of its own, followed, cancelled, killed, and never two at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anachron as an
from anachron.progress import LISTENED, told
from anachron.studio.differences import differences
from anachron.studio.work import Work
from tests.studio.conftest import Reader

PLAN = "visits/plan.toml"


def ended(reader: Reader) -> Work:
    work = next(reader.studio.works.about(PLAN))
    until = time.monotonic() + 120
    while work.running:
        assert time.monotonic() < until
        time.sleep(0.05)
    return work


def test_one_button_publishes_what_the_command_would(planned: Reader, folder: Path) -> None:
    assert "this will be the first release" in planned.get("/publish", plan=PLAN)
    assert planned.post("/publish", plan=PLAN).startswith("/publish")
    page = planned.get("/publish", plan=PLAN)
    work = next(planned.studio.works.about(PLAN))
    if work.running:  # reloaded meanwhile
        assert f'data-work="{work.key}"' in page
        assert "Something is being published already" in planned.post("/publish", 409, plan=PLAN)
    events = planned.get("/work/events", work=work.key)
    assert "event: progress" in events
    assert events.rstrip().endswith('data: {"code": 0}')
    assert ended(planned).code == 0, work.failed
    assert (folder / "visits/releases/0001").is_dir()
    assert an.audit(folder / "visits/releases/0001", ledger=folder / "visits/ledger").holds
    page = planned.get("/publish", plan=PLAN)
    assert "visits/releases/0001" in page
    assert "The same table again gives the same release" in page
    assert "Zebedee" not in page + events
    assert "ledger in order" in planned.get("/")


def test_a_refusal_is_told_and_nothing_is_there(planned: Reader, folder: Path) -> None:
    text = (folder / PLAN).read_text().replace("k = 5", "k = 5000")
    (folder / PLAN).write_text(text)
    planned.post("/publish", plan=PLAN)
    assert ended(planned).code == 1
    page = planned.get("/publish", plan=PLAN)
    assert "It was not published" in page
    assert "Nothing was published" in page
    assert not (folder / "visits" / "releases" / "0001").exists()


def test_a_cancel_is_a_stop(planned: Reader, folder: Path) -> None:
    planned.post("/publish", plan=PLAN)
    work = next(planned.studio.works.about(PLAN))
    planned.post("/work/cancel", work=work.key, back="/publish", plan=PLAN)
    # 1 and the signal itself: it came before the command had begun.
    assert ended(planned).code in (130, -signal.SIGINT, 1, 0)
    if work.code:
        assert not list((folder / "visits").glob("releases/0*"))
        assert "It was not published" in planned.get("/publish", plan=PLAN)


def test_a_command_that_is_killed_leaves_all_or_nothing(planned: Reader, folder: Path) -> None:
    planned.post("/publish", plan=PLAN)
    work = next(planned.studio.works.about(PLAN))
    while work.running and work.told[1] < 0.2:
        time.sleep(0.01)
    assert work._process is not None
    os.kill(work._process.pid, signal.SIGKILL)
    ended(planned)
    assert planned.get("/publish", plan=PLAN)
    assert planned.get("/")
    planned.post("/publish", plan=PLAN)
    assert ended(planned).code == 0
    assert len(list((folder / "visits/releases").glob("0*"))) == 1
    assert an.Ledger.open(folder / "visits/ledger", create=False).check() == []


def test_differences_name_parts_and_no_values() -> None:
    schema = an.Schema(subject="who", quasi=["age"], sensitive="ill")
    before = an.Plan("t.csv", schema, an.MInvariance(m=3, mode="sticky", values=["flu", "burn"]))
    now = an.Plan("t.csv", schema, an.MInvariance(m=4, mode="sticky", values=["flu"]))
    told = {"schema": before.schema.to_dict(), "guarantee": before.guarantee.to_dict()}
    found = {one.part: (one.before, one.now) for one in differences(now, told)}
    assert found == {"guarantee.m": ("3", "4"), "guarantee.values": ("2 entries", "1 entry")}


def test_a_command_whose_page_was_killed_stops_and_leaves_all_or_nothing(
    planned: Reader, folder: Path
) -> None:
    """Nobody reads any more how far it is: as after ``kill -9`` of the page."""
    command = [sys.executable, "-m", "anachron", "publish", PLAN, "--json"]
    child = subprocess.Popen(
        command, cwd=folder, env={**os.environ, LISTENED: "lines"},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stderr is not None
    first = told(child.stderr.readline())
    assert first is not None
    assert first[1] < 1
    child.stderr.close()
    answer = child.stdout.read()
    child.stdout.close()
    assert child.wait() == 130, answer
    assert b"Nothing was published" in answer
    assert not list((folder / "visits").glob("releases/0*"))
    assert "nothing published yet" in planned.get("/") or "ledger in order" in planned.get("/")
