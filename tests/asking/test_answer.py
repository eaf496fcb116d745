"""Answers: what they say in a line, a table, JSON and HTML, and where their lines come from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from anachron.asking.answer import Answer, Figure, Row
from anachron.asking.catalogue import Catalogue
from anachron.asking.figures import Estimates
from anachron.asking.parse import parse
from anachron.asking.question import Aggregate, Among, Condition, Grouping, Ranges, Span
from anachron.asking.run import ask, ask_many
from anachron.errors import InputError, QuestionError
from tests.asking.catalogues import RECORDS, holds

ROWS = [
    {"t": t, "n": n, "x": float(n or 0)}
    for t, n in [("a", 1), ("a", 2), ("b", 2), ("b", None), (None, 3), ("c", 9)]
]


@dataclass(frozen=True, eq=False)
class Shown:
    """Rows that are published as they are, with bounds that are one to either side."""

    catalogue: Catalogue = RECORDS
    asked: list[tuple[int, Aggregate]] = field(default_factory=list)
    wide: float = 0.0
    why: float = 0.0

    def figures(self, conditions: Sequence[Condition], aggregate: Aggregate) -> Estimates:
        self.asked.append((len(conditions), aggregate))
        told = np.array([self._one(condition, aggregate) for condition in conditions], float)
        some = np.full(len(told), self.why)
        low, high = np.maximum(told - self.wide, 0), told + self.wide
        return Estimates(
            told, low, high, np.full(len(told), self.wide**2), some, some, some, 0 * told, 0 * told
        )

    def _one(self, condition: Condition, aggregate: Aggregate) -> float:
        rows = [row for row in ROWS if holds(condition, row)]
        if aggregate.kind == "count":
            return len([row for row in rows if not aggregate.column or row[aggregate.column]])
        values = [row[str(aggregate.column)] for row in rows]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        if aggregate.kind == "sum":
            return sum(numbers)
        return sum(numbers) / len(numbers) if numbers else float("nan")

    def keys(self, grouping: Grouping) -> list[tuple[object, Condition]]:
        if grouping.column == "n":
            return [(n, Ranges("n", (Span(n, n),))) for n in (1, 2, 3, 9)]
        leaves = [(t, Among("t", frozenset({t}))) for t in "abcd"]
        return [*leaves, (None, Among("t", frozenset(), nulls=True))]


def test_one_number() -> None:
    answer = ask(Shown(wide=1.0), "SELECT COUNT(*) WHERE t = 'a' OR n > 2")
    assert (answer.estimate, answer.low, answer.high, answer.error) == (4, 3, 5, 1)
    assert str(answer) == "4 (between 3 and 5, standard error 1)"
    assert str(ask(Shown(), "SELECT COUNT(*)")) == "6 exactly"
    assert str(ask(Shown(), "SELECT COUNT(*) WHERE n > 2 AND n < 1")) == "0 exactly"


def test_several_numbers() -> None:
    answer = ask(Shown(), "SELECT COUNT(*) AS many, AVG(n), SUM(x) WHERE n > 100")
    assert str(answer) == "many: 0 exactly\navg(n): no value\nsum(x): 0 exactly"
    with pytest.raises(InputError, match="look at its rows"):
        _ = answer.estimate


def test_groups_are_told_apart_and_empty_ones_left_out() -> None:
    shown = Shown()
    answer = ask(shown, "SELECT t, COUNT(*), SUM(n) WHERE n > 1 OR t = 'a' GROUP BY t")
    assert [row.keys for row in answer.rows] == [("a",), ("b",), ("c",), (None,)]
    assert [row.figures[0].estimate for row in answer.rows] == [2, 1, 1, 1]
    assert [row.figures[1].estimate for row in answer.rows] == [3, 2, 9, 3]
    # All groups together, once for each aggregate.
    assert shown.asked == [(5, Aggregate()), (5, Aggregate("sum", "n"))]
    assert str(answer).splitlines()[:2] == [
        "t       count(*)  between  sum(n)  between",
        "a              2  exactly       3  exactly",
    ]
    assert str(answer).splitlines()[4].startswith("(none)")


def test_a_group_that_may_have_records_stays() -> None:
    answer = ask(Shown(wide=1.0), "SELECT t, COUNT(*) GROUP BY t")
    assert [row.keys for row in answer.rows][3] == ("d",)
    assert str(answer.rows[3].figures[0]) == "0 (between 0 and 1, standard error 1)"


def test_no_error_stands_beside_what_is_exact() -> None:
    """Regression: a table said "exactly", and a standard error of 0 beside it."""
    wide, sure = Figure("count(*)", 4.0, 3, 5, 0.7), Figure("count(*)", 2.0, 2, 2, 0.0)
    named = ("count(*)",)
    mixed = Answer("q", ("t",), (Row(("a",), (wide,)), Row(("b",), (sure,))), titles=named)
    assert str(mixed).splitlines() == [
        "t  count(*)  between  standard error",
        "a         4  3 and 5             0.7",
        "b         2  exactly",
    ]
    certain = Answer("q", ("t",), (Row(("b",), (sure,)),), titles=named)
    assert str(certain).splitlines() == ["t  count(*)  between", "b         2  exactly"]
    assert "standard error" not in certain._repr_html_()
    assert certain.to_dict()["rows"][0]["figures"][0]["error"] == 0


def test_groups_that_contradict_the_condition_are_not_asked_about() -> None:
    shown = Shown()
    answer = ask(shown, "SELECT n, t, COUNT(*) WHERE t IN ('a', 'b') AND n < 3 GROUP BY n, t")
    assert shown.asked == [(4, Aggregate())]
    assert {row.keys: row.figures[0].estimate for row in answer.rows} == {
        (1, "a"): 1, (2, "a"): 1, (2, "b"): 1,
    }  # fmt: skip
    assert str(ask(shown, "SELECT t, COUNT(*) WHERE t = 'zz' GROUP BY t")) == "no records"


def test_many_questions_in_one_pass() -> None:
    shown = Shown()
    texts = ["SELECT COUNT(*)", "SELECT COUNT(*), AVG(n) WHERE n > 1", "SELECT COUNT(*) GROUP BY t"]
    answers = ask_many(shown, [parse(text, RECORDS) for text in texts])
    assert shown.asked == [(7, Aggregate()), (1, Aggregate("avg", "n"))]
    assert [answer.question for answer in answers] == texts
    assert [str(answer) for answer in answers] == [str(ask(Shown(), text)) for text in texts]
    assert ask_many(shown, []) == []


def test_too_many_groups_are_refused() -> None:
    class Many(Shown):
        def keys(self, grouping: Grouping) -> list[tuple[object, Condition]]:
            return [(n, Ranges("n", (Span(n, n),))) for n in range(400)]

    with pytest.raises(QuestionError, match="more than 20,000 groups"):
        ask(Many(), "SELECT COUNT(*) GROUP BY n, t")


def test_why_it_is_wide() -> None:
    late = replace(RECORDS, window=4, withheld=None)
    notes = ask(Shown(late, wide=1.0, why=1.0), "SELECT COUNT(*)").notes
    assert notes == (
        "Wide because 1 row in groups that the question cuts may count or not.",
        "Wide because 1 of the rows is counterfeit, and it is not published which.",
        "Wide because 1 row may have happened up to 3 snapshots before the one they are published "
        "in.",
        "It speaks of the published records; how many were withheld is not published.",
    )
    known = replace(RECORDS, withheld=1234, rows=5000)
    notes = ask(Shown(known, wide=1.0, why=2.5), "SELECT COUNT(*) GROUP BY t").notes
    assert notes[0] == (
        "Wide because up to 3 rows in a line in groups that the question cuts may count or not."
    )
    assert notes[-1] == "It speaks of the 5,000 published records; 1,234 more were withheld."
    assert ask(Shown(replace(RECORDS, withheld=0)), "SELECT COUNT(*)").notes == ()
    exact = Shown(replace(RECORDS, withheld=0), why=1.0)
    assert ask(exact, "SELECT COUNT(*)").notes == ()


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        (Figure("c", 411.96, 380, 455, 9.3), "412 (between 380 and 455, standard error 9.3)"),
        (Figure("c", 411.94, 380, 455, 12.6), "411.9 (between 380 and 455, standard error 13)"),
        (Figure("c", 12345.0, 12345, 12345, 0.0), "12,345 exactly"),
        (Figure("s", 1234.567, 0.0, 1e6, 0.0123, False),
         "1,235 (between 0 and 1,000,000, standard error 0.012)"),
        # Bounds are rounded outwards.
        (Figure("a", 1.23456, 1.23456, 1.23466, 0.0, False),
         "1.235 (between 1.234 and 1.235, standard error 0)"),
        (Figure("a", -0.5, -0.66666, -0.33333, 0.1, False),
         "-0.5 (between -0.6667 and -0.3333, standard error 0.1)"),
        (Figure("s", 5.0, None, 7.25, 1.0, False), "5 (at most 7.25, standard error 1)"),
        (Figure("s", 5.0, 2.0, None, 1.0, False), "5 (at least 2, standard error 1)"),
        (Figure("s", 5.0, None, None, None, False),
         "5 (without bounds, no standard error is known)"),
        (Figure("c", 3.2, 0, 9, None), "3.2 (between 0 and 9, no standard error is known)"),
        (Figure("s", None, None, None, None, False), "no value"),
    ],
)  # fmt: skip
def test_numbers_in_words(figure: Figure, text: str) -> None:
    assert str(figure) == text


def test_as_json_and_html() -> None:
    answer = Answer(
        "SELECT <t>",
        ("t",),
        (Row(("<b>",), (Figure("count(*)", 2.5, 1, 4, 0.5),)),
         Row((None,), (Figure("x", None, None, None, None),))),
        ("a & b",),
        ("count(*)",),
    )  # fmt: skip
    data = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert data["rows"][0] == {
        "keys": {"t": "<b>"},
        "figures": [{"name": "count(*)", "estimate": 2.5, "low": 1, "high": 4, "error": 0.5}],
    }
    assert data["rows"][1]["keys"] == {"t": None}
    assert data["notes"] == ["a & b"]
    html = answer._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "a &amp; b" in html
    assert "SELECT &lt;t&gt;" in html
    assert "no value" in str(answer)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        # estimate, low, high, variance, lean
        ((7.0, 7.0, 7.0, 4.3e-19, 0.0), "7 exactly"),
        ((0.1 + 0.2, 0.3, 0.1 + 0.2, 1e-18, 0.0), "0.3 exactly"),
        ((5.0, 2.0, 9.0, 4.0, 0.0), "5 (between 2 and 9, standard error 2)"),
        ((5.0, 1.0, 11.0, 9.0, 4.0), "5 (between 1 and 11, standard error 5)"),
        # The truth cannot be further away than the bounds are.
        ((5.0, 2.0, 9.0, 9.0, 4.0), "5 (between 2 and 9, standard error 4)"),
        ((2.0, 2.0, 9.0, 0.0, 0.0), "2 (between 2 and 9, no standard error is known)"),
        ((5.0, 2.0, 9.0, 4.0, np.nan), "5 (between 2 and 9, no standard error is known)"),
    ],
)
def test_no_error_is_claimed_where_the_answer_is_open_and_none_where_it_is_exact(
    told: tuple[float, ...], shown: str
) -> None:
    estimate, low, high, variance, lean = (np.array([part]) for part in told)
    none = np.zeros(1)

    class Told(Shown):
        def figures(self, conditions: Sequence[Condition], aggregate: Aggregate) -> Estimates:
            return Estimates(estimate, low, high, variance, none, none, none, lean, none)

    for what in ("COUNT(*)", "SUM(n)"):
        if what == "SUM(n)" or told[0] == round(told[0]):
            answer = ask(Told(replace(RECORDS, withheld=0)), f"SELECT {what}")
            assert str(answer).splitlines()[0] == shown
            assert (answer.error == 0) == (answer.low == answer.high)
            known = any("No standard error is known" in note for note in answer.notes)
            assert known == (answer.error is None)
