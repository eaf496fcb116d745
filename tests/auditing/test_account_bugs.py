"""A record that is counted nowhere: whoever holds the table and the ledger finds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.checks.history import account
from anachron.auditing.history import Books, FeedPast, History, books_of, remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Check
from anachron.behind import Microdata, read
from tests.auditing.account_bugs import BUGS, LEFT_OUT, REFUSED, Draft
from tests.auditing.judging import assert_holds

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")
DAYS = {"01": "abc", "02": "aa", "03": "aaaab", "05": "bbc", "06": "aaab"}
"""Of the second day nothing can be published, and of the third not all; the sixth waits."""
ENDS = {"anatomy": "anatomy", "generalize": "generalize", "invariance": an.MInvariance(m=2)}


@dataclass(frozen=True, eq=False)
class Feed:
    """A feed that was pushed day by day, and has not ended."""

    promise: an.Reposition
    ledger: an.Ledger
    rows: list[dict[str, object]]

    def books(self) -> Books:
        found = books_of(self.ledger)
        assert found is not None
        return found


@pytest.fixture(scope="module", params=ENDS)
def feed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Feed:
    return made(request.param, tmp_path_factory.mktemp("feed"))


def made(end: str, folder: Path) -> Feed:
    then = ENDS[end]
    window = {"window": 2}
    if not isinstance(then, an.MInvariance):
        window |= {"l": 2, "careful": False}
    promise = an.Reposition(then=then, **window)  # type: ignore[arg-type]
    plan = an.Plan("f.csv", SCHEMA, promise, ledger=folder / "ledger", releases=folder / "out")
    rows: list[dict[str, object]] = []
    for day, values in DAYS.items():
        new = [
            {"who": f"{day} {i}", "day": f"2024-05-{day}", "age": 10 * int(day) + i, "ill": value}
            for i, value in enumerate(values)
        ]
        an.open(plan).push(pa.Table.from_pylist(new))
        rows += new
    return Feed(promise, an.Ledger.open(plan.ledger), rows)


@contextmanager
def table(rows: list[dict[str, object]]) -> Iterator[Microdata]:
    with closing(read(pa.Table.from_pylist(rows), SCHEMA)) as held:
        yield held


def drafted(feed: Feed) -> Draft:
    memory = feed.books().memory
    said = json.loads(memory.schema.metadata[b"anachron"])
    return Draft(said, [dict(row) for row in feed.rows], len(memory))


def books_with(feed: Feed, draft: Draft) -> Books:
    books = feed.books()
    memory = books.memory.slice(0, draft.kept)
    said = json.dumps(draft.said).encode()
    return replace(books, memory=memory.replace_schema_metadata({b"anachron": said}))


def judged(feed: Feed, draft: Draft, until: int | None = None) -> Check:
    with table(draft.rows) as held:
        found = account.ask(feed.promise, "UTC", books_with(feed, draft), held, until)
    assert found is not None
    return found


def test_the_good_books_balance(feed: Feed) -> None:
    found = judged(feed, drafted(feed))
    assert found.holds, found
    assert found.measured.startswith("17 pushed = ")
    assert "0 dropped + 0 refused" in found.measured
    lines = drafted(feed).said["account"]["lines"]
    assert any(line[LEFT_OUT] for line in lines)


@pytest.mark.parametrize("name", BUGS)
def test_the_audit_finds(feed: Feed, name: str) -> None:
    says, bug = BUGS[name]
    bad = drafted(feed)
    bug(bad)
    found = judged(feed, bad)
    assert not found.holds
    assert says in found.measured
    for row in feed.rows:
        assert str(row["who"]) not in str(found)


def test_a_record_is_refused_where_no_rule_refuses(feed: Feed) -> None:
    bad = drafted(feed)
    bad.count_as(LEFT_OUT, REFUSED)
    found = judged(feed, bad)
    # Only m-invariance refuses people; how many of those it does not publish, it alone knows.
    assert found.holds == isinstance(feed.promise.then, an.MInvariance)


def test_a_release_is_judged_by_the_snapshots_up_to_it(feed: Feed) -> None:
    """A table that ends with the release, or begins later than the feed, is no mistake."""
    bad = drafted(feed)
    third = next(line[0] for line in bad.said["account"]["lines"][2:])
    bad.rows = [row for row in bad.rows if str(row["day"]) == "2024-05-03"]
    found = judged(feed, bad, until=third)
    assert found.holds, found
    whole = judged(feed, bad)
    assert not whole.holds
    bad.rows.pop()
    found = judged(feed, bad, until=third)
    assert not found.holds
    assert found.witnesses == ("snapshot from 2024-05-03T00:00:00Z",)


def test_every_release_tells_with_the_table_and_the_ledger(feed: Feed) -> None:
    entries = feed.ledger.entries()
    bad = drafted(feed)
    bad.said["account"]["lines"].remove(bad.line(LEFT_OUT))
    with table(feed.rows) as held:
        for number, entry in enumerate(entries, 1):
            past = remembered(feed.ledger, entries[:number])
            assert isinstance(past, FeedPast | History)
            good = verify(an.Release(entry.path), microdata=held, entry=entry, history=past)
            assert_holds(good)
        wrong = replace(past, books=books_with(feed, bad))
        verdict = verify(an.Release(entry.path), microdata=held, entry=entry, history=wrong)
    assert [check.name for check in verdict.failures] == ["account"]


def test_a_lost_release_leaves_the_rest_to_be_counted(feed: Feed) -> None:
    books = feed.books()
    lost = replace(books, releases=[None] * len(books.states))
    with table(feed.rows) as held:
        found = account.ask(feed.promise, "UTC", lost, held, None)
    assert found is not None
    assert found.holds, found


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) >= 15
