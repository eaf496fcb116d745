"""What is read of a question, and what is said of one that cannot be read."""

from __future__ import annotations

import logging
from decimal import Decimal

import pytest

from anachron.asking.parse import in_normal_form, parse
from anachron.asking.question import (
    EVERYTHING,
    NOTHING,
    Aggregate,
    All,
    Among,
    Any,
    Begins,
    FeatureIn,
    Grouping,
    Ranges,
    Similar,
    Span,
    ValueIn,
)
from anachron.asking.suggest import examples
from anachron.errors import QuestionError
from tests.asking.catalogues import CELLS, RECORDS, SERIES


def where(text: str, catalogue=RECORDS):
    return parse(f"SELECT COUNT(*) WHERE {text}", catalogue).where


def refused(text: str, catalogue=RECORDS) -> str:
    with pytest.raises(QuestionError) as caught:
        parse(text, catalogue)
    message = str(caught.value)
    works = message.split("This one works: ")[1]
    parse(works, catalogue)
    return message


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("n > 3", (Span(4, None),)),
        ("n >= 2.5", (Span(3, None),)),
        ("n < 3 OR n > 5", (Span(None, 2), Span(6, None))),
        ("n < 3 OR n >= 3 AND n <= 9", (Span(None, 9),)),
        ("n IN (1, 2, 3, 7)", (Span(1, 3), Span(7, 7))),
        ("n = -4", (Span(-4, -4),)),
        ("n BETWEEN 1 AND 4 AND n <> 2", (Span(1, 1), Span(3, 4))),
        ("n IS NOT NULL", (Span(None, None),)),
        ("n < 1e30", (Span(None, None),)),
        ("x > 0.1", (Span(0.1, None, False),)),
        ("x BETWEEN 0.1 AND 0.3 AND x < 0.3", (Span(0.1, 0.3, True, False),)),
        ("x <> 0.5", (Span(None, 0.5, True, False), Span(0.5, None, False))),
        ("money = 0.10", (Span(Decimal("0.10"), Decimal("0.10")),)),
        ("born = DATE '1970-01-03'", (Span(2, 3, True, False),)),
    ],
)
def test_numbers_and_dates_become_spans(text: str, spans) -> None:
    found = where(text)
    assert isinstance(found, Ranges)
    assert (found.spans, found.nulls) == (spans, False)


def test_numbers_are_compared_as_the_column_stores_them() -> None:
    [span] = where("money > 0.1").spans  # type: ignore[union-attr]
    assert isinstance(span.low, Decimal)
    [span] = where("x = 0.1").spans  # type: ignore[union-attr]
    assert isinstance(span.low, float)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("t = 'a' OR t IN ('b', 'it''s')", Among("t", frozenset({"a", "b", "it's"}))),
        ("t <> 'a'", Among("t", frozenset({"a"}), inside=False)),
        ("NOT (t <> 'a' OR t IS NULL)", Among("t", frozenset({"a"}))),
        ("t = 'a' OR t IS NULL", Among("t", frozenset({"a"}), nulls=True)),
        ("t LIKE 'ab%' OR t LIKE 'c%' OR t LIKE 'abc%'", Begins("t", ("ab", "c"))),
        ("t LIKE 'ab%' AND t LIKE 'abc%'", Begins("t", ("abc",))),
        ("t NOT LIKE 'ab%'", Begins("t", ("ab",), inside=False)),
        ("t LIKE 'ab'", Among("t", frozenset({"ab"}))),
        ("b", Among("b", frozenset({True}))),
        ("NOT b", Among("b", frozenset({False}))),
        ("b IS NOT TRUE", Among("b", frozenset({False}), nulls=True)),
        ("b = TRUE OR b = FALSE", Among("b", frozenset(), inside=False)),
        ("TRUE", EVERYTHING),
        ("n > 3 AND FALSE", NOTHING),
        ("n > 3 AND n < 4", NOTHING),
        ("n IS NULL OR n IS NOT NULL", EVERYTHING),
        ("n BETWEEN 5 AND 2", NOTHING),
        ("blob IS NULL", Among("blob", frozenset(), nulls=True)),
    ],
)
def test_texts_booleans_and_constants(text: str, found) -> None:
    assert where(text) == found


def test_a_column_beside_itself_is_made_one_where_that_is_exact() -> None:
    few, ab = Ranges("n", (Span(None, 4),)), Among("t", frozenset({"a", "b"}))
    assert where("(n < 5 AND t = 'a') OR (n < 5 AND t = 'b')") == All((few, ab))
    assert where("n < 5 AND (n < 7 OR t = 'a')") == few
    assert where("n < 5 AND (n > 7 OR t IN ('a', 'b'))") == All((few, ab))
    assert where("n < 5 OR (n < 3 AND t = 'a')") == few
    assert where("n < 5 OR ((n >= 5 OR n IS NULL) AND t IN ('a', 'b'))") == Any((few, ab))
    assert "n: it stands in several parts of an OR" in refused(
        "SELECT COUNT(*) WHERE n < 5 AND (n < 3 OR t = 'a')"
    )
    assert "t: its conditions cannot be made one" in refused(
        "SELECT COUNT(*) WHERE t LIKE 'a%' AND t <> 'ab'"
    )


def test_what_was_published_of_a_column_decides() -> None:
    assert where("district <= 'market'", CELLS) == Among(
        "district", frozenset({"harbour", "market"})
    )
    assert where("district BETWEEN 'market' AND 'hill'", CELLS) == Among(
        "district", frozenset({"market", "hill"})
    )
    assert where("district LIKE 'h%'", CELLS) == Among("district", frozenset({"harbour", "hill"}))
    assert where("job = 'hands'", CELLS) == Among("job", frozenset({"smith", "cook"}))
    assert where("rooms > 1 AND rooms < 10", CELLS) == Among("rooms", frozenset({"2", "3"}))
    assert where("rooms = 10", CELLS) == Among("rooms", frozenset({"10"}))
    assert where("zip = 'SW1*'", CELLS) == Begins("zip", ("SW1",))
    assert where("zip = 'N1*'", CELLS) == Among("zip", frozenset({"N1"}))
    assert where("zip LIKE 'SW%'", CELLS) == Begins("zip", ("SW",))


def test_names_are_found_whatever_their_case() -> None:
    assert where("AGE > 3 AND Zip LIKE 'S%'", CELLS) == All(
        (Ranges("age", (Span(4, None),)), Begins("zip", ("S",)))
    )
    assert where('records."n" = 1') == where("n = 1")


def test_aggregates_groupings_and_their_names() -> None:
    read = parse(
        "SELECT t, COUNT(*) AS many, SUM(n), AVG(x), COUNT(b) FROM release GROUP BY t", RECORDS
    )
    assert read.aggregates == (
        Aggregate(), Aggregate("sum", "n"), Aggregate("avg", "x"), Aggregate("count", "b"),
    )  # fmt: skip
    assert read.titles == ("many", "sum(n)", "avg(x)", "count(b)")
    assert read.groupings == (Grouping("t"),)
    assert read.where == EVERYTHING


@pytest.mark.parametrize(
    ("text", "groupings"),
    [
        ("SELECT COUNT(*) GROUP BY seen", (Grouping("seen"),)),
        ("SELECT month(seen), COUNT(*) GROUP BY 1", (Grouping("seen", "month"),)),
        ("SELECT part_of_day(seen) AS p, COUNT(*) GROUP BY p", (Grouping("seen", "part_of_day"),)),
        ("SELECT DATE_TRUNC('week', seen), COUNT(*) GROUP BY ALL", (Grouping("seen", "week"),)),
        ("SELECT COUNT(*) GROUP BY t, year(seen), t", (Grouping("t"), Grouping("seen", "year"))),
    ],
)
def test_groups_of_any_granularity(text: str, groupings) -> None:
    assert parse(text, RECORDS).groupings == groupings


def test_series() -> None:
    assert where("value('2006') BETWEEN 1.5 AND 3", SERIES) == ValueIn(
        (("2006", 1.0),), (Span(1.5, 3.0),)
    )
    assert where("value('2006') - value('2005') > 50", SERIES) == ValueIn(
        (("2005", -1.0), ("2006", 1.0)), (Span(50.0, None, False),)
    )
    assert where("2 * value('2006') + 1 <= value('2005') / 4", SERIES) == ValueIn(
        (("2005", -0.25), ("2006", 2.0)), (Span(None, -1.0),)
    )
    assert where("feature('2006' - '2005') > 0", SERIES) == FeatureIn(
        (("2005", -1.0), ("2006", 1.0)), (Span(0.0, None, False),)
    )
    assert where('"2006" < 3 AND value(2006) > 1', SERIES) == ValueIn(
        (("2006", 1.0),), (Span(1.0, 3.0, False, False),)
    )
    assert where("NOT value('2004') = 3", SERIES) == ValueIn(
        (("2004", 1.0),), (Span(None, 3.0, True, False), Span(3.0, None, False))
    )
    assert where("value('2004') < 1 OR value('2004') > 2", SERIES) == ValueIn(
        (("2004", 1.0),), (Span(None, 1.0, True, False), Span(2.0, None, False))
    )
    near = Similar((1.0, -2.0, 3.5), 0.5)
    assert where("similar(series, [1, -2, 3.5], 0.5) AND job = 'cook'", SERIES) == All(
        (near, Among("job", frozenset({"cook"})))
    )
    assert where("NOT similar(series, [1, -2, 3.5], 0.5)", SERIES) == Similar(
        near.sequence, 0.5, inside=False
    )
    read = parse("SELECT AVG(value('2005')), SUM(\"2006\") WHERE value('2004') > 1", SERIES)
    assert read.aggregates == (Aggregate("avg", "2005"), Aggregate("sum", "2006"))


BAD = [
    ("", "empty"),
    ("   ", "empty"),
    ("SELECT COUNT(*) WHERE n IN ()", "at least one value"),
    ("SELECT COUNT(*) WHERE", "line 1, column 21"),
    ("SELECT COUNT(* WHERE n > 3", "not SQL"),
    ("SELECT COUNT(*) WHERE t = 'a", "no end"),
    ("SELECT COUNT(*) WHERE n = = 3", "not SQL"),
    ("DROP TABLE visits", "one SELECT"),
    ("INSERT INTO x VALUES (1)", "one SELECT"),
    ("SELECT COUNT(*); SELECT COUNT(*)", "one question at a time"),
    ("SELECT COUNT(*) UNION SELECT COUNT(*)", "one SELECT"),
    ("WITH a AS (SELECT 1) SELECT COUNT(*) FROM a", "WITH"),
    ("SELECT COUNT(*) FROM a JOIN b USING (i)", "JOIN"),
    ("SELECT COUNT(*) FROM a, b", "JOIN"),
    ("SELECT COUNT(*) FROM (SELECT 1)", "within"),
    ("SELECT COUNT(*) FROM read_csv('/etc/passwd')", "only the release itself"),
    ("SELECT COUNT(*) FROM '/etc/passwd'", "only the release itself"),
    ("SELECT COUNT(*) FROM other", "only the release itself"),
    ("SELECT COUNT(*) FROM elsewhere.data", "only the release itself"),
    ("SELECT COUNT(*) FROM release TABLESAMPLE (1 ROWS)", "JOIN"),
    ("SELECT COUNT(*) WHERE n IN (SELECT 1)", "IN takes a list"),
    ("SELECT COUNT(*) WHERE EXISTS (SELECT 1)", "within"),
    ("SELECT COUNT(*) WHERE n = (SELECT 1)", "compared with a value"),
    ("SELECT COUNT(*) GROUP BY t HAVING COUNT(*) > 3", "HAVING"),
    ("SELECT COUNT(*) ORDER BY 1", "ORDER BY"),
    ("SELECT COUNT(*) LIMIT 3", "LIMIT"),
    ("SELECT DISTINCT COUNT(*)", "DISTINCT"),
    ("SELECT COUNT(DISTINCT t)", "COUNT(DISTINCT t)"),
    ("SELECT MIN(n)", "MIN(n) is not answered"),
    ("SELECT MEDIAN(n)", "MEDIAN(n) is not answered"),
    ("SELECT SUM(n) / COUNT(*)", "is not answered"),
    ("SELECT COUNT(*) OVER ()", "is not answered"),
    ("SELECT SUM(n + 1)", "without arithmetic"),
    ("SELECT SUM(t)", "holds no numbers"),
    ("SELECT *", "records themselves"),
    ("SELECT t", "must be in GROUP BY"),
    ("SELECT t, COUNT(*)", "must be in GROUP BY"),
    ("SELECT t GROUP BY t", "add COUNT(*)"),
    ("SELECT COUNT(*) GROUP BY 7", "SELECT has 1 columns"),
    ("SELECT COUNT(*) GROUP BY COUNT(*)", "not of numbers"),
    ("SELECT COUNT(*) GROUP BY month(t)", "not the time column"),
    ("SELECT COUNT(*) GROUP BY fortnight(seen)", "no granularity"),
    ("SELECT COUNT(*) GROUP BY ROLLUP (t)", "ROLLUP"),
    ("SELECT COUNT(*) WHERE seenn = DATE '2014-05-01'", "Did you mean seen?"),
    ("SELECT COUNT(*) WHERE seen_start > 3", "Did you mean seen?"),
    ("SELECT COUNT(*) WHERE patient = 'p1'", "columns that name people"),
    ("SELECT COUNT(*) WHERE n = 'a'", "holds whole numbers"),
    ("SELECT COUNT(*) WHERE n LIKE '1%'", "holds whole numbers"),
    ("SELECT COUNT(*) WHERE t = 3", "holds text"),
    ("SELECT COUNT(*) WHERE t > 'a'", "no order here"),
    ("SELECT COUNT(*) WHERE t LIKE '%a'", "'abc%'"),
    ("SELECT COUNT(*) WHERE t LIKE 'a_%'", "'abc%'"),
    ("SELECT COUNT(*) WHERE t ILIKE 'a%'", "'abc%'"),
    ("SELECT COUNT(*) WHERE b = 1", "TRUE and FALSE"),
    ("SELECT COUNT(*) WHERE b > FALSE", "TRUE and FALSE"),
    ("SELECT COUNT(*) WHERE blob = 'x'", "IS NULL"),
    ("SELECT COUNT(*) WHERE n = NULL", "cannot be compared with NULL"),
    ("SELECT COUNT(*) WHERE n = x", "compared with a value"),
    ("SELECT COUNT(*) WHERE 1 = 1", "tests no column"),
    ("SELECT COUNT(*) WHERE n", "stands alone"),
    ("SELECT COUNT(*) WHERE n + 1 > 3", "no column"),
    ("SELECT COUNT(*) WHERE n BETWEEN SYMMETRIC 3 AND 1", "lower end first"),
    ("SELECT COUNT(*) WHERE n IS DISTINCT FROM 3", "no condition"),
    ("SELECT COUNT(*) WHERE COUNT(*) > 3", "is no column"),
    ("SELECT COUNT(*) WHERE n = 1e999999999", "holds whole numbers"),
    ("SELECT COUNT(*) WHERE seen = 2014", "label of a granule"),
    ("SELECT COUNT(*) WHERE seen = 'next week'", "label of a granule"),
    ("SELECT COUNT(*) WHERE seen = DATE '2014-02-30'", "label of a granule"),
    ("SELECT COUNT(*) WHERE born = TIMESTAMP '2014-02-03 10:00'", "holds dates"),
    ("SELECT COUNT(*) WHERE value('2006') > 3", "holds no series"),
    ("SELECT COUNT(*) WHERE CASE WHEN n > 3 THEN TRUE END", "no condition"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), BAD)
def test_a_bad_question_is_told_why_and_shown_a_good_one(text: str, why: str) -> None:
    assert why in refused(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SELECT COUNT(*) WHERE salary > 3", "was not published"),
        ("SELECT AVG(salary)", "was not published"),
        ("SELECT COUNT(*) WHERE age_low > 3", "Did you mean age?"),
        ("SELECT COUNT(*) WHERE district = 'harbor'", "Did you mean 'harbour'?"),
        ("SELECT COUNT(*) WHERE job = 'king'", "not among the values"),
        ("SELECT COUNT(*) WHERE district > 'moon'", "not among the values"),
        ("SELECT COUNT(*) WHERE rooms > 'x'", "no order here"),
    ],
)
def test_what_was_not_published_cannot_be_asked(text: str, why: str) -> None:
    assert why in refused(text, CELLS)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("SELECT COUNT(*) WHERE value('2006') > 3 OR job = 'cook'", "joined by AND only"),
        ("SELECT COUNT(*) WHERE value('2006') > 3 OR value('2005') > 3", "joined by AND only"),
        ("SELECT COUNT(*) WHERE value('2016') > 3", "Did you mean '2006'?"),
        ("SELECT COUNT(*) WHERE value('job') > 3", "no time of the series"),
        ("SELECT COUNT(*) WHERE value('2006') > feature('2005')", "mixes value and feature"),
        ("SELECT COUNT(*) WHERE value('2006') - value('2006') > 0", "tests no value"),
        ("SELECT COUNT(*) WHERE value('2006') * value('2005') > 0", "multiplied by numbers"),
        ("SELECT COUNT(*) WHERE value('2006') / 0 > 1", "multiplied by numbers"),
        ("SELECT COUNT(*) WHERE value('2006', '2005') > 1", "one argument"),
        ("SELECT COUNT(*) WHERE value('2006') BETWEEN 1 AND value('2005')", "ends of BETWEEN"),
        ("SELECT COUNT(*) WHERE value('2006') IN (1, 2)", "no test of a series"),
        ("SELECT COUNT(*) WHERE similar(series, [1, 2], 0.5)", "covers 3 times"),
        ("SELECT COUNT(*) WHERE similar(series, [1, 2, 'x'], 0.5)", "write similar"),
        ("SELECT COUNT(*) WHERE similar(series, [1, 2, 3], -1)", "write similar"),
        ("SELECT COUNT(*) WHERE similar([1, 2, 3], 1)", "write similar"),
        ('SELECT COUNT(*) GROUP BY "2006"', "not told apart"),
    ],
)
def test_a_bad_question_to_series(text: str, why: str) -> None:
    assert why in refused(text, SERIES)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "SELECT COUNT(*) WHERE " + "(" * 9_000 + "n = 1" + ")" * 9_000,
        "SELECT COUNT(*) WHERE " + "NOT " * 5_000 + "b",
        "SELECT COUNT(*) WHERE n = " + "- " * 5_000 + "1",
        "SELECT COUNT(*) WHERE " + "abs(" * 5_000 + "n",
        "SELECT " + "[" * 5_000,
        "SELECT COUNT(*) WHERE n > " + "CASE WHEN b THEN " * 5_000,
        "/*" * 9_000,
        "\x00" * 100,
        "SELECT COUNT(*) WHERE n > " + "n + 1 - " * 3_000 + "1",
        "SELECT COUNT(*) WHERE n > " + "n * " * 3_000 + "1",
        "SELECT COUNT(*) WHERE t = " + "t || " * 3_000 + "'a'",
        "SELECT COUNT(*) WHERE t = '" + "'" * 10_000,
        "SELECT COUNT(*) WHERE " + "n = 1 = " * 3_000 + "1",
    ],
    ids=lambda text: text[:34],
)
def test_hostile_text_is_refused(text: str) -> None:
    refused(text)


def test_long_questions_are_read(caplog) -> None:
    with caplog.at_level(logging.DEBUG):
        many = " AND ".join(["n <> 7"] * 1_000)
        assert where(many) == where("n <> 7")
        some = " OR ".join(f"n = {i}" for i in range(0, 2_000, 2))
        assert len(where(some).spans) == 1_000  # type: ignore[union-attr]
        assert where(f"n IN ({', '.join(map(str, range(3_000)))})") == Ranges(
            "n", (Span(0, 2_999),)
        )
        plus = " + ".join(["value('2004')"] * 1_000)
        assert where(f"{plus} > 1", SERIES).weights == (("2004", 1000.0),)  # type: ignore[union-attr]
    assert not caplog.records


@pytest.mark.parametrize("catalogue", [RECORDS, CELLS, SERIES], ids=["records", "cells", "series"])
def test_every_example_can_be_read(catalogue) -> None:
    found = examples(catalogue)
    assert len(found) >= 2
    for text in found:
        parse(text, catalogue)


def test_a_group_decides_what_it_can_of_the_condition() -> None:
    condition = where("t = 'a' OR n > 3")
    with_a = All((condition, Among("t", frozenset({"a"}))))
    assert in_normal_form(with_a, RECORDS) == Among("t", frozenset({"a"}))
    with_b = All((condition, Among("t", frozenset({"b"}))))
    assert set(in_normal_form(with_b, RECORDS).parts) == {  # type: ignore[union-attr]
        Ranges("n", (Span(4, None),)),
        Among("t", frozenset({"b"})),
    }
    number = All((where("n > 3"), Among("n", frozenset({5}))))
    assert in_normal_form(number, RECORDS) == Ranges("n", (Span(5, 5),))


def test_conditions_that_nobody_typed_are_brought_into_normal_form_too() -> None:
    given = All((Ranges("n", (Span(3, None, False),)), Ranges("n", (Span(None, 7, True, False),))))
    assert in_normal_form(given, RECORDS) == Ranges("n", (Span(4, 6),))
    apart = Any((Ranges("n", (Span(1, 3),)), Ranges("n", (Span(3, 5, False),))))
    assert in_normal_form(apart, RECORDS) == Ranges("n", (Span(1, 5),))
