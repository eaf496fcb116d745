"""The first page: the verdict, what was promised, what was done."""

from __future__ import annotations

from collections.abc import Iterator

from anachron.reporting import parts
from anachron.reporting.markup import Markup, join, names, tag
from anachron.reporting.patterns.series import Series
from anachron.reporting.words import count, plural

__all__ = ["done", "figures", "header", "promised", "ruling", "span"]

FIRST = {
    "kapra": "Series of the same shape were put together first, then such sets whose values are "
    "near each other.",
    "naive": "Series whose values are near each other were put together first, then those of the "
    "same shape among them.",
}


def span(times: tuple[str, ...]) -> str:
    """``from 2005 to 2010``, or the one time that there is."""
    if not times:
        return "at no time"
    return f"at {times[0]}" if len(times) == 1 else f"from {times[0]} to {times[-1]}"


def header(paper: Series) -> Markup:
    """Say what this is about."""
    shown = paper.published
    if paper.is_whole:
        about = f"Time series of {plural(shown.times, 'time')}, {span(shown.values)}."
    else:
        about = (
            f"Time series of {plural(shown.times, 'time')}: values of {len(shown.values)}, "
            f"{span(shown.values)}; shapes of {len(shown.patterns)}, {span(shown.patterns)}."
        )
    return parts.header(paper, f"{about} Folder {paper.folder}.")


def ruling(paper: Series) -> Markup:
    """Give the verdict, and how far it reaches."""
    reach = "" if paper.followed else (
        " The ledger was not at hand: rows and people were matched in a way that fits all of them, "
        "which need not be the true one."
    )  # fmt: skip
    return parts.ruling(
        paper,
        proof="The audit compared every series with its row, with code of its own, and looked for "
        f"people in the release as an adversary would.{reach}",
        doubt=f"{parts.at_hand(paper)}: whether envelopes and patterns are those of the "
        "people could not be checked. The owner of the data proves it with the table.",
    )


def figures(paper: Series) -> Markup:
    """The few numbers to remember."""
    shown, promise = paper.published, paper.promise
    entries = [
        ("people share an envelope", f"at least {promise.k}"),
        ("of them share a pattern", f"at least {promise.few}"),
        ("series published", count(shown.rows)),
        ("series left out", count(shown.suppressed + shown.dropped)),
    ]
    return parts.figures(entries)


def promised(paper: Series) -> Markup:
    """Say what is promised, so that it can be read aloud."""
    k, few = paper.promise.k, paper.promise.few
    lead = (
        f"Whoever knows a person’s values finds at least {plural(k, 'person', 'people')} whom they "
        f"fit. Whoever knows the shape of the person’s series as well still finds {few}, so that a "
        f"guess at the person’s row is right with a chance of at most one in {few}."
        if few > 1
        else f"Whoever knows a person’s values finds at least {plural(k, 'person', 'people')} whom "
        "they fit. The shape is not protected: whoever knows it as well may find the person’s row."
    )
    exactly = (
        f"Put exactly: every published envelope is that of at least {k} people, and each of them "
        "is within it at all of its times. In every group each pattern, at its level, is that of "
        f"at least {few} of them, and everyone’s pattern is the person’s own."
    )
    said = [tag("p", lead, class_="lead"), tag("p", exactly)]
    if paper.promise.ell is not None:
        said.append(tag("p", _diverse(paper)))
    return parts.section("What is promised", *said)


def _diverse(paper: Series) -> Markup:
    ell, noise = paper.promise.ell, paper.promise.noise
    content = names(paper.published.sensitive)
    if paper.promise.by_subgroup:
        near = f" Numbers no further than {noise} apart count as the same." if noise else ""
        return join(
            "Among the people of one pattern in a group no value of ",
            content,
            f" belongs to more than one in {ell}.{near}",
        )
    return join(
        "Among the rows that fit a person no value of ",
        content,
        f" stands in more than one in {ell}, after repeated values were changed by at most ",
        f"{noise}.",
    )


def done(paper: Series) -> Markup:
    """Say what was done to the series."""
    return parts.done(_done(paper), paper.record.notes if paper.record is not None else ())


def _done(paper: Series) -> Iterator[str]:
    shown, promise = paper.published, paper.promise
    groups = plural(shown.groups, "group")
    yield f"{FIRST[promise.algorithm]} So the series came into {groups} of {promise.k} or more."
    yield (
        "Of values, a group shows its envelope, in the table envelopes: the lowest and the "
        f"highest value at each time, rounded outwards to multiples of {shown.precision}."
    )
    yield (
        "Of its shape, a row shows a pattern: a letter for each time, a being the lowest. The "
        "level of a pattern is the number of letters that it may use, from 1, which says nothing, "
        f"to {promise.finest}. Series are brought to the same mean and spread before, so that a "
        "pattern tells nothing about their height."
    )
    if not paper.is_whole:
        yield (
            f"Values are published of {len(shown.values)} and shapes of {len(shown.patterns)} of "
            f"the {plural(shown.times, 'time')}."
        )
    yield _left_out(paper)
    if shown.sensitive:
        how = "as in the table"
        if promise.ell is not None and not promise.by_subgroup:
            how += f", but that values which repeat were changed by up to {promise.noise}"
        be = "is" if len(shown.sensitive) == 1 else "are"
        yield join(names(shown.sensitive), f", the content, {be} published {how}.")
    yield (
        "Everything else was left behind: the column that names the person, every column without "
        "a role, and the order of the rows."
    )


def _left_out(paper: Series) -> str:
    shown, few = paper.published, paper.promise.few
    said = []
    if shown.dropped:
        said.append(f"{plural(shown.dropped, 'series', 'series')} with gaps were left out.")
    if shown.suppressed:
        said.append(
            f"{plural(shown.suppressed, 'series', 'series')}, fewer than {few}, remained when all "
            "others had found their like, and were left out."
        )
    return " ".join(said) or "No series was left out."
