"""Hostile releases against every command that reads one.

Run it with ``python -m tests.fire.releases --mutations 5000 --seed 1``. Releases of all methods are
published; each mutation alters a copy of one; and a fork of this process, which is warm, gives it
to audit, ask, attack, report and utility. What must not be: a release accepted that hides
something, an error that claims a mistake of Anachron, a traceback, a crash, a hang, more than one
gigabyte of memory. ``--only NAME`` tries mutations of one kind, ``--first N`` begins later, and
``--workers N`` forks so many at a time; ``--parts`` takes and alters releases of several parts.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.cli.main import anachron
from anachron.flow.answers import askable
from tests.fire import rows  # noqa: F401 (importing it lists its mutations)
from tests.fire.mutations import CANARY, MUTATIONS
from tests.fire.parted import PARTED, is_parted
from tests.golden.stories import STORIES
from tests.release.parting import of_rows, parts_of_rows

METHODS = ("ladders", "visits", "register", "declared", "anatomy", "cells", "composed",
           "diverse", "customized")  # fmt: skip
"""Stories of events, registers, feeds in three ways, and series."""
PARTS = {"ladders": 40, "declared": 9, "anatomy": 7, "diverse": 16}
"""One of each method, with so few rows in a part that there are several."""
WARM = ("ladders", "declared", "anatomy", "diverse")
"""One of each method is enough to have loaded and compiled everything."""
MEMORY = 1 << 30
SECONDS = 60
"""Of processor time, for all commands together: the machine may be busy."""


@dataclass(frozen=True)
class Published:
    """A release, and what its owner has."""

    release: Path
    root: Path
    question: str
    """One that the release answers."""
    part: int | None = None
    """How many rows a part has, if so few that there are several."""

    def commands(self, folder: Path) -> dict[str, list[str]]:
        """Every command that reads a release."""
        owner = ["--ledger", str(self.root / "ledger"), "--table", str(self.root / "table.parquet")]
        page = str(folder.parent / "page.html")
        where = str(folder)
        return {
            "audit": ["audit", where, "--json"],
            "ask": ["ask", where, "--json"],
            "ask a question": ["ask", where, self.question, "--json"],
            "attack": ["attack", where, *owner, "--json"],
            "report": ["report", where, "-o", page, "--json"],
            "utility": ["utility", where, *owner, "--questions", "5", "--json"],
        }


def publish_parts(root: Path, name: str) -> Published:
    """The same, with a release of several parts."""
    with parts_of_rows(PARTS[name]):
        return replace(publish(root, name), part=PARTS[name])


def publish(root: Path, name: str) -> Published:
    """Tell a story, and keep its last release and all rows that went into it."""
    story = STORIES[name]
    root.mkdir()
    for number in range(1, story.steps + 1):
        story.step(root, number)
    feed = story.promise.method == "reposition"
    steps = range(1, story.steps + 1) if feed else [story.steps]
    pq.write_table(pa.concat_tables([story.table(n) for n in steps]), root / "table.parquet")
    release = sorted((root / "releases").iterdir())[-1]
    return Published(release, root, askable(release)[1][-1])


def said(command: list[str]) -> tuple[str, str]:
    """Run a command: accepted, refused, or what must not be; and what it says."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            anachron.main(command)
    except SystemExit:
        pass
    except BaseException as error:  # noqa: BLE001
        return f"TRACEBACK {type(error).__name__}", repr(error)
    text = out.getvalue() + err.getvalue()
    if found := re.search(r"mistake of Anachron.*?: (\w+ at \S+)\.", text):
        return f"MISTAKE {found[1]}", text
    try:
        answer = json.loads(out.getvalue())
    except ValueError:
        return "NO ANSWER", text
    held = answer.get("holds", True) if command[0] == "audit" else "error" not in answer
    if "error" in answer or not held:
        return ("TELLS THE SECRET" if CANARY in text else "refused"), text
    return "accepted", text


def tried(commands: dict[str, list[str]], part: int | None = None) -> dict[str, Any]:
    """Try all commands in a fork of this process: their outcomes, memory and time."""
    hear, tell = os.pipe()
    child = os.fork()
    if not child:
        os.close(hear)
        _limit()
        if part is not None:
            of_rows(pytest.MonkeyPatch(), part)
        for name, command in commands.items():
            outcome, _ = said(command)
            os.write(tell, json.dumps([name, outcome]).encode() + b"\n")
        os._exit(0)
    os.close(tell)
    with os.fdopen(hear, "rb") as lines:
        outcomes = dict(json.loads(line) for line in lines)
    _, status, used = os.wait4(child, 0)
    if status:
        missing = next(name for name in commands if name not in outcomes)
        hung = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM)
        outcomes[missing] = "HANG" if hung else f"CRASH {status}"
    cpu = used.ru_utime + used.ru_stime
    return {"outcomes": outcomes, "memory": used.ru_maxrss * 1024, "cpu": cpu}


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))  # so that no other work suffers
    signal.alarm(SECONDS * 20)
    sys.stdin.close()


def mutate(folder: Path, seed: str, only: str | None) -> tuple[str, bool]:
    """Alter a release as the seed says; give the kind of mutation, and whether it hides."""
    luck = random.Random(seed)
    kinds = PARTED if is_parted(folder) else MUTATIONS
    weights = {name: weight for name, (weight, _) in kinds.items()}
    name = only or luck.choices(list(weights), list(weights.values()))[0]
    return name, kinds[name][1](folder, luck)


def faults(hides: bool, found: dict[str, Any]) -> list[str]:
    """What must not be, of what was found."""
    wrong = [f"{n}: {one}" for n, one in found["outcomes"].items() if one.split()[0].isupper()]
    wrong += [f"{n}: ACCEPTED" for n, one in found["outcomes"].items() if hides and one[0] == "a"]
    return wrong + (["MEMORY"] if found["memory"] > MEMORY else [])


def one(published: Published, folder: Path, seed: str, only: str | None) -> dict[str, Any]:
    """Alter a copy of a release, and try all commands on it."""
    shutil.copytree(published.release, folder)
    kind, hides = mutate(folder, seed, only)
    found = tried(published.commands(folder), published.part)
    return {"kind": kind, "hides": hides, "faults": faults(hides, found), **found}


def campaign(numbers: range, seed: int, only: str | None, workers: int, parts: bool) -> int:
    """Try so many mutations, and tell what came of them."""
    with tempfile.TemporaryDirectory(prefix="fire-") as place:
        if parts:
            corpus = {name: publish_parts(Path(place) / name, name) for name in PARTS}
        else:
            corpus = {name: publish(Path(place) / name, name) for name in METHODS}
        for name in PARTS if parts else WARM:
            warm(corpus[name])
        told = Path(place) / "told"
        told.mkdir()
        children = []
        for worker in range(workers):
            if not (child := os.fork()):
                part = numbers[worker::workers]
                os._exit(unharmed(shots, corpus, part, f"{seed}", only, told / f"{worker}"))
            children.append(child)
        died = sum(os.waitpid(child, 0)[1] != 0 for child in children)
        found = [json.loads(line) for file in told.iterdir() for line in file.open()]
    return summary(found) or died or len(found) != len(numbers)


def unharmed(work: Callable[..., None], *given: Any) -> int:
    """Run in a fork, of which nothing may come back here; give its exit code."""
    try:
        work(*given)
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
        return 1
    return 0


def shots(
    corpus: dict[str, Published], numbers: range, seed: str, only: str | None, told: Path
) -> None:
    """Try some of the mutations, and write down what is found."""
    with told.open("w") as lines:
        for number in numbers:
            name = [*corpus][number % len(corpus)]
            work = Path(tempfile.mkdtemp(dir=told.parent.parent))
            release = corpus[name].release.name
            found = one(corpus[name], work / release, f"{seed} {number}", only)
            lines.write(json.dumps(found) + "\n")
            lines.flush()
            for fault in found["faults"]:
                print(f"{number} {name} {found['kind']}: {fault}", flush=True)
            shutil.rmtree(work)


def summary(found: list[dict[str, Any]]) -> int:
    """Print what came of all mutations; give 1 if anything must not be."""
    counts: Counter[str] = Counter()
    for one in found:
        counts["mutations"] += 1
        counts[f"mutations: {one['kind']}"] += 1
        counts["mutations that hide something"] += one["hides"]
        for command, outcome in one["outcomes"].items():
            counts[f"{command}: {outcome.split()[0]}"] += 1
    for what in sorted(counts):
        print(f"{what:40} {counts[what]:7,}")
    bad = Counter(fault for one in found for fault in one["faults"])
    memory = max(one["memory"] for one in found) >> 20
    print(f"most memory {memory:,} MB; most processor time {max(o['cpu'] for o in found):.1f} s")
    print("faults: " + ("".join(f"\n  {n:5,} {what}" for what, n in bad.most_common()) or "none"))
    return 1 if bad else 0


def warm(made: Published) -> None:
    """Load and compile what commands need; all of them accept what was published."""
    with nullcontext() if made.part is None else parts_of_rows(made.part):
        for name, command in made.commands(made.release).items():
            # Charts are drawn by threads, which a fork would not have.
            if name != "report" and (told := said(command))[0] != "accepted":
                raise SystemExit(f"{name} refuses a release as it was published: {told[1]}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--mutations", type=int, default=5000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", choices=list({**MUTATIONS, **PARTED}))
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--parts", action="store_true")
    given = options.parse_args()
    numbers = range(given.first, given.first + given.mutations)
    sys.exit(campaign(numbers, given.seed, given.only, given.workers, given.parts))
