"""The keys of a plan with ``method = "granularity"``, and of the calendars it may define."""

from __future__ import annotations

from typing import Any, Literal

from anachron.plan.keys import Moment, Number, Section, SpanOfTime, Text, key

__all__ = ["BusinessDaysSection", "CalendarSection", "GranularitySection", "LadderSection"]


class GranularitySection(Section):
    """The promise: every published combination of quasi values and time covers k people."""

    method: Literal["granularity"] = key('"granularity"', "Which promise is meant.")
    k: int = key(
        "a whole number of at least 2",
        "How many different people share each published combination, at least.",
    )
    granularities: list[Text] | None = key(
        "a list of names of granularities",
        "The granularities on offer: built-in ones, and your own from `[calendar]`. "
        "If it is not given: all built-in ones.",
        None,
    )
    metric: Text = key(
        "one of paper, resolution",
        "Which answer is the better one: `paper` compares the smallest group, then the sum of "
        "groups, as Mascetti et al. do; `resolution` the mean length of a granule over the rows.",
        "paper",
    )
    max_suppressed: Number = key(
        "a share from 0 to less than 1, as a number or as text",
        'The share of rows that may be left out to stay finer. Text such as `"0.01"` or `"1/3"` '
        "is taken exactly.",
        "0",
    )
    max_share: Number | None = key(
        "a share above 0 and up to 1, as a number or as text",
        "If given, no person owns more than this share of the rows of a group.",
        None,
    )
    keep: Text = key(
        "one of time, quasi, neither",
        "With ladders: what to keep fine when either could give way.",
        "time",
    )
    ladders: Any = key(
        "one table for each column",
        "How far each quasi column may be generalised: `[guarantee.ladders.COLUMN]`. "
        "A column without a ladder stays as it is.",
        {},
    )


class LadderSection(Section):
    """How far one quasi column may be generalised. Without any key: as it is, or left out."""

    bins: list[Number] | None = key(
        "a list of numbers",
        "Widths of numeric bins, each a multiple of the one before: `[5, 10, 20]`.",
        None,
    )
    origin: Number | None = key(
        "a number", "With `bins`: where a bin begins; 0 if not given.", None
    )
    prefix: list[int] | None = key(
        "a list of whole numbers",
        "How many first characters of a text to keep: `[4, 3, 2]`.",
        None,
    )
    hierarchy: Text | list[list[str | int | float]] | None = key(
        "the path of a file, or a list of rows",
        "Each value with its parent, grandparent, and so on: a CSV or TSV file without a header, "
        "relative to the plan, or the rows themselves.",
        None,
    )
    raw: bool = key("true or false", "Whether the column may stay as it is.", True)
    drop: bool = key("true or false", "Whether the column may be left out.", True)


class CalendarSection(Section):
    """A granularity of your own, in local time. Give the keys of exactly one kind."""

    boundaries: list[Moment] | None = key(
        "a list of dates or times", "Granules run from each of these to the next.", None
    )
    labels: list[Text] | None = key(
        "a list of names",
        "With `boundaries`: a name for each granule; there is one granule fewer than boundaries.",
        None,
    )
    spans: list[SpanOfTime] | None = key(
        "a list of [start, end] or [start, end, label]",
        "Granules one by one, the end not included; what lies between two of them is a gap.",
        None,
    )
    every: int | None = key(
        "a whole number of at least 1",
        "With `of` and `anchor`: so many granules make one, such as two weeks.",
        None,
    )
    sizes: list[int] | None = key(
        "a list of whole numbers",
        "With `of` and `anchor`: sizes of groups that repeat, such as `[4, 4, 5]` weeks.",
        None,
    )
    anchor: Moment | None = key(
        "a date or time",
        "With `every` or `sizes`: a moment in the first granule of a group.",
        None,
    )
    of: Text | None = key(
        "the name of a granularity", "What is grouped or gathered, built in or your own.", None
    )
    within: Text | None = key(
        "the name of a granularity",
        "With `of`: gather its granules by this coarser one, such as business days by week.",
        None,
    )
    business_days: Any = key(
        "a table", "Days that are neither weekend nor holiday, see below.", None
    )


class BusinessDaysSection(Section):
    """Days that are neither weekend nor holiday: a granularity with gaps."""

    country: Text | None = key(
        "a two-letter code",
        "Leave out the holidays of this country (needs the package `holidays`).",
        None,
    )
    subdivision: Text | None = key("a code", "A state or province of that country.", None)
    holidays: list[Moment] = key("a list of dates", "Further days to leave out.", [])
    weekend: list[int] = key(
        "a list of whole numbers from 0 to 6",
        "Days of the week to leave out, 0 is Monday.",
        [5, 6],
    )
