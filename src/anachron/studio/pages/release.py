"""Release: its certificate, its charts, what it answers, what an audit and attacks say of it."""

from __future__ import annotations

from starlette.responses import HTMLResponse, Response

from anachron.asking.answer import Answer
from anachron.errors import InputError, QuestionError
from anachron.given import read_text
from anachron.reporting.languages import LANGUAGES
from anachron.studio.asked_release import OnPage, chosen
from anachron.studio.intervals import drawn
from anachron.studio.shelf import Held
from anachron.studio.view import View, Visit

__all__ = ["VIEWS"]

_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""A certificate brings its own style, and loads and runs nothing."""
_VERBS = ("audit", "attack", "report")


def show(visit: Visit) -> Response:
    """The release that is named, or the last one."""
    found = chosen(visit)
    if found is None:
        return visit.page("unpublished.html")
    question = visit.said("question")
    answer, problem = _answered(found.held, question)
    return visit.page(
        "release.html", found.doing(question), 422 if problem else 200,
        chosen=found, release=found.held.release, entries=found.project.books.entries,
        question=question, answer=answer, problem=problem,
        scales=drawn(answer) if answer else (), columns=found.held.askable,
        questions=_questions(found.held), works={v: found.work(visit, v) for v in _VERBS},
        certificates=found.certificates(visit), codes=tuple(LANGUAGES),
    )  # fmt: skip


def charts(visit: Visit) -> Response:
    """All charts of it: a part for htmx, which asks again while they are drawn; else a page."""
    found = _there(visit)
    drawings = found.held.drawings(visit.language, 0.5 if visit.live else 30.0)
    if visit.live:
        return visit.part("drawings.html", chosen=found, drawings=drawings)
    return visit.page("charts.html", found.doing(""), chosen=found, drawings=drawings)


def judge(visit: Visit) -> Response:
    """Audit it, attack it, or write its certificate: as a command beside the page."""
    found = _there(visit)
    verb = visit.said("verb")
    if verb not in _VERBS:
        raise InputError("that is nothing that can be done with a release.")
    words = found.words(visit, verb)
    running = found.work(visit, verb)
    if running is None or not running.running:
        if verb == "report":
            found.certificate(visit, "en").parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        visit.studio.works.start(
            words, visit.studio.folder.root, what=f"{verb} {found.number}",
            about=found.project.name,
        )  # fmt: skip
    return visit.see("/release", plan=found.project.name, release=found.number)


def certificate(visit: Visit) -> Response:
    """The certificate, as a page of its own under the policy that it states itself."""
    found = _there(visit)
    code = visit.said("in")
    if code not in found.certificates(visit):
        raise InputError("this release has no certificate yet. Write it on its page.")
    try:
        text = read_text(found.certificate(visit, code))
    except (OSError, ValueError):
        raise InputError("the certificate cannot be read. Write it again.") from None
    return HTMLResponse(text, headers={"Content-Security-Policy": _POLICY})


def _there(visit: Visit) -> OnPage:
    found = chosen(visit)
    if found is None:
        raise InputError("nothing was published yet.")
    return found


def _answered(held: Held, question: str) -> tuple[Answer | None, str]:
    """The answer, or why there is none; without an example, which would show a published value."""
    if not question:
        return None, ""
    try:
        return held.ask(question), ""
    except QuestionError as error:
        return None, "\n".join(problem.what for problem in error.problems)


def _questions(held: Held) -> list[str]:
    """Questions to begin with, which name columns and no value."""
    plain = [name for name, holds in held.askable if holds.endswith("as they are")]
    times = [name for name, holds in held.askable if holds.startswith("times, by")]
    grouped = [*plain[:2], *times[:1]]
    return ["SELECT COUNT(*)", *(f"SELECT {name}, COUNT(*) GROUP BY {name}" for name in grouped)]


VIEWS = (
    View("/release", show),
    View("/release/charts", charts),
    View("/release/judge", take=judge, writes=False),
    View("/release/certificate", certificate),
)
