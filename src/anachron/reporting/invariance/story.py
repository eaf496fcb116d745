"""How a release continues the ones before: who stayed, who came, and what it cost."""

from __future__ import annotations

from anachron.auditing.history import History
from anachron.reporting import parts
from anachron.reporting.charts import Chart
from anachron.reporting.invariance.candidates import Candidates, candidates, drawn
from anachron.reporting.invariance.register import Record, Register
from anachron.reporting.markup import Markup, table, tag
from anachron.reporting.words import count, plural

__all__ = ["over_releases", "story"]

TITLE = "How it continues the earlier releases"


def story(paper: Register, source: str = "register") -> Markup:
    """Show the people and the history, or say where their record is.

    ``source`` is what the rows came from.
    """
    record = paper.record
    if record is None:
        text = (
            "Who stayed, came, returned or changed is in the owner’s ledger. It is no part of the "
            "release, because it would help to tell people apart."
        )
        return parts.section(TITLE, tag("p", text))
    return parts.section(
        TITLE,
        tag(
            "p",
            f"For the owner only: the figures of this section come from the {source} and the "
            "ledger, not from the release. Leave the ledger out when you make a certificate to "
            "hand on together with the release.",
            class_="note",
        ),
        table(("people", "", "what became of them"), _people(record, source), numeric=(1,)),
        *_history(record),
        *_left(paper, source),
    )


def _people(record: Record, source: str) -> list[tuple[str, str, str]]:
    rows = [
        (f"in the {source}", record.subjects, "one row each"),
        ("known from earlier releases", record.known, "published with the set of values that "
         "they had, also when they were away in between"),
        ("of them with a new set", record.changed, "their value changed to one outside their set"),
        ("new", record.new, "given a set of values, which is theirs from now on"),
        ("of them filling places", record.filled, "took a place that somebody left"),
        ("held back", record.held, "too many new people share their value; offer them again with "
         "the next release"),
        ("left out", record.refused, "their new value allows no set that would not narrow them "
         "down"),
    ]  # fmt: skip
    needed = (f"in the {source}", "known from earlier releases", "new")
    return [(who, count(n), what) for who, n, what in rows if n or who in needed]


def _history(record: Record) -> list[Markup]:
    if len(record.history) < 2:
        first = bool(record.history) and not record.known
        return [tag("p", "This is the first release of the register.")] if first else []
    caption = (
        f"{plural(len(record.history), 'release')}, this one last. A row more or less is a person "
        "who came or left, or a counterfeit."
    )
    return [
        tag("h3", "Rows and counterfeits over the releases"),
        over_releases(record).figure(caption),
    ]


def _left(paper: Register, source: str) -> list[Markup]:
    """What all releases together leave open, if the ledger's memory is at hand."""
    past, m = paper.proof.past, paper.promise.m
    found = candidates(past, paper.release) if isinstance(past, History) else ()
    if not found:
        return []
    title = tag("h3", "Values left when all releases are laid together")
    if len(found) == 1:
        return [title, tag("p", _one(found[0], m))]
    caption = (
        f"For each release: how many values may be a person’s, after what it and all before it "
        f"show of the people of the {source}. Full points: of the person with the fewest. Hollow "
        f"points: of half of all people no more. Dashed: at least {m} are promised."
    )
    return [title, drawn(found, m).figure(caption)]


def _one(found: Candidates, m: int) -> str:
    return (
        f"For everyone at least {plural(found.smallest, 'value')} may be true, for half of all "
        f"people no more than {found.median:g}; promised are {m}."
    )


def over_releases(record: Record) -> Chart:
    """Rows and counterfeits of every release."""
    history = record.history
    return Chart(
        name="over_releases",
        says=f"Rows and counterfeits of {plural(len(history), 'release')}.",
        records=tuple(
            {"release": e.release, "rows": e.rows, "counterfeits": e.counterfeits} for e in history
        ),
        head=("release", "rows", "counterfeits", "groups"),
        rows=tuple(
            (str(e.release), count(e.rows), count(e.counterfeits), count(e.groups)) for e in history
        ),
        numeric=(1, 2, 3),
    )
