"""True counts are those of a plain loop over rows."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anachron as an
from anachron.asking.question import EVERYTHING, All, Among, Begins, Ranges, Similar, Span
from anachron.behind import read
from anachron.measuring.truth import PlainColumn, columns_of, counted, holds

ROWS = 700
"""More than fit into the sum of a byte."""


def a_column(rng: np.random.Generator, values: tuple[object, ...]) -> PlainColumn:
    return PlainColumn(rng.integers(0, len(values) + 1, ROWS), values)


def meets(leaf: Ranges | Among | Begins, value: object) -> bool:
    """What a leaf says, in plain words."""
    if value is None:
        return leaf.nulls
    if isinstance(leaf, Ranges):
        return any(span.holds(value) for span in leaf.spans)
    if isinstance(leaf, Among):
        return (value in leaf.values) == leaf.inside
    return any(str(value).startswith(prefix) for prefix in leaf.prefixes) == leaf.inside


ends = st.none() | st.integers(-1, 9) | st.floats(-1, 9)
spans = st.builds(Span, ends, ends, st.booleans(), st.booleans())
numbers = st.builds(
    lambda some, nulls: Ranges("n", tuple(some), nulls),
    st.lists(spans, max_size=2),
    st.booleans(),
)
texts = st.builds(
    lambda some, inside, nulls: Among("t", frozenset(some), inside, nulls),
    st.lists(st.sampled_from(["a", "ab", "b", "c"])),
    st.booleans(),
    st.booleans(),
) | st.builds(
    lambda some, inside, nulls: Begins("t", tuple(some), inside, nulls),
    st.lists(st.sampled_from(["a", "ab", "z"]), min_size=1),
    st.booleans(),
    st.booleans(),
)
conditions = st.lists(
    numbers
    | texts
    | st.builds(lambda a, b: All((a, b)), numbers, texts)
    | st.builds(lambda a, b: All((a, b)), numbers, numbers)
    | st.just(EVERYTHING),
    min_size=1,
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(asked=conditions, seed=st.integers(0, 99))
def test_counts_are_those_of_a_loop(asked, seed):
    rng = np.random.default_rng(seed)
    columns = {
        "n": a_column(rng, (0, 1, 2, 5, Decimal("5.5"), 8)),
        "t": a_column(rng, ("a", "ab", "b")),
    }
    marked = rng.random(ROWS) < 0.5
    plain = {
        name: [(*column.values, None)[code] for code in column.codes]
        for name, column in columns.items()
    }
    expected = []
    for condition in asked:
        leaves = condition.parts if isinstance(condition, All) else (condition,)
        expected.append([all(meets(leaf, plain[leaf.column][row]) for leaf in leaves)
                         for row in range(ROWS)])  # fmt: skip
    everyone, some = counted(columns, asked), counted(columns, asked, marked)
    assert everyone.tolist() == [sum(each) for each in expected]
    assert some.tolist() == [int((np.array(each) & marked).sum()) for each in expected]


def test_thousands_of_questions_are_counted_in_blocks():
    rng = np.random.default_rng(0)
    columns = {"n": a_column(rng, tuple(range(50)))}
    asked = [Ranges("n", (Span(i % 50, i % 50 + 3),)) for i in range(3000)]
    found = counted(columns, asked)
    for place in (0, 1023, 1024, 2999):
        assert found[place] == sum(place % 50 <= c <= place % 50 + 3 and c < 50
                                   for c in columns["n"].codes)  # fmt: skip
    assert counted(columns, []).tolist() == []


def test_a_missing_value_counts_only_if_it_is_asked_for():
    column = PlainColumn(np.array([0, 1]), ("x",))
    assert holds(Among("c", frozenset("y"), inside=False), column).tolist() == [True, False]
    assert holds(Among("c", frozenset("y"), False, True), column).tolist() == [True, True]


def test_only_conjunctions_about_columns_are_counted():
    columns = {"c": PlainColumn(np.array([0]), ("x",))}
    with pytest.raises(TypeError):
        counted(columns, [Similar((1.0, 2.0), 1.0)])


def test_a_table_is_read_as_questions_name_its_values():
    table = pa.table({
        "who": ["a", "b", "c", "d"],
        "born": pa.array([date(1970, 1, 3), None, date(1970, 1, 2), date(1970, 1, 3)]),
        "seen": pa.array([datetime(1970, 1, 1, 0, 0, 2)] * 4, pa.timestamp("s")),
        "paid": pa.array([Decimal("1.50"), Decimal("0.25"), None, Decimal("9.00")]),
        "code": [10, 9, 10, 7],
        "when": ["2024-01-02", "2024-01-01", "2024-01-02", "2024-01-03"],
    })  # fmt: skip
    schema = an.Schema(subject="who", time="when", quasi=["born", "paid", "code"], sensitive="seen")
    loaded = read(table, schema)
    columns = columns_of(loaded)
    loaded.close()
    assert columns["born"].values == (1, 2)
    assert columns["born"].codes.tolist() == [1, 2, 0, 1]
    assert columns["seen"].values == (2_000_000,)
    assert columns["paid"].values == (Decimal("0.25"), Decimal("1.50"), Decimal("9.00"))
    assert columns["when"].values == tuple(
        1_704_067_200_000_000 + day * 86_400_000_000 for day in range(3)
    )
    texts = columns["code"].as_texts()
    assert texts.values == ("10", "7", "9")
    assert [texts.values[code] for code in texts.codes] == ["10", "9", "10", "7"]
    assert texts.as_texts() is texts


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (Span(2, 4), [2, 3, 4]),
        (Span(2, 4, False, True), [3, 4]),
        (Span(2, 4, True, False), [2, 3]),
        (Span(2, 4, False, False), [3]),
        (Span(2.5, None), [3, 4, 5]),
        (Span(None, 2, True, False), [1]),
        (Span(4, 2), []),
    ],
)
def test_ends_belong_to_a_span_or_not(span, expected):
    column = PlainColumn(np.arange(5), (1, 2, 3, 4, 5))
    found = holds(Ranges("n", (span,)), column)[:-1]
    assert [value for value, there in zip(column.values, found, strict=True) if there] == expected
