"""The audit tells spellings and types apart by itself, whatever the publisher thinks of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anachron as an
from anachron.auditing.reading.spelled import keys_of, places_in, text_keys
from anachron.behind.folding import spelled
from anachron.errors import InternalError
from anachron.methods.values import by_value
from anachron.spelling import folded, foldings, trimmed
from tests.flow import series, small_feeds
from tests.flow.spellings import WAYS, with_column

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(
    "aAbB ßẞİıſσςΣÅÅﬁﬃ½ﬀ１Ａａ\u00ad\u200b\u200d\ufeff\u0301\u0345\u034f\ufe0f\t\u00a0\u2003\0\x1f",
    max_size=12,
)


@given(TEXTS)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    assert once == once.strip()
    assert "  " not in once


@given(TEXTS)
def test_the_audit_folds_as_the_publisher_does(text: str) -> None:
    """Not by the same steps, but to the same classes."""
    assert folded(spelled(text, exact=False)) == folded(text)
    assert spelled(folded(text), exact=False) == spelled(text, exact=False)
    assert spelled(text, exact=True) == trimmed(text)


@given(st.lists(TEXTS))
def test_a_column_is_folded_as_its_texts_are(texts: list[str]) -> None:
    assert foldings(pa.array(texts, pa.string())).to_pylist() == [folded(text) for text in texts]


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_spelling_is_folded(way: str) -> None:
    text = "Sore throat 7"
    assert WAYS[way](text) != text
    assert folded(WAYS[way](text)) == folded(text) == "sore throat 7"
    assert trimmed(WAYS[way](text)) != trimmed(text) or way == "blanks around"


@pytest.mark.parametrize("other", ["P07", "Р7", "P-7", "P 7", "P8", ""])
def test_what_may_be_somebody_else_is_not_folded(other: str) -> None:
    assert folded(other) != folded("P7")


HALF = {
    pa.decimal128(3, 2): Decimal("0.50"),
    pa.decimal128(20, 9): Decimal("0.5"),
    pa.float32(): 0.5,
    pa.float64(): 0.5,
}
NOON = {
    pa.timestamp("s"): datetime(2024, 1, 1, 12),
    pa.timestamp("ms"): datetime(2024, 1, 1, 12),
    pa.timestamp("us"): datetime(2024, 1, 1, 12),
    pa.timestamp("ns"): datetime(2024, 1, 1, 12),
    pa.timestamp("us", "Europe/Rome"): datetime(2024, 1, 1, 12, tzinfo=UTC),
}
DAY = {
    pa.date32(): date(2024, 1, 1),
    pa.date64(): date(2024, 1, 1),
    pa.timestamp("us"): datetime(2024, 1, 1),
}
LARGE = {pa.int64(): 10**15, pa.uint64(): 10**15, pa.float64(): 1e15, pa.decimal128(20): 10**15}


@pytest.mark.parametrize("same", [HALF, NOON, DAY, LARGE], ids=["half", "noon", "day", "large"])
def test_a_value_is_the_same_in_every_type(same: dict[pa.DataType, object]) -> None:
    arrays = [pa.array([value, None], kind) for kind, value in same.items()]
    assert len({by_value(values)[0].as_py() for values in arrays}) == 1
    assert len({keys_of(values, exact=False)[0] for values in arrays}) == 1
    for one in arrays:
        for other in arrays:
            assert places_in(one.drop_null(), other, exact=True).tolist() == [0, -1]
            texts = by_value(one).to_pylist()
            assert text_keys(texts, other.type, exact=True) == keys_of(other, exact=True)


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A publisher to whom every spelling is another person and another value."""
    for place in ("engines.local.subjects", "methods.vocabulary", "ledger.pseudonyms"):
        monkeypatch.setattr(f"anachron.{place}.foldings", lambda texts: texts.cast(pa.string()))


def published(table: pa.Table, root: Path, schema: an.Schema, promise: object) -> an.Release:
    return an.publish(table, schema, promise, ledger=root / "ledger", to=root / "releases")  # type: ignore[arg-type]


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("way", WAYS)
def test_two_spellings_are_no_two_values_of_a_register(way: str, tmp_path: Path) -> None:
    ills = ["the flu", WAYS[way]("the flu")] * 6
    table = pa.table({"who": list("abcdefghijkl"), "age": list(range(12)), "ill": ills})
    schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    with pytest.raises(InternalError, match="m-unique"):
        published(table, tmp_path, schema, an.MInvariance(m=2))
    assert not list(tmp_path.glob("releases/*"))


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_two_spellings_are_no_two_values_of_a_feed(then: str, tmp_path: Path) -> None:
    table = small_feeds.table(small_feeds.day(1, "aAaA"))
    promise = an.Reposition(l=2, window=2, then=then)
    with pytest.raises(InternalError, match="l-diverse, l-eligible"):
        published(table, tmp_path, small_feeds.SCHEMA, promise)


@pytest.mark.usefixtures("blind")
def test_two_spellings_are_no_two_values_of_series(tmp_path: Path) -> None:
    bills = ["the flu" if i % 2 else "the\u200b flu" for i in range(24)]
    table = with_column(series.wide(series.walks(24)), "bill", bills)
    with pytest.raises(InternalError, match="diversity"):
        published(table, tmp_path, series.WIDE, series.promise(k=4, P=2, l=2))


@pytest.mark.usefixtures("blind")
def test_two_spellings_are_no_two_people(tmp_path: Path) -> None:
    table = pa.table({"who": ["Ann", "ann", "Bob", "BOB"], "day": ["2024-05-06"] * 4})
    with pytest.raises(InternalError, match="people, names"):
        published(table, tmp_path, an.Schema(subject="who", time="day"),
                  an.TimeGranularity(k=3, granularities=["day"]))  # fmt: skip


@pytest.mark.usefixtures("blind")
def test_two_spellings_are_no_two_people_of_a_register(tmp_path: Path) -> None:
    ills = ["flu", "gout"] * 3
    table = pa.table({"who": [*"abcde", "A"], "age": list(range(6)), "ill": ills})
    schema = an.Schema(subject="who", quasi="age", sensitive="ill")
    with pytest.raises(InternalError, match="one row each, names"):
        published(table, tmp_path, schema, an.MInvariance(m=2))


def test_a_history_that_respelling_broke_is_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1: sets that are disjoint by spelling only leave one value each."""
    schema = an.Schema(subject="who", quasi="age", sensitive="ill", spelling="exact")
    ills, ages = ["Flu", "Gout", "Burn", "Cold"] * 3, list(range(12))
    first = pa.table({"who": [f"p{i}" for i in ages], "age": ages, "ill": ills})
    places = {"ledger": tmp_path / "ledger", "to": tmp_path / "releases"}
    an.publish(first, schema, an.MInvariance(m=2), **places)
    second = with_column(first, "ill", [ill.lower() for ill in ills])
    release = an.publish(second, schema, an.MInvariance(m=2), **places, accept="changes")
    assert an.audit(release, ledger=tmp_path / "ledger").holds
    # As of a version that could not say that spelling is exact.
    monkeypatch.setattr("anachron.auditing.reading.description.exact_of", lambda _ours: False)
    failed = {check.name for check in an.audit(release, ledger=tmp_path / "ledger").failures}
    assert failed & {"candidates", "lifespans"}
