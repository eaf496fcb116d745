"""A fifth method, as small as one can be: all that the house must be told of it."""

from __future__ import annotations

from anachron.registry import Method, Part

FREQUENT = Method(
    name="frequent",
    letter="n",
    attacks=frozenset({"learning", "homogeneity"}),
    promise=Part("tests.house.toy.promise:Frequent"),
    layout=Part("tests.house.toy.promise:LAYOUT"),
    courses=Part("tests.house.toy.making:course"),
    judge=Part("tests.house.toy.judging:FREQUENT"),
    measure=Part("anachron.measuring.tables:measure_table"),
    members=Part("tests.house.toy.behind:MEMBERS"),
    regroup=None,
    page=Part("tests.house.toy.page:FrequentPage"),
    shown=Part("anachron.reporting.shown:Shown"),
    summary=Part("tests.house.toy.shell:summary"),
    proposal=Part("tests.house.toy.shell:PROPOSAL"),
    trial=Part("tests.house.toy.shell:TRIAL"),
    frontier=Part("tests.house.toy.shell:FRONTIER"),
)
