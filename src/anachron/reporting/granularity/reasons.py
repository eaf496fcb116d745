"""How the published view was chosen: the order, why finer ones fail, what others would cost."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from anachron.reporting.granularity.diagram import SIGNS, diagram, state
from anachron.reporting.granularity.events import Events
from anachron.reporting.granularity.matrix import matrix, shown
from anachron.reporting.granularity.search import Answer, Node, Search, Steps
from anachron.reporting.markup import Markup, join, mark, table, tag
from anachron.reporting.words import count, length, listing, name, percent, plural

__all__ = ["reasons"]

MOST_REASONS = 30
MOST_NODES = 400

TITLE = "How the granularity was chosen"


def reasons(paper: Events) -> Markup:
    """Show the search, or say where its record is."""
    search = paper.search
    if search is None or search.chosen is None:
        text = (
            "The record of the search, with the reason why each finer granularity fails, is in "
            "the owner’s ledger. It is no part of the release, because it speaks of rows that "
            "were not published."
        )
        return tag("section", tag("h2", TITLE), tag("p", text))
    return tag(
        "section",
        tag("h2", TITLE),
        tag("p", _intro(search)),
        tag(
            "p",
            "For the owner only: the figures of this section come from the original table, not "
            "from the release. Leave the ledger out when you make a certificate to hand on "
            "together with the release.",
            class_="note",
        ),
        *_picture(search, search.chosen.steps),
        *_failing(search, search.chosen.steps),
        *_answers(search),
        _all_nodes(search),
    )


def _intro(search: Search) -> str:
    # The record of a large search leaves out views that were not counted.
    views = len(search.names) * prod(len(words) for words in search.ladders.values())
    measured = sum(node.measured for node in search.nodes)
    people = plural(search.subjects, "person", "people")
    by = name(search.recorded_by)
    recorded = "to the instant" if by == "instant" else f"by {by}"
    rows = plural(search.rows, "row")
    text = f"The table has {rows} of {people}; its times are recorded {recorded}. "
    if measured == views:
        return f"{text}Every one of the {plural(views, 'view')} on offer was counted."
    return text + (
        f"Of {plural(views, 'view')} {count(measured)} had to be counted; the others follow from "
        "the order: what is finer than one that fails must fail, and what is coarser than one "
        "that holds must hold."
    )


def _picture(search: Search, steps: Steps) -> list[Markup]:
    seen = {state(search, granularity, steps) for granularity in search.names}
    parts = []
    if search.ladders:
        combinations, total = shown(search)
        seen |= {state(search, g, s) for g in search.names for s in combinations}
        title = tag("h3", "Every combination that was counted")
        parts += [title, _legend(search, seen), matrix(search)]
        if total > len(combinations):
            parts.append(tag("p", f"{len(combinations)} of {count(total)} combinations are shown."))
        named = zip(search.ladders, search.step_names(steps), strict=True)
        steps_in_words = ", ".join(f"{column} {step}" for column, step in named)
        parts.append(tag("h3", f"The granularities, with {steps_in_words}"))
    else:
        parts.append(_legend(search, seen))
    text = (
        "From the finest granularity at the top to the coarsest at the bottom. A line joins two "
        "when the lower one gathers whole granules of the upper one. Where no way leads down from "
        "one to the other (between weeks and months, say), neither is finer."
    )
    parts.append(tag("figure", diagram(search, steps), tag("figcaption", text)))
    if search.dropped:
        parts += [tag("h3", "Offered, but left out of the search"), _dropped(search)]
    return parts


def _dropped(search: Search) -> Markup:
    together: dict[str, list[str]] = {}
    for granularity, reason in search.dropped.items():
        together.setdefault(reason, []).append(name(granularity))
    return tag(
        "ul",
        *(
            tag("li", tag("strong", listing(granularities)), f": {reason}.")
            for reason, granularities in together.items()
        ),
    )


def _legend(search: Search, seen: set[str]) -> Markup:
    items = [tag("li", mark(key, ""), says) for key, says in SIGNS.items() if key in seen]
    if not all(node.measured for node in search.nodes):
        box = tag("span", class_="box")
        items.append(tag("li", box, "dotted or small: not counted, follows from the order"))
    return tag("ul", *items, class_="legend")


def _failing(search: Search, steps: Steps) -> list[Markup]:
    """Why views fail that are no coarser than the answer in any ladder."""
    place = {granularity: i for i, granularity in enumerate(search.names)}
    failing = [
        node
        for node in search.nodes
        if not node.holds and all(a <= b for a, b in zip(node.steps, steps, strict=True))
    ]
    failing.sort(key=lambda node: (not node.measured, -place[node.granularity], node.steps))
    if not failing:
        return [tag("p", "Nothing finer was on offer: the finest view holds.")]
    head = ("granularity", *search.ladders, "why it fails", "rows lost")
    together: dict[tuple[Steps, str], list[Node]] = {}
    for node in failing:
        together.setdefault((node.steps, node.because), []).append(node)
    rows = [_reason(search, nodes) for nodes in together.values()]
    parts = [
        tag("h3", "Why the others fail" if search.ladders else "Why the finer ones fail"),
        table(head, rows[:MOST_REASONS], numeric=(len(head) - 1,)),
    ]
    if len(rows) > MOST_REASONS:
        parts.append(tag("p", f"{MOST_REASONS} of {count(len(rows))} reasons are shown."))
    return parts


def _reason(search: Search, nodes: list[Node]) -> tuple[str, ...]:
    """One reason, and all granularities that fail for it."""
    node, lost = nodes[0], nodes[0].lost_rows
    share = "" if lost is None else percent(Fraction(lost, max(search.rows, 1)))
    granularities = listing(name(other.granularity) for other in reversed(nodes))
    return (granularities, *search.step_names(node.steps), node.because, share)


def _answers(search: Search) -> list[Markup]:
    """Every minimal answer, and what it costs."""
    head = [
        "", "granularity", *search.ladders, "smallest group", "sum over groups",
        "mean length", "rows left out",
    ]  # fmt: skip
    if search.ladders:
        head.append("detail lost")
    rows = []
    for i, answer in enumerate(search.answers):
        status = "published" if i == 0 else "minimal"
        left = count(answer.suppressed_rows)
        if answer.suppressed_rows:
            left += f" ({percent(answer.suppressed_share)})"
        row = [
            join(mark(status, SIGNS[status])), name(answer.granularity),
            *search.step_names(answer.steps), count(answer.smallest), count(answer.people),
            length(answer.length_days), left,
        ]  # fmt: skip
        rows.append([*row, _lost(search, answer)] if search.ladders else row)
    text = (
        "A minimal answer holds, and nothing finer than it does. There is only one here."
        if len(rows) == 1
        else "Each of these holds, and nothing finer than it does. The first was published."
    )
    measures = (
        "Smallest group and sum are counted in people; together they are the measure of Mascetti, "
        "Bettini, Wang and Jajodia (2006). The mean length is that of the published times, over "
        "all rows."
    )
    if search.ladders:
        measures += " A column loses from 0 (as it is) to 1 (left out) of its detail."
    first = 2 + len(search.ladders)
    return [
        tag("h3", "The minimal answers, and what each costs"),
        tag("p", text, class_="lead-in"),
        table(head, rows, numeric=range(first, len(head)), class_="answers"),
        tag("p", measures, class_="small"),
    ]


def _lost(search: Search, answer: Answer) -> str:
    """Each column loses from 0 (as it is) to 1 (left out); the record holds the sum."""
    return f"{float(answer.quasi_loss):.2f} of {len(search.ladders)}"


def _all_nodes(search: Search) -> Markup:
    head = ("granularity", *search.ladders, "state", "counted", "because")
    rows = [
        (
            name(node.granularity),
            *search.step_names(node.steps),
            "holds" if node.holds else "fails",
            "yes" if node.measured else "no",
            node.because,
        )
        for node in search.nodes[:MOST_NODES]
    ]
    more = len(search.nodes) - len(rows)
    left = [tag("p", f"{plural(more, 'more view')} in the owner’s ledger.")] if more else []
    return tag("details", tag("summary", "Every view of the search"), table(head, rows), *left)
