"""The keys of a plan with ``method = "reposition"``."""

from __future__ import annotations

from typing import Any, Literal

from anachron.plan.invariance import DOMAINS, ORDERS, WIDTHS, Ends, Order
from anachron.plan.keys import Number, Section, Text, key

__all__ = ["RepositionSection"]


class RepositionSection(Section):
    """The promise: every snapshot of a feed is published l-diverse, at most a window late."""

    method: Literal["reposition"] = key('"reposition"', "Which promise is meant.")
    l: Number | None = key(  # noqa: E741
        "a number above 1, as a number or as text",
        "No sensitive value has more than one in l of the records of a published group. Taken "
        'exactly as written: `3`, `2.5` or `"7/3"`. With an m-invariance in `then` it is m, and '
        "may be left out.",
        None,
    )
    window: int = key(
        "a whole number from 1 to 10,000",
        "A record is published in its snapshot or in one of the `window - 1` that follow, or "
        "never; a snapshot is out `window - 1` snapshots after its end. With 1, nothing is moved: "
        "what cannot be published at once is left out.",
    )
    snapshot: Text = key(
        "the name of a granularity",
        "The granularity of the snapshots, built in or your own from `[calendar]`.",
        "day",
    )
    solver: Text = key(
        "one of recycle, rolling",
        "`recycle` offers every arriving snapshot to the records that were to be left out, as Wang "
        "et al. do; `rolling` solves the whole unpublished window anew, which loses less and takes "
        "longer.",
        "recycle",
    )
    first: Text = key(
        "one of exact, cold",
        "Whether the first window is solved exactly, or begins empty.",
        "exact",
    )
    mu: Text | list[Number] = key(
        "linear, quadratic, or a list of costs",
        "What it costs to publish a record 0, 1, 2, … snapshots late. A list begins with 0 and "
        "grows as much or more at every step: `[0, 1, 3, 6]`.",
        "linear",
    )
    beta: Number | dict[str, Number] | None = key(
        "a number above 0, or a table with a number for each value",
        'What it costs to leave a record out; in a table by sensitive value, `"*"` stands for all '
        "others. If it is not given: as much as one snapshot beyond the longest delay.",
        None,
        each="a number above 0",
    )
    late: Text = key(
        "one of refuse, recycle, drop",
        "What to do with records that arrive after their snapshot: `refuse` the push, `recycle` "
        "them as if they had been left out while their snapshot is not yet out, or `drop` them.",
        "refuse",
    )
    repeated: Text = key(
        "one of refuse, one",
        "What to do with several records of a person in one snapshot: `refuse` the push, or "
        "publish `one` of them.",
        "refuse",
    )
    then: Text | dict[str, Any] = key(
        "anatomy, generalize, or a table with the keys of the method invariance",
        "How an eligible snapshot is published: `anatomy` (quasi columns as they are, sensitive "
        "values in a table beside them), `generalize` (quasi columns as intervals, with `widths`, "
        "`orders` and `domains`), or m-invariant through all snapshots: `[guarantee.then]` with "
        '`method = "invariance"`.',
        "anatomy",
    )
    careful: bool = key(
        "true or false",
        "Whether nothing that can be seen depends on the values of those who are published on "
        "time. Not with an m-invariance, which has modes of its own.",
        True,
    )
    widths: dict[str, Number] = WIDTHS
    orders: dict[str, Order] = ORDERS
    domains: dict[str, Ends] = DOMAINS
