"""Stopped at any moment: a plain word, the right exit code, nothing half-made, nothing left."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anachron.database import connected
from anachron.ledger import Ledger
from anachron.stopping import STOPS, Terminated, stoppable
from tests.environs.spilling import prepare, publishing, spilled, wait_until

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

Moment = Callable[[Path], object]


def reading(root: Path) -> bool:
    """The table is about to be read, or is being read."""
    return any((root / "aside").rglob("lock"))


def writing(root: Path) -> bool:
    """Rows are being written."""
    return any(file.stat().st_size for file in root.glob("releases/.*/*.parquet"))


CASES: list[tuple[signal.Signals, Moment]] = [
    (signal.SIGINT, reading),
    (signal.SIGINT, spilled),
    (signal.SIGINT, writing),
    (signal.SIGTERM, spilled),
    (signal.SIGHUP, writing),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("stopping")
    prepare(found)
    return found


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    """Hear all signals: what runs in the background may have been started without some of them."""
    ways = {signal.SIGINT: signal.default_int_handler}
    before = {how: signal.signal(how, ways.get(how, signal.SIG_DFL)) for how in CODES}
    yield
    for how, handler in before.items():
        signal.signal(how, handler)


@pytest.fixture(autouse=True)
def _nothing_is_left(root: Path) -> Iterator[None]:
    yield
    assert [*(root / "aside").rglob("*")] == []


@pytest.mark.parametrize(("how", "moment"), CASES)
def test_a_stopped_publisher_says_so_and_leaves_nothing(
    root: Path, how: signal.Signals, moment: Moment
) -> None:
    process = publishing(root, "--json")
    wait_until(lambda: moment(root), process)
    process.send_signal(how)
    out, err = process.communicate(timeout=60)
    assert process.returncode == CODES[how], err
    said = json.loads(out)["error"]
    assert said["message"] == "stopped. Nothing was published."
    assert "mistake" not in out + err
    assert "Traceback" not in err
    assert not [*root.glob("releases/*"), *root.glob("releases/.*")]
    if (root / "ledger").exists():
        ledger = Ledger.open(root / "ledger")
        assert (ledger.entries(), ledger.recover(), ledger.check()) == ([], [], [])


def test_who_is_impatient_leaves_nothing_either(root: Path) -> None:
    process = publishing(root)
    wait_until(lambda: writing(root), process)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip().endswith("stopped. Nothing was published.")
    assert not [*root.glob("releases/.*")]


def test_a_script_is_stopped_by_what_it_expects(root: Path) -> None:
    script = """
import anachron as an, signal, threading
threading.Timer(1.5, lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    an.publish("visits.parquet", an.Schema("who", "day", ["ward"], ["note"]),
               an.TimeGranularity(k=5, granularities=["month"]))
except KeyboardInterrupt:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    print("stopped")
"""
    environment = {"ANACHRON_MEMORY": "330MB", "ANACHRON_TMP": str(root / "aside")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr


def test_whatever_a_library_makes_of_a_stop_it_leaves_as_one() -> None:
    def swallow(how: signal.Signals, then: BaseException | None) -> None:
        with stoppable():
            try:
                signal.raise_signal(how)
            except STOPS:
                if then is not None:
                    raise then from None

    with pytest.raises(KeyboardInterrupt):
        swallow(signal.SIGINT, RuntimeError("Query interrupted"))
    with pytest.raises(Terminated, match="143"):
        swallow(signal.SIGTERM, ValueError("damaged"))
    with pytest.raises(KeyboardInterrupt):
        swallow(signal.SIGINT, None)
    # The next piece of work knows nothing of it.
    with stoppable():
        pass


def test_a_stop_that_falls_into_the_end_of_an_object_stops_all_the_same(
    capfd: pytest.CaptureFixture[str],
) -> None:
    class Ending:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGTERM)

    @stoppable()
    def work() -> None:
        thing = Ending()
        del thing
        time.sleep(60)

    started = time.monotonic()
    with pytest.raises(Terminated, match="143"):
        work()
    assert time.monotonic() - started < 30
    assert "Traceback" not in capfd.readouterr().err


def test_a_query_that_would_take_an_hour_is_interrupted() -> None:
    query = """SELECT count(*) FROM range(10_000_000) a, range(100_000) b
               WHERE hash(a.range + b.range) = 1"""
    stop = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))

    @stoppable()
    def ask() -> None:
        with connected() as con:
            stop.start()
            con.execute(query)

    with pytest.raises(KeyboardInterrupt):
        ask()


def test_a_program_with_ways_of_its_own_keeps_them() -> None:
    mine: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: mine.append(number))
    try:
        with stoppable():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert mine == [signal.SIGTERM]


def test_a_stop_in_the_first_moment_is_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    real = threading.Thread.start

    def stopped_in_it(thread: threading.Thread) -> None:
        real(thread)
        thread._started.clear()  # type: ignore[attr-defined]  # as if it had not yet begun
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", stopped_in_it)
    with pytest.raises(KeyboardInterrupt), stoppable():
        pass


def test_a_stop_while_it_begins_to_hear_leaves_no_number_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A number that is left behind is soon that of another file."""

    def stopped(_thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", stopped)
    with pytest.raises(KeyboardInterrupt), stoppable():
        pass
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.parametrize("reused", [False, True])
def test_a_number_that_somebody_left_behind_stops_nobody(reused: bool) -> None:
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    signal.set_wakeup_fd(mouth.fileno())
    if reused:
        os.dup2(ear.fileno(), mouth.fileno())  # it is another file's now, one that blocks
    else:
        mouth.close()
    with stoppable():
        pass
    assert signal.set_wakeup_fd(-1) == -1
    mouth.close()
    ear.close()


def test_an_event_loop_goes_on_hearing() -> None:
    ear, mouth = socket.socketpair()
    with ear, mouth:
        mouth.setblocking(False)
        signal.set_wakeup_fd(mouth.fileno())
        with stoppable():
            pass
        assert signal.set_wakeup_fd(-1) == mouth.fileno()
