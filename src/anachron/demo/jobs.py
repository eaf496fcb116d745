"""What the demo shows. Another method is another entry of :data:`JOBS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import InputError, Problem
from anachron.guarantees import Guarantee, TimeGranularity
from anachron.ladders import Ladder
from anachron.plan import Plan
from anachron.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["JOBS", "Job", "prepare"]

MARK = ".anachron-demo"


@dataclass(frozen=True)
class Job:
    """One table, and what is promised for it."""

    story: str
    """What is shown, for a person who knows nothing of it."""
    make: Callable[[], pa.Table]
    schema: Schema
    guarantee: Guarantee
    table: str
    plan: str = "plan.toml"
    releases: str = "releases"
    ledger: str = "ledger"
    certificate: str = "certificate.html"


def _visits() -> pa.Table:
    from anachron.demo.visits import visits

    return visits()


JOBS = (
    Job(
        story="12,000 hospital visits of 2,000 invented patients over two years. Whoever knows "
        "a patient's age, sex and day of a visit finds the diagnosis. Publish the visits so "
        "that every published combination covers at least 5 people, times as exact as can be.",
        make=_visits,
        schema=Schema(
            subject="patient",
            time="admitted",
            quasi=["age", "sex"],
            sensitive=["ward", "diagnosis"],
            time_zone="Europe/Rome",
        ),
        guarantee=TimeGranularity(
            k=5,
            granularities=["hour", "day", "week_part", "week", "month", "quarter", "year"],
            max_suppressed="0.03",
            ladders={"age": Ladder.bins(5, 10, 20, drop=False)},
        ),
        table="visits.parquet",
    ),
)


def prepare(folder: Path) -> list[tuple[Job, Path]]:
    """Write the tables and plans of all jobs into a folder; what is there already stays.

    A folder with anything else in it is refused.
    """
    mark = folder / MARK
    if folder.exists() and not mark.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            Problem(
                "exists already and is not a folder of the demo.",
                file=str(folder),
                remedy="Name a new folder.",
            )
        )
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text("Made by 'anachron demo'. Everything here is invented, and may be deleted.\n")
    return [(job, _written(job, folder)) for job in JOBS]


def _written(job: Job, folder: Path) -> Path:
    table, plan = folder / job.table, folder / job.plan
    if not table.exists():
        import pyarrow.parquet as pq

        unfinished = table.with_name(f"{table.name}.unfinished")
        pq.write_table(job.make(), unfinished)
        unfinished.replace(table)
    if not plan.exists():
        places = (folder / job.releases, folder / job.ledger)
        Plan(table, job.schema, job.guarantee, *places).write(plan)
    return plan
