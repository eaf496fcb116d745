"""What the demo shows. Another method is another entry of :data:`JOBS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anachron.errors import InputError
from anachron.guarantees import Guarantee, KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.ladders import Ladder
from anachron.plan import Plan
from anachron.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["JOBS", "Job", "prepare"]

MARK = ".anachron-demo"


@dataclass(frozen=True)
class Job:
    """One table, or several snapshots of it, and what is promised."""

    story: str
    """What is shown, for a person who knows nothing of it."""
    make: Callable[[], Sequence[pa.Table]]
    """All tables, in the order in which they are published."""
    schema: Schema
    guarantee: Guarantee
    table: str
    """The first table, which the plan names."""
    question: str
    """What somebody who receives the release may want to know."""
    later: tuple[str, ...] = ()
    """Its later snapshots, published with the same plan."""
    plan: str = "plan.toml"
    releases: str = "releases"
    ledger: str = "ledger"
    certificate: str = "certificate.html"

    @property
    def tables(self) -> tuple[str, ...]:
        """All tables, in order."""
        return (self.table, *self.later)


def _visits() -> Sequence[pa.Table]:
    from anachron.demo.visits import visits

    return [visits()]


def _register() -> Sequence[pa.Table]:
    from anachron.demo.register import snapshots

    return snapshots()


def _admissions() -> Sequence[pa.Table]:
    from anachron.demo.admissions import admissions

    return [admissions()]


def _loads() -> Sequence[pa.Table]:
    from anachron.demo.loads import loads

    return [loads()]


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
        question="SELECT COUNT(*) WHERE diagnosis = 'fracture' AND age < 40 GROUP BY sex",
    ),
    Job(
        story="A clinic’s register of some 1,300 invented patients, released after each of four "
        "quarters while people come, leave, return, move and fall ill anew. Each release alone "
        "may look safe; whoever compares them sees who stayed. Publish them so that every person "
        "keeps the same set of at least 3 possible diagnoses from the first release to the last.",
        make=_register,
        schema=Schema(subject="patient", quasi=["age", "district"], sensitive="diagnosis"),
        guarantee=MInvariance(
            m=3,
            domains={"age": (0, 119)},
            orders={"district": ["harbour", "old town", "market", "station", "hill", "meadows"]},
        ),
        table="register-1.parquet",
        question="SELECT COUNT(*) WHERE diagnosis = 'asthma' AND age BETWEEN 30 AND 49",
        later=tuple(f"register-{quarter}.parquet" for quarter in (2, 3, 4)),
        plan="register.toml",
        releases="register-releases",
        ledger="register-ledger",
        certificate="register-certificate.html",
    ),
    Job(
        story="A small hospital’s invented admissions of 13 weeks, published day by day. A day "
        "has 26 of them, and when influenza comes around, or the roads are icy, most have the "
        "same diagnosis. Publish a few admissions up to three days later than they happened, so "
        "that in no published group more than one in 3 have the same diagnosis.",
        make=_admissions,
        schema=Schema(
            subject="patient",
            time="admitted",
            quasi=["age", "sex"],
            sensitive="diagnosis",
            time_zone="Europe/Rome",
        ),
        guarantee=Reposition(l=3, window=4),
        table="admissions.parquet",
        question="SELECT COUNT(*) WHERE diagnosis = 'fracture' AND admitted BETWEEN "
        "DATE '2025-01-13' AND DATE '2025-01-26'",
        plan="admissions.toml",
        releases="admissions-releases",
        ledger="admissions-ledger",
        certificate="admissions-certificate.html",
    ),
    Job(
        story="What 1,200 invented households draw from the grid on a working day, in eight parts "
        "of the day. A few values, or the shape of the curve alone, tell whose meter it is, and "
        "with it what that person does for a living. Publish values that 12 households share, and "
        "shapes that 5 of these share, as fine as can be.",
        make=_loads,
        schema=Schema(
            subject="meter",
            series=[f"h{hour:02}" for hour in range(0, 24, 3)],
            sensitive="occupation",
        ),
        guarantee=KPAnonymity(k=12, P=5, precision="0.01", l=2),
        table="loads.parquet",
        question="SELECT COUNT(*) WHERE value('h18') > 0.5 AND feature('h18' - 'h06') > 0",
        plan="loads.toml",
        releases="loads-releases",
        ledger="loads-ledger",
        certificate="loads-certificate.html",
    ),
)


def prepare(folder: Path) -> list[tuple[Job, Path]]:
    """Write the tables and plans of all jobs into a folder; what is there already stays.

    A folder with anything else in it is refused.
    """
    mark = folder / MARK
    if folder.exists() and not mark.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(
            "exists already and is not a folder of the demo.",
            file=str(folder),
            remedy="Name a new folder.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text("Made by 'anachron demo'. Everything here is invented, and may be deleted.\n")
    return [(job, _written(job, folder)) for job in JOBS]


def _written(job: Job, folder: Path) -> Path:
    missing = [table for table in job.tables if not (folder / table).exists()]
    if missing:
        import pyarrow.parquet as pq

        for name, table in zip(job.tables, job.make(), strict=True):
            if name in missing:
                unfinished = folder / f"{name}.unfinished"
                pq.write_table(table, unfinished)
                unfinished.replace(folder / name)
    plan = folder / job.plan
    if not plan.exists():
        places = (folder / job.releases, folder / job.ledger)
        Plan(folder / job.table, job.schema, job.guarantee, *places).write(plan)
    return plan
