"""The keys of a plan with ``method = "invariance"``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from anachron.plan.keys import Number, Section, Text, key

__all__ = ["DOMAINS", "ORDERS", "WIDTHS", "Ends", "InvarianceSection", "Order"]

Order = Text | list[str]
Ends = Annotated[list[Number], Field(min_length=2, max_length=2)]


WIDTHS: Any = key(
    "a table with a number for each column",
    "The least width of a published interval of a numeric quasi column: `age = 5`. Whole "
    "numbers have 1 if it is not given; a column with fractions needs one.",
    {},
    each="a number above 0",
)
ORDERS: Any = key(
    "a table with a list of values, or the path of a file, for each column",
    "For quasi columns of text: their values, in the order in which neighbours are alike. A "
    "file, relative to the plan, has one value in each line; a hierarchy file does too, by "
    "its first column.",
    {},
    each="a list of texts, or the path of a file",
)
DOMAINS: Any = key(
    "a table with [lowest, highest] for each column",
    "What a numeric quasi column can hold, by which its intervals are weighed: "
    "`age = [0, 120]`. If it is not given: what the table spans.",
    {},
    each="a list of two numbers, the lowest and the highest",
)


class InvarianceSection(Section):
    """The promise: every person keeps the same m possible values through all releases."""

    method: Literal["invariance"] = key('"invariance"', "Which promise is meant.")
    m: int = key(
        "a whole number of at least 2",
        "How many sensitive values remain possible for each person, at least.",
    )
    mode: Text = key(
        "one of paper, transparent, sticky",
        "`paper` needs the fewest counterfeits, but who knows the algorithm may learn from how "
        "shortages were filled; `transparent` fills every shortage with a counterfeit; `sticky` "
        "also never regroups people, also if a value changes to another one of their set.",
        "paper",
    )
    balance: Text = key(
        "one of exact, paper",
        "`exact` uses the fewest counterfeits possible for the release, `paper` is the greedy way "
        "of Xiao and Tao.",
        "exact",
    )
    when_ineligible: Text = key(
        "one of refuse, hold",
        "What to do when too many of the new people share one sensitive value: `refuse` the "
        "release, or `hold` the fewest back and offer them to the next one.",
        "refuse",
    )
    widths: dict[str, Number] = WIDTHS
    orders: dict[str, Order] = ORDERS
    domains: dict[str, Ends] = DOMAINS
    changes: dict[str, list[str]] = key(
        "a table with a list of values for each value",
        'For each sensitive value, those that it can change to: `acute = ["chronic", "healed"]`. '
        "A value that is not listed can change to no other. If nothing is given: any to any. If "
        "all lists are empty, no value ever changes, and a table in which one did is refused. "
        "`transparent` takes that alone, or that any of `values` can become any.",
        {},
        each="a list of texts",
    )
    values: list[str] = key(
        "a list of values",
        "The sensitive values that there can be, whether anybody has them now or not. "
        "`transparent` and `sticky` make new sets of people whose value changed of these, and of "
        "what was published before. A value that is in neither is refused.",
        [],
    )
