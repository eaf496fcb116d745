"""Small publishers of every method, run by the command line, for campaigns that stop them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from tests.crash.canaries import NAMES, NOTES

STEPS = 12
"""Tables of a house, published one after the other."""
ORDERS = {"ward": ["west", "north", "east"]}


@dataclass(frozen=True)
class House:
    """A promise, and how its tables are made and published."""

    name: str
    schema: an.Schema
    promise: an.Guarantee
    table: Callable[[int], pa.Table]
    pushed: bool = False
    question: str = "SELECT COUNT(*)"

    def prepare(self, root: Path) -> None:
        """Write the tables and the plan into an empty folder."""
        (root / "tables").mkdir(parents=True)
        for place in ("system", "declared"):
            (root / place).mkdir()
        self.write(root, 1)
        plan = an.Plan(root / self.file(1), self.schema, self.promise, root / "releases",
                       root / "ledger")  # fmt: skip
        plan.write(root / "plan.toml")

    def write(self, root: Path, step: int) -> None:
        """Write the table of a step."""
        pq.write_table(self.table(step), root / self.file(step))

    def file(self, step: int) -> str:
        """The table of a step."""
        return f"tables/{step:02d}.parquet"

    def publish(self, step: int) -> list[str]:
        """The command that publishes it."""
        if self.pushed:
            return ["push", "plan.toml", self.file(step)]
        return ["publish", "plan.toml", "--table", self.file(step), "--accept", "strangers"]

    def others(self, release: int) -> list[list[str]]:
        """Commands that look at a release, and at the ledger."""
        folder, given = f"releases/{release:04d}", ["--ledger", "ledger"]
        return [
            ["audit", folder, *given],
            ["audit", "releases", *given],
            ["ask", folder, self.question],
            ["report", folder, *given, "-o", "certificate.html"],
            ["attack", folder, *given],
            ["utility", folder, *given, "--table", self.file(release), "--questions", "20"],
            ["ledger", "check", "ledger"],
            ["ledger", "recover", "ledger"],
            ["ledger", "show", "ledger"],
            ["ledger", "key", "ledger"],
            ["ledger", "key", "ledger", "--move", "keys"],
            ["init", self.file(1), "-o", "proposed.toml"],
        ]


def _people(step: int, many: int) -> list[str]:
    return [f"{NAMES.decode()} {step:02d} {person:06d}" for person in range(many)]


def _rows(step: int, who: list[str], seed: int, kinds: int = 6) -> dict[str, pa.Array]:
    draw, many = np.random.default_rng(seed + step), len(who)
    ill = np.arange(many) % kinds
    return {
        "who": pa.array(who),
        "age": pa.array(draw.integers(20, 90, many)),
        "ward": pa.array(draw.choice(["east", "north", "west"], many)),
        "ill": pa.array([f"{NOTES.decode()} {value}" for value in ill.tolist()]),
        "home": pa.array([f"{NAMES.decode()} street {value}" for value in range(many)]),
    }


def _visits(step: int, many: int = 40, padding: str = "") -> pa.Table:
    rows = _rows(step, _people(step, many), 1)
    days = np.datetime64(f"{2000 + step}-01-01") + np.arange(many) % 300
    if padding:
        rows["ill"] = pa.array([f"{value} {i:06d} {padding}" for i, value in
                                enumerate(rows["ill"].to_pylist())])  # fmt: skip
    return pa.table({**rows, "day": pa.array(days)})


def _register(step: int) -> pa.Table:
    everybody = _people(0, 60 + 4 * STEPS)
    return pa.table(_rows(0, everybody, 2)).slice(4 * (step - 1), 60)


def _admissions(step: int) -> pa.Table:
    rows = _rows(step, _people(step, 18), 3)
    return pa.table({**rows, "day": pa.array(np.full(18, np.datetime64("2024-03-01") + step))})


def _loads(step: int) -> pa.Table:
    draw, who = np.random.default_rng(step), _people(step, 30)
    hours = {f"h{hour}": pa.array(draw.integers(0, 9, 30)) for hour in range(3)}
    rows = _rows(step, who, 4)
    return pa.table({"who": rows["who"], **hours, "ill": rows["ill"], "home": rows["home"]})


EVENTS = an.Schema("who", "day", ["ward"], ["ill"])
FEED = an.Schema("who", "day", ["age", "ward"], "ill")
HOUSES = {
    house.name: house
    for house in (
        House("granularity", EVENTS, an.TimeGranularity(k=3, granularities=["year"]), _visits),
        House("invariance", an.Schema("who", None, ["age", "ward"], "ill"),
              an.MInvariance(m=2, orders=ORDERS), _register),
        House("reposition", FEED, an.Reposition(l=3, window=2, solver="recycle", first="cold"),
              _admissions, True),
        House("composed", FEED,
              an.Reposition(window=2, solver="recycle", first="cold",
                            then=an.MInvariance(m=3, orders=ORDERS)),
              _admissions, True),
        House("patterns", an.Schema("who", None, [], "ill", series=["h0", "h1", "h2"]),
              an.KPAnonymity(k=6, P=2), _loads),
        House("spilling", EVENTS, an.TimeGranularity(k=3, granularities=["year"]),
              lambda step: _visits(step, 60_000, "told to the doctor alone " * 8)),
    )
}  # fmt: skip
