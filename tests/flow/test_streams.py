"""Micro-batches: whatever they hold of a snapshot, and however often, it is published once."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AlreadyPublished, LedgerError, TableError
from anachron.making.publisher import Publisher
from anachron.making.stream import Stream
from tests.flow.small_feeds import Rows, day, entries, plan, table
from tests.flow.tables import contents

DAYS = ["ab", "ddc", "bbba", "", "cab", "ca", "abcd"]
PROMISES = {
    "anatomy": an.Reposition(l=2, window=3),
    "at once": an.Reposition(l=2, window=1),
    "intervals": an.Reposition(l=2, window=2, then="generalize"),
    "m-invariant": an.Reposition(window=2, then=an.MInvariance(m=2)),
}
ROWS = [row for number, letters in enumerate(DAYS, 1) for row in day(number, letters)]


def feed(folder: Path, promise: an.Reposition) -> Publisher:
    return an.open(plan(folder, promise))


def cut(rows: Rows, rng: random.Random) -> list[Rows]:
    """Batches that end wherever they happen to, some of them empty."""
    ends = sorted(rng.randrange(len(rows) + 1) for _ in range(rng.randint(2, 8)))
    return [rows[a:b] for a, b in zip([0, *ends], [*ends, len(rows)], strict=True)]


def told(folder: Path) -> tuple[dict[str, bytes], list[object]]:
    """All bytes of all releases, and what is remembered of each."""
    ledger = an.Ledger.open(folder / "ledger")
    states = [ledger.state(entry).table().to_pydict() for entry in ledger.entries() if entry.state]
    return contents(folder / "releases"), [
        *states,
        *(entry.explanation for entry in ledger.entries()),
    ]


def copied(folder: Path) -> tuple[Path, Path]:
    """Two folders with the same new ledger, whose key is therefore the same."""
    one, other = folder / "one", folder / "other"
    an.Ledger.open(one / "ledger")
    shutil.copytree(one, other)
    return one, other


def pushed(folder: Path, promise: an.Reposition, days: Sequence[Rows]) -> None:
    for rows in days:
        if rows:
            feed(folder, promise).push(table(rows))
    feed(folder, promise).flush()


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.parametrize("seed", range(4))
def test_however_it_is_cut_the_releases_are_those_of_whole_snapshots(
    tmp_path: Path, name: str, seed: int
) -> None:
    rng, (one, other) = random.Random(seed), copied(tmp_path)
    pushed(one, PROMISES[name], [day(n, letters) for n, letters in enumerate(DAYS, 1)])
    for number, rows in enumerate(cut(ROWS, rng)):
        for _ in range(rng.randint(1, 3)):  # at least once
            feed(other, PROMISES[name]).batch(table(rows), number)
    feed(other, PROMISES[name]).flush()
    assert told(one) == told(other)
    assert an.audit(other / "releases", ledger=other / "ledger").holds
    assert not list((other / "ledger" / "stream").iterdir())


@pytest.mark.parametrize("at", ["before the push", "after the push", "after all"])
def test_a_batch_that_was_cut_short_is_taken_once(tmp_path: Path, at: str) -> None:
    one, other = copied(tmp_path)
    promise = PROMISES["at once"]
    pushed(one, promise, [day(n, letters) for n, letters in enumerate(DAYS, 1)])
    before = {"before the push": (Publisher, "_pushed"), "after the push": (Stream, "keep")}
    for number, rows in enumerate(cut(ROWS, random.Random(9))):
        with ExitStack() as stack:
            if at in before:
                stack.enter_context(patch.object(*before[at], side_effect=OSError))
                stack.enter_context(suppress(OSError))
            feed(other, promise).batch(table(rows), number)
        feed(other, promise).batch(table(rows), number)
    feed(other, promise).flush()
    assert told(one) == told(other)


def test_nothing_is_published_of_a_snapshot_that_may_get_more_rows(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    assert stream.batch(table(day(1, "ab")), 0) == []
    assert stream.batch(table(day(1, "ab", who="more ")), 1) == []
    assert stream.standing is None
    [release] = stream.batch(table(day(2, "ab")), 2)
    assert release.table().num_rows == 4


@pytest.mark.parametrize("late", ["refuse", "recycle", "drop"])
def test_what_comes_after_a_later_snapshot_began_is_late(tmp_path: Path, late: str) -> None:
    promise = an.Reposition(l=2, window=3, late=late)
    stream = feed(tmp_path, promise)
    stream.batch(table([*day(1, "abab"), *day(2, "a")]), 0)
    rows = table(day(1, "ab", who="late "))
    if late == "refuse":
        for _ in range(2):
            with pytest.raises(AlreadyPublished):
                stream.batch(rows, 1)
        return
    stream.batch(rows, 1)
    stream.batch(rows, 1)
    stream.batch(table(day(2, "b", who="more ")), 2)
    stream.flush()
    told = stream.standing.account.total
    assert (told.pushed, told.dropped) == (8, 2 if late == "drop" else 0)
    shown = sum(release.table().num_rows for release in entries(tmp_path))
    assert shown == told.published == 8 - told.dropped - told.left_out


def test_a_batch_that_does_not_follow_is_refused(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    for number in (7, 8, 9):
        stream.batch(table(day(number, "ab")), number)
    for number in (0, 7, 11):
        with pytest.raises(LedgerError, match=f"batch {number} cannot follow"):
            stream.batch(table(day(9, "ab")), number)
    stream.batch(table(day(9, "ab")), 9)
    assert len(entries(tmp_path)) == 2


def test_nothing_is_pushed_past_what_waits(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    stream.push(table(day(1, "ab")))
    stream.batch(table(day(2, "ab")), 0)
    with pytest.raises(AlreadyPublished, match="2 rows of a stream wait"):
        stream.push(table(day(3, "ab")))
    assert [release.table().num_rows for release in stream.flush()] == [2]


def test_what_waits_is_encrypted_and_kept_no_longer_than_needed(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    for number in range(5):
        stream.batch(table(day(number + 1, "ab", who="somebody ")), number)
        files = list((tmp_path / "ledger" / "stream").iterdir())
        assert len(files) == 2
        assert all(b"somebody" not in file.read_bytes() for file in files)
        assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    stored = sorted(files)
    shutil.copy(stored[0], stored[1])
    with pytest.raises(LedgerError, match="damaged"):
        stream.batch(table(day(6, "ab")), 5)


def test_a_feed_that_has_ended_takes_no_more(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    stream.batch(table(day(1, "ab")), 0)
    stream.flush()
    with pytest.raises(AlreadyPublished, match="ended"):
        stream.batch(table(day(2, "ab")), 1)


def test_what_is_no_batch_is_refused_in_words(tmp_path: Path) -> None:
    stream = feed(tmp_path, PROMISES["at once"])
    with pytest.raises(TableError, match="DataFrame of Spark, or a table of Arrow"):
        stream.batch([1, 2], 0)
    rows = table(day(1, "ab"))
    with pytest.raises(TableError, match="'value'"):
        stream.batch(rows.drop_columns(["value"]), 0)
    stream.batch(rows, 0)
    wrong = rows.set_column(2, "age", pa.array(["a", "b"]))
    with pytest.raises(TableError, match="not of the types"):
        stream.batch(wrong, 1)
    empty = rows.set_column(1, "day", pa.array(["2024-05-01", None]))
    with pytest.raises(TableError) as refused:
        stream.batch(empty, 1)
    assert all(problem.row is None for problem in refused.value.problems)
