"""A long campaign against one growing store: kills at random moments, and flipped bits.

Run it with ``python -m tests.crash.campaign --kills 10000 --flips 10000``. It stops at the
first promise that is broken, and says what it has done otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from anachron.errors import LedgerBusy
from anachron.ledger import Ledger
from tests.crash.doom import PROCESSES
from tests.crash.flips import TARGETS, flip_many
from tests.crash.small import check_feed, check_whole, publish, push

NEW_STORE_AFTER = 300
"""Pushes in a store before the next is begun: each check reads all of them."""


def push_until_killed(root: Path, first: int, acknowledged: Connection) -> None:
    """Push one snapshot after the other, and say of each that it is done."""
    number = first
    while True:
        push(root, number)
        acknowledged.send(number)
        number += 1


def kill_once(root: Path, first: int, luck: random.Random) -> int:
    """Kill a publisher at a random moment; return the last push it acknowledged."""
    hear, tell = PROCESSES.Pipe(duplex=False)
    child = PROCESSES.Process(target=push_until_killed, args=(root, first, tell))
    child.start()
    tell.close()
    last = first - 1
    if luck.random() < 0.9 and hear.poll(10):  # else the kill may hit the very first steps
        last = hear.recv()
    time.sleep(luck.random() * 0.04)
    os.kill(child.pid or 0, signal.SIGKILL)
    child.join()
    assert child.exitcode == -signal.SIGKILL, "the publisher failed by itself"
    while hear.poll():
        try:
            last = hear.recv()
        except EOFError:
            break
    return last


def kill_many(kills: int, luck: random.Random) -> dict[str, int]:
    """Kill publishers on growing stores, with a full check after each kill."""
    figures = {"kills": 0, "acknowledged": 0, "finished by recovery": 0, "stores": 0}
    while figures["kills"] < kills:
        figures["stores"] += 1
        with tempfile.TemporaryDirectory() as folder:
            root, count = Path(folder), 0
            while figures["kills"] < kills and count < NEW_STORE_AFTER:
                last = kill_once(root, count + 1, luck)
                found = check_feed(root, last)
                figures["kills"] += 1
                figures["acknowledged"] += last - count
                figures["finished by recovery"] += found - last
                count = found
    return figures


def race_many(races: int) -> dict[str, int]:
    """Let publishers of the same ledger run against each other."""
    figures = {"races": races, "won": 0, "told to wait": 0}
    for _ in range(races):
        with tempfile.TemporaryDirectory() as folder:
            hear, tell = PROCESSES.Pipe(duplex=False)
            runners = [
                PROCESSES.Process(target=_run, args=(Path(folder), number, tell))
                for number in range(1, 9)
            ]
            for runner in runners:
                runner.start()
            for runner in runners:
                runner.join()
            answers = [hear.recv() for _ in runners]
            assert answers.count(True) >= 1, "nobody won"
            assert check_whole(Path(folder), answers.count(True)) == answers.count(True)
            figures["won"] += answers.count(True)
            figures["told to wait"] += answers.count(False)
    return figures


def _run(root: Path, number: int, answer: Connection) -> None:
    try:
        publish(root, number)
        answer.send(True)
    except LedgerBusy:
        answer.send(False)


def main() -> None:
    """Read the size of the campaign and run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--flips", type=int, default=0)
    parser.add_argument("--races", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    wanted = parser.parse_args()
    luck = random.Random(wanted.seed)
    started = time.monotonic()
    print(f"seed {wanted.seed}")
    if wanted.kills:
        print(kill_many(wanted.kills, luck))
    if wanted.races:
        print(race_many(wanted.races))
    if wanted.flips:
        with tempfile.TemporaryDirectory() as folder:
            for number in (1, 2, 3):
                publish(Path(folder), number)
            push(Path(folder), 1)
            for target in TARGETS:
                share = wanted.flips // len(TARGETS)
                noticed = flip_many(Path(folder), target, luck, share)
                print({"flips": share, "in": target, "noticed": noticed, "silent": 0})
            assert Ledger.open(Path(folder) / "ledger").check() == []
    print(f"No promise was broken in {time.monotonic() - started:.0f} s.")


if __name__ == "__main__":
    main()
