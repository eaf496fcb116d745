"""A long campaign of registers that live, with the whole history judged after every release.

Run it from the root of the repository::

    python -m tests.property.register_campaign --runs 500 --steps 30

Each run is one register under one promise, drawn at random, and a row of random steps: people
come, leave, return, fall ill anew and move; the owner publishes, publishes again what was lost,
crashes, and puts an old backup of the ledger in place. ``--minutes`` ends the campaign early,
``--jobs`` shares it among processes. A broken promise is told with the number of its run, and
``--first`` repeats it. ``--halved`` halves buckets that have more tuples than that.
"""

from __future__ import annotations

import argparse
import random
import shutil
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from anachron.errors import AnachronError
from anachron.methods.invariance import halve
from tests.flow.registers import DISTRICTS, ILLS, Person
from tests.property.test_register_history import MODES, Story, room

STEPS = {
    "insert": 4, "delete": 4, "come back": 4, "fall ill": 4, "relapse": 3, "move": 3, "publish": 8,
    "publish again": 1, "crash": 2, "back up": 1, "restore": 1,
}  # fmt: skip
"""How often each happens."""


def person(rng: random.Random) -> Person:
    return rng.randrange(100), rng.randrange(300) / 100, rng.choice(DISTRICTS), rng.choice(ILLS)


def come_and_go(story: Story, step: str, rng: random.Random) -> None:
    """Do one step of people as a whole."""
    if step == "insert":
        story.insert(*(person(rng) for _ in range(rng.randint(1, 5))))
    elif step == "delete":
        for _ in range(min(rng.randint(1, 3), len(story.here) - 3)):
            story.delete(rng.randrange(10**6))
    elif step == "come back":
        for _ in range(rng.randint(0, len(story.gone))):
            story.come_back(rng.randrange(10**6))


def change(story: Story, step: str, rng: random.Random) -> None:
    """Do one step in which people stay, and are not what they were."""
    if step == "fall ill":
        for _ in range(rng.randint(1, 4)):
            story.fall_ill(rng.randrange(10**6), rng.choice(ILLS))
    elif step == "relapse":
        for _ in range(8):
            story.relapse(rng.randrange(10**6))
    elif step == "move":
        story.move(rng.randrange(10**6), *person(rng)[:3])


def own(story: Story, step: str, rng: random.Random) -> None:
    """Do one step of the owner."""
    if step == "publish":
        story.publish()
    elif step == "publish again" and story.history:
        story.publish_again()
    elif step == "crash":
        story.crash(rng.randint(1, 60))
    elif step == "back up":
        story.back_up()
    elif step == "restore":
        story.restore()


def live(run: int, steps: int, until: float, most: int) -> Counter[str]:
    """Live one register from its first release to its last; say what happened."""
    if time.monotonic() > until:
        return Counter()
    halve.MOST = most
    rng = random.Random(run)
    story = Story(
        room(), rng.randint(2, 3), rng.choice(MODES), rng.choice(("exact", "paper")),
        rng.choice(("hold", "hold", "refuse")), rng.random() < 0.5,
    )  # fmt: skip
    violations = 0
    try:
        story.insert(*(person(rng) for _ in range(rng.randint(6, 20))))
        story.publish()
        story.back_up()
        for step in rng.choices(list(STEPS), list(STEPS.values()), k=steps):
            for part in (come_and_go, change, own):
                part(story, step, rng)
        story.end()
    except (AssertionError, AnachronError, ArithmeticError, LookupError, TypeError, ValueError):
        violations = 1
        print(f"run {run}:\n{traceback.format_exc()}", flush=True)
    finally:
        shutil.rmtree(story.root, ignore_errors=True)
    return Counter(
        runs=1,
        steps=steps,
        releases=len(story.history),
        rows=sum(len(rows) for told in story.history for rows in told.rows.values()),
        counterfeits=sum(n for told in story.history for _, n in told.counterfeits),
        refusals=story.refusals,
        violations=violations,
    )


def main() -> None:
    """Read the size of the campaign and run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--halved", type=int, default=halve.MOST)
    wanted = parser.parse_args()
    started = time.monotonic()
    figures = Counter(runs=0, releases=0, violations=0)
    numbers = range(wanted.first, wanted.first + wanted.runs)
    until = started + 60 * wanted.minutes
    with ProcessPoolExecutor(wanted.jobs, get_context("spawn")) as workers:
        steps, ends = [wanted.steps] * len(numbers), [until] * len(numbers)
        most = [wanted.halved] * len(numbers)
        for found in workers.map(live, numbers, steps, ends, most, chunksize=1):
            figures.update(found)
    told = ", ".join(f"{count:,} {name}" for name, count in figures.items())
    print(f"{told}, {time.monotonic() - started:.0f} seconds")
    raise SystemExit(1 if figures["violations"] else 0)


if __name__ == "__main__":
    main()
