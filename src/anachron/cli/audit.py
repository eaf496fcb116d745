"""``anachron audit``: does a release, a history of releases or any table keep its promise?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, aligned
from anachron.cli.options import Evidence, evidence_options, json_option
from anachron.cli.progress import progress_bar

if TYPE_CHECKING:
    from anachron.auditing.foreign import Claim
    from anachron.auditing.foreign.claim import Model
    from anachron.auditing.verdict import Check, Verdict

__all__ = ["audit", "run"]

_SCOPES = {
    "published": "as far as the published files can show",
    "with ledger": "as far as the ledger remembers, without the original rows",
    "with microdata": "people counted in the original rows",
    "people counted": "people counted",
    "rows counted": "rows counted, since no column tells people apart",
}
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
@json_option
def audit(release: str, evidence: Evidence, claim: Claim | None) -> Answer:
    """Check whether RELEASE keeps its promise; exit with 1 if it does not.

    With the plan, or the ledger and the table, people are counted again in the original rows.
    Without them only what a recipient sees can be checked.

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
        return _table(release, claim)
    if Path(release).is_file():
        raise click.UsageError("this is a file and no release: say with --as what it is.")
    return run(Path(release), evidence)


def _claim(model: Model, said: dict[str, Any]) -> Claim:
    from anachron.auditing.foreign import Claim

    letters = {"l": said.pop("l_")} if "l_" in said else {}
    return Claim(model, **letters, **said)


def run(release: Path, evidence: Evidence) -> Answer:
    """Audit a release, or a folder of releases, and tell the verdict."""
    from anachron import flow
    from anachron.flow.evidence import holds_releases

    with progress_bar() as progress:
        if holds_releases(release):
            found = flow.audit_history(release, **evidence.known(), progress=progress)
            return _history(found)
        verdict = flow.audit(release, **evidence.known(), progress=progress)
    what = f"The promise of release {verdict.release}"
    return Answer(verdict.to_dict(), "\n".join(_lines(verdict, what)), _code(verdict))


def _table(table: str, claim: Claim) -> Answer:
    from anachron import flow

    verdict = flow.audit_table(table, claim)
    return Answer(verdict.to_dict(), "\n".join(_lines(verdict, "The claim")), _code(verdict))


def _history(verdicts: Sequence[Verdict]) -> Answer:
    *releases, whole = verdicts
    lines = _lines(whole, "The history")
    lines += [
        "",
        *aligned([(_word(one.holds), f"release {one.release}", str(one)) for one in releases]),
    ]
    data = whole.to_dict() | {"releases": [one.to_dict() for one in releases]}
    return Answer(data, "\n".join(lines), _code(whole))


def _lines(verdict: Verdict, what: str) -> list[str]:
    word = "holds" if verdict.holds else "FAILS"
    title = f"{what} {word}: {verdict.guarantee}, {_SCOPES[verdict.scope]}"
    rows = [(_word(check.holds), check.about, _measured(check)) for check in verdict.checks]
    return [click.style(title, bold=True), *aligned(rows)]


def _measured(check: Check) -> str:
    if check.holds and check.measured == "as promised":
        return check.promised
    where = f"; see {'; '.join(check.witnesses)}" if check.witnesses else ""
    return f"{check.measured} (promised: {check.promised}){where}"


def _word(holds: bool) -> str:
    return click.style("holds", fg="green") if holds else click.style("FAILS", fg="red")


def _code(verdict: Verdict) -> int:
    return 0 if verdict.holds else 1
