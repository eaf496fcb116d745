"""``anachron audit``: does a release, a history of releases or any table keep its promise?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, aligned
from anachron.cli.options import (
    Evidence,
    all_option,
    evidence_options,
    json_option,
    quiet_option,
)
from anachron.cli.progress import progress_bar
from anachron.cli.screen import LINES, columns, cut, fitted, wrapped
from anachron.stores import Place, placed

if TYPE_CHECKING:
    from anachron.auditing.foreign import Claim
    from anachron.auditing.foreign.claim import Model
    from anachron.auditing.verdict import Check, Verdict, Word

__all__ = ["audit", "run"]

_SCOPES = {
    "published": "as far as the published files can show",
    "with ledger": "as far as the ledger remembers, without the original rows",
    "with microdata": "people counted in the original rows",
    "people counted": "people counted",
    "rows counted": "rows counted, since no column tells people apart",
}
_SAID: dict[Word, str] = {"holds": "holds", "not refuted": "is not refuted", "fails": "FAILS"}
_CHECKS, _RELEASES = 12, 7
"""So many lines tell of checks that hold, and of single releases, where one screen is for all."""
_MODELS = ("k-anonymity", "l-diversity", "m-invariance")
_FORMS = ("distinct", "frequency")


def _claim_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that make a claim; it gets ``claim``, None without ``--as``."""

    @click.option("--as", "model", type=click.Choice(_MODELS), help="Check a table as this.")
    @click.option("--k", type=int, help="People in each group, at least.")
    @click.option("--l", "l_", metavar="NUMBER", help="Diversity of values: 3, 2.5 or 5/2.")
    @click.option("--m", type=int, help="Different values in each group, at least.")
    @click.option("--form", type=click.Choice(_FORMS), help="How l is meant; distinct if not said.")
    @click.option("--quasi", multiple=True, metavar="COLUMN",
                  help="What outsiders may know; an interval as LOW/HIGH. Repeat it.")  # fmt: skip
    @click.option("--time", metavar="COLUMN", help="A time or period that outsiders may know.")
    @click.option("--sensitive", multiple=True, metavar="COLUMN", help="What is to be hidden.")
    @click.option("--subject", metavar="COLUMN",
                  help="What tells people apart; without it rows are counted.")  # fmt: skip
    @click.option("--group", metavar="COLUMN", help="What numbers the groups, if anything does.")
    @click.option("--releases", multiple=True, metavar="TABLE",
                  help="For m-invariance: the next release, in order. Repeat it.")  # fmt: skip
    @click.option("--skip-suppressed", is_flag=True, default=None,
                  help="Leave out rows whose quasi cells are all '*' or missing.")  # fmt: skip
    @wraps(command)
    def with_claim(*args: Any, model: Model | None, **options: Any) -> Any:
        names = ("k", "l_", "m", "form", "quasi", "time", "sensitive", "subject", "group",
                 "releases", "skip_suppressed")  # fmt: skip
        given = {name: options.pop(name) for name in names}
        said = {name: value for name, value in given.items() if value not in (None, ())}
        if model is None and said:
            first = next(iter(said)).rstrip("_").replace("_", "-")
            raise click.UsageError(f"--{first} needs --as, which says what the table is.")
        return command(*args, claim=None if model is None else _claim(model, said), **options)

    return with_claim


@click.command(short_help="Check whether a release, or any table, keeps its promise.")
@click.argument("release")
@evidence_options
@_claim_options
@all_option
@quiet_option
@json_option
def audit(release: str, evidence: Evidence, claim: Claim | None, everything: bool) -> Answer:
    """Check whether RELEASE keeps its promise; exit with 1 if it does not.

    With the plan, or the ledger and the table, people are counted again in the original rows.
    Without the table only what a recipient sees can be checked: the promise may be refuted then,
    and is never proved. What is shown fits a screen; --all shows every check as it is.

    RELEASE may be a folder of releases: then each is checked, and whether they belong together.

    RELEASE may be any table, of any tool, if you say with --as what it is claimed to be: rows with
    equal cells in all quasi columns are a group.

    \b
    anachron audit other.csv --as k-anonymity --k 5 --subject patient
        --quasi zip --quasi age_from/age_to
    anachron audit first.csv --as m-invariance --m 3 --subject patient
        --quasi zip --sensitive diagnosis --releases second.csv
    """
    if claim is not None:
        if evidence != Evidence():
            raise click.UsageError("--as checks a table for itself: leave out plan and ledger.")
        return _table(release, claim, everything)
    if Path(release).is_file():
        raise click.UsageError("this is a file and no release: say with --as what it is.")
    return run(placed(release), evidence, everything)


def _claim(model: Model, said: dict[str, Any]) -> Claim:
    from anachron.auditing.foreign import Claim

    letters = {"l": said.pop("l_")} if "l_" in said else {}
    return Claim(model, **letters, **said)


def run(release: Place, evidence: Evidence, everything: bool = False) -> Answer:
    """Audit a release, or a folder of releases, and tell the verdict."""
    from anachron import flow
    from anachron.flow.evidence import holds_releases

    with progress_bar() as progress:
        if holds_releases(release):
            found = flow.audit_history(release, **evidence.known(), progress=progress)
            return _history(found, everything)
        verdict = flow.audit(release, **evidence.known(), progress=progress)
    return _answer(verdict, f"The promise of release {verdict.release}", everything)


def _table(table: str, claim: Claim, everything: bool) -> Answer:
    from anachron import flow

    return _answer(flow.audit_table(table, claim), "The claim", everything)


def _history(verdicts: Sequence[Verdict], everything: bool) -> Answer:
    *releases, whole = verdicts
    if everything:
        beside = ["", *aligned([_row(one) for one in releases])]
    else:
        # Those that fail first, and then the last ones.
        good = [_row(one) for one in reversed(releases) if one.holds]
        bad = [_row(one) for one in releases if not one.holds]
        beside = _some([*bad, *good], _RELEASES, "release")
    answer = _answer(whole, "The history", everything, beside)
    return replace(answer, data=answer.data | {"releases": [one.to_dict() for one in releases]})


def _row(verdict: Verdict) -> tuple[str, str, str]:
    word, _, rest = str(verdict).partition(": ")
    return _word(verdict.holds, word), f"release {verdict.release}", rest


def _answer(verdict: Verdict, what: str, everything: bool, beside: Sequence[str] = ()) -> Answer:
    title = f"{what} {_SAID[verdict.word]}: {verdict.guarantee}, {_SCOPES[verdict.scope]}"
    lines = _whole(verdict, title) if everything else _summary(verdict, title, len(beside))
    grave = "" if verdict.holds else title
    code = 0 if verdict.holds else 1
    return Answer(verdict.to_dict(), "\n".join([*lines, *beside]), code, grave=grave)


def _whole(verdict: Verdict, title: str) -> list[str]:
    rows = [(_word(check.holds), check.about, _measured(check)) for check in verdict.checks]
    return [click.style(title, bold=True), *aligned(rows)]


def _summary(verdict: Verdict, title: str, taken: int) -> list[str]:
    """What fits a screen beside the lines that are taken: what fails, where, and the first checks.

    The promise itself is checked first.
    """
    head = [click.style(line, bold=True) for line in wrapped(title)]
    failures = [check for check in verdict.checks if not check.holds]
    most = 3 if taken else 5
    failed: list[str] = []
    for check in failures[:most]:
        first, *rest = wrapped(f"  FAILS  {check.about}: {_measured(check)}", most=3)
        failed += [first.replace("FAILS", _word(False), 1), *rest]
    more = len(failures) - most
    failed += [f"  … and {more:,} more checks that fail; --all tells of them"] if more > 0 else []
    good = [
        (_word(True), cut(check.about, columns() // 2), _measured(check))
        for check in verdict.checks
        if check.holds
    ]
    room = min(LINES - len(head) - len(failed) - taken, _CHECKS)
    return [*head, *failed, *_some(good, room, "check")]


def _some(rows: Sequence[Sequence[str]], most: int, what: str) -> list[str]:
    """The first rows, and how many there are more: in so many lines."""
    if len(rows) <= most:
        return fitted(rows)
    more = rows[max(most - 1, 0) :]
    does = f"{len(more):,} more {what}{'s' if len(more) > 1 else ''}"
    bad = sum(row[0] == _word(False) for row in more)
    end = f"of which {bad:,} fail" if bad else "of which none fails"
    return [*fitted(rows[: max(most - 1, 0)]), f"  … and {does}, {end}; --all shows them"]


def _measured(check: Check) -> str:
    if check.holds and check.measured == "as promised":
        return check.promised
    where = f"; see {'; '.join(check.witnesses)}" if check.witnesses else ""
    return f"{check.measured} (promised: {check.promised}){where}"


def _word(holds: bool, good: str = "holds") -> str:
    return click.style(good, fg="green") if holds else click.style("FAILS", fg="red")
