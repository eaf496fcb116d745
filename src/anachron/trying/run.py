"""Try settings: the table is read once, the ledger is looked at, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from anachron.errors import AnachronError, InputError, InternalError, LedgerBusy, Refusal
from anachron.guarantees import Guarantee
from anachron.ledger.imagined import Imagined, imagined
from anachron.making.course import Work
from anachron.making.refusing import check_name
from anachron.plan import Plan
from anachron.progress import Tell, silent
from anachron.registry import METHODS
from anachron.trying.figures import Figures, Try, Trying
from anachron.trying.settings import Setting, settings
from anachron.trying.trial import Trial, Tried

__all__ = ["Looked", "looking", "tried"]


@dataclass(frozen=True, eq=False)
class Looked:
    """A table and a ledger that were looked at, and what is to be tried of them."""

    plan: Plan
    trying: Trying
    settings: tuple[Setting, ...]
    works: Mapping[int, Work[Any]]
    """For each setting that makes a promise, by its place."""
    held: LocalTable
    ledger: Imagined
    trial: Try
    basis: tuple[str, ...]

    def rows(self, at: int) -> list[Tried]:
        """Plan one setting as publishing it would."""
        return list(_rows(self.settings[at], self.works.get(at), self.trial))

    def refusal(self, at: int, promise: Guarantee) -> str:
        """Why a setting cannot be published with another promise in its place; "" if it can."""
        found = _outcome(self.settings[at], replace(self.works[at], guarantee=promise), self.trial)
        return str(found) if isinstance(found, AnachronError) else ""


@contextmanager
def looking(
    plan: Plan,
    over: Mapping[str, Iterable[Any]],
    table: object,
    *,
    past: bool,
    as_of: str | None,
    max_views: int | None,
    accept: frozenset[str],
    tell: Tell,
) -> Iterator[Looked]:
    """Read a table and a ledger once, for as long as the block lasts."""
    trying: Trying = METHODS[plan.guarantee.method].trial.load()
    wanted = settings(plan.guarantee, plan.schema, over)
    check_name(as_of, plan.guarantee)

    def work(setting: Setting) -> Work[Any]:
        return Work(plan.schema, setting.guarantee, plan.csv, silent, max_views, as_of, accept)

    works = {at: work(one) for at, one in enumerate(wanted) if one.guarantee is not None}
    # What is wrong with the ledger is said before a large table is read.
    with imagined(plan.ledger, plan.schema.spelling, past=past) as ledger:
        tell("reading the table", 0.0)
        with closing(load(table, plan.schema)) as held:
            trial = trying.begin(held, list(works.values()), ledger)
            basis = tuple(_basis(ledger, trying, past))
            yield Looked(plan, trying, wanted, works, held, ledger, trial, basis)


def tried(
    plan: Plan,
    over: Mapping[str, Iterable[Any]],
    table: object,
    *,
    past: bool,
    as_of: str | None,
    max_views: int | None,
    accept: frozenset[str],
    tell: Tell,
) -> Trial:
    """Plan each setting as publishing it would, from one reading of the table."""
    with looking(
        plan, over, table,
        past=past, as_of=as_of, max_views=max_views, accept=accept, tell=tell,
    ) as looked:  # fmt: skip
        rows: list[Tried] = []
        many = len(looked.settings)
        for at in range(many):
            tell(f"trying setting {at + 1:,} of {many:,}", 0.2 + 0.8 * at / many)
            rows += looked.rows(at)
        return Trial(
            plan.guarantee.method,
            looked.trying.figures,
            tuple(over),
            tuple(rows),
            looked.held.rows,
            looked.held.subjects,
            looked.basis,
        )


def _rows(setting: Setting, work: Work[Any] | None, trial: Try) -> Iterator[Tried]:
    told = (setting.parts, setting.guarantee, setting.own)
    found = _outcome(setting, work, trial)
    if isinstance(found, AnachronError):
        yield Tried(*told, chosen=False, figures=None, reason=str(found))
        return
    for place, figures in enumerate(found):
        yield Tried(*told, chosen=place == 0, figures=figures)


def _outcome(setting: Setting, work: Work[Any] | None, trial: Try) -> list[Figures] | AnachronError:
    """What a setting comes to, or why it cannot be kept; what is no matter of it is raised."""
    if work is None:
        return setting.refused or InternalError("A setting without a promise has a reason.")
    try:
        return list(trial(work))
    except LedgerBusy:
        raise
    except (InputError, Refusal) as error:
        return error


def _basis(ledger: Imagined, trying: Trying, past: bool) -> Iterator[str]:
    """Say whether the past was taken into account, and how lots fell."""
    many = len(ledger.entries)
    if not ledger.there:
        yield (
            "There is no ledger yet: this is what a first release would be."
            if past
            else "The past was not taken into account: this is what a first release would be."
        )
    elif many or ledger.feed() is not None:
        number = "1 release" if many == 1 else f"{many:,} releases"
        yield f"The ledger was read, and the past taken into account: {number}."
    else:
        yield "The ledger was read, and nothing is published on it yet."
    if trying.draws and not ledger.there:
        yield (
            "Lots were drawn as an example: publishing will draw others, and figures that hang on "
            "them may differ a little."
        )
    elif trying.draws:
        yield "Lots were drawn with the key of the ledger, as publishing draws them."
