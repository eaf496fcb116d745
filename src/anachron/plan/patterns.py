"""The keys of a plan with ``method = "patterns"``."""

from __future__ import annotations

from typing import Literal

from anachron.plan.keys import Number, Section, Text, key

__all__ = ["PatternsSection"]


class PatternsSection(Section):
    """The promise: k people share each published envelope of values, P of them each pattern."""

    method: Literal["patterns"] = key('"patterns"', "Which promise is meant.")
    k: int = key(
        "a whole number of at least 2", "How many people share each published envelope, at least."
    )
    P: int = key(
        "a whole number from 1 to k",
        "How many people of a group share each published pattern, at least.",
    )
    max_level: int = key(
        "a whole number from 2 to 26", "How many letters a pattern may use, at most.", 10
    )
    algorithm: Text = key(
        "one of kapra, naive",
        "`kapra` finds people of one shape first and then groups them, `naive` the other way "
        "round, as Shou et al. describe both.",
        "kapra",
    )
    objective: Text = key(
        "one of level, loss",
        "Whether patterns get the finest `level` at which P people agree, or the one that loses "
        "least.",
        "level",
    )
    precision: Number | None = key(
        "a number above 0",
        "Published bounds are multiples of it, rounded outwards. Whole numbers have 1 if it is not "
        "given; series with fractions need one.",
        None,
    )
    l: int | None = key(  # noqa: E741
        "a whole number from 2 to P",
        "If given, no sensitive value belongs to more than one in l of those whom a reader cannot "
        "tell apart.",
        None,
    )
    diversity: Text = key(
        "one of subgroup, paper",
        "With `l`: in every set of people of one pattern in a group, or, as in the paper, in the "
        "rows that fit a person, made different by noise.",
        "subgroup",
    )
    noise: Number | None = key(
        "a number above 0",
        "With `l`: how close two numbers are the same value for `subgroup`; by how much repeated "
        "values are changed for `paper`, which needs it.",
        None,
    )
    values: list[Text] | None = key(
        "a list of names of times",
        "The times whose values are published: columns of a wide table, labels of granules of a "
        "long one. All if it is not given.",
        None,
    )
    patterns: list[Text] | None = key(
        "a list of names of times, two or more",
        "The times whose shape is published, one or more of them among `values`. All if it is not "
        "given.",
        None,
    )
    granularity: Text | None = key(
        "the name of a granularity",
        "For long tables: what two neighbouring times are apart, built in or your own from "
        "`[calendar]`.",
        None,
    )
    gaps: Text = key(
        "one of refuse, interpolate, trim, drop",
        "What to do with series that miss a value: `refuse` the table, `interpolate` between "
        "neighbours, `trim` the times that somebody misses, or `drop` the series.",
        "refuse",
    )
