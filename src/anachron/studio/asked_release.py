"""From what a page is asked with to a release of a project, and the commands that judge it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anachron.errors import InputError
from anachron.guarantees import from_dict
from anachron.ledger.entry import Entry
from anachron.reporting.languages import LANGUAGES
from anachron.reporting.promised import promised
from anachron.schema import Schema
from anachron.studio.asked import opened
from anachron.studio.commands import Doing, call, typed
from anachron.studio.projects import Project
from anachron.studio.shelf import Held
from anachron.studio.view import Visit
from anachron.studio.work import Work

__all__ = ["OnPage", "chosen"]


@dataclass(frozen=True)
class OnPage:
    """A release that a page is about."""

    project: Project
    entry: Entry
    held: Held
    shown: str
    """Where it is, as one types it in the folder."""

    @property
    def number(self) -> int:
        """Its number in the ledger."""
        return self.entry.number

    def promise(self, code: str) -> str:
        """What is promised, in the words of its certificate; HTML already."""
        schema = Schema.from_dict(self.entry.plan["schema"])
        return promised(from_dict(self.held.release.guarantee), schema, code)

    def certificate(self, visit: Visit, code: str) -> Path:
        """Where its certificate is, or is to be: beside the plan; aside where one only reads."""
        studio, plan = visit.studio, Path(self.project.name)
        assert self.project.plan is not None  # noqa: S101 - see opened
        ledger = self.project.plan.ledger
        home = studio.aside.folder(ledger) if studio.read_only else studio.folder.root
        name = f"{plan.stem}-{self.number:04d}-{code}.html"
        return home / plan.parent / "certificates" / name

    def certificates(self, visit: Visit) -> list[str]:
        """The languages that it has a certificate in."""
        return [code for code in LANGUAGES if self.certificate(visit, code).is_file()]

    def words(self, visit: Visit, verb: str) -> list[str]:
        """The command that audits it, attacks it or writes its certificate."""
        words = [verb, self.shown, "--plan", self.project.name]
        if verb != "report":
            return words
        code = visit.said("in") if visit.said("in") in LANGUAGES else "en"
        if visit.said("attacks"):
            words.append("--attacks")
        if questions := min(visit.number("questions", 0), 100_000):
            words += ["--questions", str(questions)]
        place = visit.studio.folder.shown(self.certificate(visit, code))
        return [*words, "--language", code, "--output", place]

    def work(self, visit: Visit, verb: str) -> Work | None:
        """The last command of this kind that was started here for it."""
        return next(visit.studio.works.about(self.project.name, f"{verb} {self.number}"), None)

    def doing(self, question: str) -> Doing:
        """What a person would type for all that the page shows."""
        plan = self.project.name
        asked = question or "SELECT COUNT(*)"
        commands = [
            typed("ask", self.shown, asked),
            *(typed(verb, self.shown, plan=plan) for verb in ("audit", "attack", "report")),
        ]
        known = "table=plan.table, schema=plan.schema, ledger=plan.ledger"
        python = [
            f"plan = an.Plan.read({plan!r})",
            call("an.ask", self.shown, asked),
            f"an.audit({self.shown!r}, {known})",
            f"an.attack({self.shown!r}, {known})",
            f"an.report({self.shown!r}, 'certificate.html', {known})",
        ]
        return Doing("\n".join(commands), "\n".join(python))


def chosen(visit: Visit) -> OnPage | None:
    """The release that an address names, or the last; None if nothing was published yet."""
    known = opened(visit)
    entries = known.books.entries
    if known.books.problem:
        raise InputError(known.books.problem)
    if not entries:
        return None
    number = visit.number("release", entries[-1].number)
    entry = next((one for one in entries if one.number == number), None)
    if entry is None:
        raise InputError("the ledger knows no release of that number.")
    visit.studio.folder.check(str(entry.path))
    held = visit.studio.shelf.open(entry.path)
    return OnPage(known, entry, held, visit.studio.folder.shown(str(entry.path)))
