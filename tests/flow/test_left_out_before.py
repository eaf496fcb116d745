"""Who was left out of an m-invariant feed is never published by it: that would tell their value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron import flow
from anachron.errors import InternalError
from anachron.methods.reposition import barred, compose
from anachron.methods.reposition.account import Line
from anachron.methods.reposition.memory import FeedMemory, from_table, to_table
from tests.flow.test_feed_account import SCHEMA, day

pytestmark = pytest.mark.usefixtures("one_key")

STICKY = an.MInvariance(m=2, mode="sticky")
FIRST = day(1, "aab", "xyz")
"""One of x and y is left out."""
SECOND = day(2, "aacd", "xyno")


def opened(folder: Path, window: int = 1, **form: Any) -> an.Plan:
    promise = an.Reposition(window=window, then=STICKY, **form)
    return an.Plan("f.csv", SCHEMA, promise, ledger=folder / "ledger", releases=folder / "out")


def memory(feed: an.Plan) -> FeedMemory:
    found = an.Ledger.open(feed.ledger).feed()
    assert found is not None
    return from_table(found)


def total(feed: an.Plan) -> Line:
    found = flow.standing(feed.ledger)
    assert found is not None
    return found.account.total


def listed(feed: an.Plan, people: str) -> set[str]:
    """Those of some people who are barred."""
    marks = an.Ledger.open(feed.ledger).pseudonyms(pa.array(list(people)))
    return {
        who
        for who, is_listed in zip(people, memory(feed).barred.among(marks), strict=True)
        if is_listed
    }


def check(feed: an.Plan, *pushed: pa.Table) -> list[str]:
    """Audit all releases with all that was pushed; give the names of the checks that fail."""
    entries = an.Ledger.open(feed.ledger).entries()
    rows = pa.concat_tables(pushed)
    audits = (an.audit(an.Release(e.path), ledger=feed.ledger, table=rows) for e in entries)
    return [failing.name for verdict in audits for failing in verdict.failures]


def test_whoever_was_left_out_is_dropped_from_then_on(tmp_path: Path) -> None:
    feed = opened(tmp_path)
    an.open(feed).push(FIRST)
    assert len(listed(feed, "xyz") & {"x", "y"}) == len(listed(feed, "xyz")) == 1
    [release] = an.open(feed).push(SECOND)
    told = release.explanation or {}
    assert told["barred"] == 1
    assert "records left out of people who were left out before: 1" in told["notes"]
    assert total(feed) == Line(pushed=7, published=5, left_out=1, dropped=1)
    assert len(memory(feed).barred) == 1
    before = an.Ledger.open(feed.ledger).feed()
    assert [again.number for again in an.open(feed).push(SECOND)] == [2]
    assert an.Ledger.open(feed.ledger).feed() == before
    verdict = an.audit(release, ledger=feed.ledger, table=pa.concat_tables([FIRST, SECOND]))
    assert verdict.holds, verdict
    [said] = [one for one in verdict.checks if one.name == "left out before"]
    assert said.measured == "1 people, none of them published"


def test_who_comes_alone_is_left_out_whatever_they_have_and_may_come_again(tmp_path: Path) -> None:
    feed = opened(tmp_path)
    alone, again = day(3, "a", "q"), day(4, "ab", "qr")
    an.open(feed).push(FIRST)
    assert an.open(feed).push(alone) == []
    assert not listed(feed, "q")
    assert len(an.open(feed).push(again)) == 1
    assert total(feed) == Line(pushed=6, published=4, left_out=2)
    assert check(feed, FIRST, alone, again) == []


def test_nobody_is_barred_who_comes_late_or_twice(tmp_path: Path) -> None:
    feed = opened(tmp_path, late="drop", repeated="one")
    twice = pa.concat_tables([day(1, "ab", "xz"), day(1, "a", "x")])
    late, later = day(1, "c", "l"), day(2, "abc", "xlm")
    for rows in (twice, late, later):
        an.open(feed).push(rows)
    assert len(memory(feed).barred) == 0
    assert total(feed) == Line(pushed=7, published=5, dropped=2)
    assert check(feed, twice, late, later) == []


def test_ledgers_of_before_begin_with_nobody(tmp_path: Path) -> None:
    feed = opened(tmp_path)
    an.open(feed).push(FIRST)
    ledger = an.Ledger.open(feed.ledger)
    with ledger.publishing(feed.releases) as publication:
        now = publication.feed()
        assert now is not None
        said = json.loads(now.schema.metadata[b"anachron"])
        del said["barred"]
        old = pa.table({"subject": pa.array([], pa.binary(32))})
        publication.keep(old.replace_schema_metadata({b"anachron": json.dumps(said)}))
    found = memory(feed).barred
    assert (len(found), found.begins) == (0, memory(feed).last + 1)
    an.open(feed).push(SECOND)
    assert total(feed) == Line(pushed=7, published=6, left_out=1)
    assert check(feed, FIRST, SECOND) == []
    assert memory(feed).barred.begins == found.begins


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    feed = opened(tmp_path, window=2)
    for rows in (day(1, "aaaab", "vwxyz"), day(2, "cd", "mn"), day(3, "aaaabc", "vwxyst")):
        an.open(feed).push(rows)
    kept = memory(feed)
    assert len(kept.barred) == 1
    assert kept.waiting is not None
    assert (
        to_table(from_table(to_table(kept))) == to_table(kept) == an.Ledger.open(feed.ledger).feed()
    )


def test_what_waits_is_withheld(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a longer window they may have been planned already when they are left out."""
    *pushes, last = (day(1, "aaaab", "vwxyz"), day(2, "cd", "mn"), day(3, "aaaabcde", "vwxystuk"),
                     day(4, "ef", "gh"))  # fmt: skip
    feed = opened(tmp_path, window=2)
    for rows in pushes:
        an.open(feed).push(rows)
    with monkeypatch.context() as careless:
        careless.setattr(compose, "without_barred", lambda feed: feed)
        with pytest.raises(InternalError, match="left out before"):
            an.open(feed).push(last)
    an.open(feed).push(last)
    an.open(feed).flush()
    assert len(listed(feed, "vwxy")) == 1
    assert total(feed) == Line(pushed=17, published=15, left_out=2)
    assert check(feed, *pushes, last) == []


def test_the_audit_stops_a_feed_that_publishes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = opened(tmp_path)
    an.open(feed).push(FIRST)
    monkeypatch.setattr(barred.Barred, "among", lambda _, who: np.zeros(len(who), dtype=bool))
    with pytest.raises(InternalError, match="left out before"):
        an.open(feed).push(SECOND)
    assert total(feed) == Line(pushed=3, published=2, left_out=1)


def test_the_audit_finds_whom_the_ledger_does_not_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = opened(tmp_path)
    monkeypatch.setattr(compose, "left_out_for_good", lambda *_: barred.Barred().subject)
    for rows in (FIRST, SECOND):
        an.open(feed).push(rows)
    assert total(feed) == Line(pushed=7, published=6, left_out=1)
    assert check(feed, FIRST, SECOND) == ["left out before"]
