"""The account of a feed: what was pushed is published, waiting, left out, dropped or refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron import flow
from anachron.errors import AlreadyPublished, InternalError
from anachron.making import feeds
from anachron.making.publisher import Standing
from anachron.methods.reposition import plan as planner
from anachron.methods.reposition import push as pushing
from anachron.methods.reposition.account import Line
from anachron.methods.reposition.memory import FeedMemory, to_table

SCHEMA = an.Schema(subject="who", time="day", quasi="age", sensitive="ill")


def day(number: int, values: str, people: str = "") -> pa.Table:
    """A day of May with a record for each letter; everybody is new unless people are given."""
    who = list(people) if people else [f"{number} {i} {values}" for i in range(len(values))]
    return pa.table(
        {
            "who": who,
            "day": [f"2024-05-{number:02d}"] * len(values),
            "age": [100 * number + i for i in range(len(values))],
            "ill": list(values),
        }
    )


def opened(folder: Path, **promise: Any) -> an.Plan:
    kept = an.Reposition(**{"window": 1, **promise})
    return an.Plan("feed.csv", SCHEMA, kept, ledger=folder / "ledger", releases=folder / "releases")


def standing(feed: an.Plan) -> Standing:
    found = flow.standing(feed.ledger)
    assert found is not None
    return found


def test_a_push_that_publishes_nothing_says_what_it_left_out(tmp_path: Path) -> None:
    feed = opened(tmp_path, l=2)
    assert len(an.open(feed).push(day(1, "ab"))) == 1
    assert an.open(feed).push(day(2, "aa")) == []
    assert standing(feed).account.total == Line(pushed=4, published=2, left_out=2)
    assert standing(feed).lost() == {"left out": 2}
    [release] = an.open(feed).push(day(3, "bc"))
    told = (release.explanation or {})["account"]
    assert told["total"]["left_out"] == 2
    assert [one["snapshot"] for one in told["snapshots"]] == ["2024-05-03"]
    assert an.open(feed).flush() == []
    found = standing(feed)
    assert [line.left_out for _, line in sorted(found.account.lines.items())] == [0, 2, 0]
    assert found.books == (
        "Account: 6 pushed = 4 published + 0 waiting + 2 left out + 0 dropped + 0 refused."
    )


def test_what_the_plan_gave_up_does_not_wait(tmp_path: Path) -> None:
    # Tuesday has room for two; one is lost when Monday is out, though its record is kept so long.
    feed = opened(tmp_path, l=2, window=2, solver="recycle")
    an.open(feed).push(day(1, "aaaab"))
    [release] = an.open(feed).push(day(2, "bc"))
    assert (release.explanation or {})["suppressed"] == 1
    assert standing(feed).account.total == Line(pushed=7, published=2, waiting=4, left_out=1)
    assert standing(feed).waiting == 4


def test_records_that_come_late_are_counted_as_dropped_and_once(tmp_path: Path) -> None:
    feed = opened(tmp_path, l=2, window=2, late="drop")
    an.open(feed).push(day(1, "ab"))
    an.open(feed).push(day(2, "bc"))
    late = day(1, "c", people="z")
    assert an.open(feed).push(late) == []
    assert standing(feed).account.total == Line(pushed=5, published=2, waiting=2, dropped=1)
    again = an.open(feed).push(pa.concat_tables([late, day(3, "ab")]))
    assert [release.number for release in again] == [2]
    assert (again[0].explanation or {})["late"] == 0
    whole = pa.concat_tables([day(1, "ab"), day(2, "bc"), late, day(3, "ab")])
    assert standing(feed).account.total == Line(pushed=7, published=4, waiting=2, dropped=1)
    an.open(feed).flush()
    verdict = flow.audit_history(feed.releases, table=whole, ledger=feed.ledger)[-1]
    assert verdict.holds, [str(check) for check in verdict.failures]
    with pytest.raises(AlreadyPublished, match="this feed has ended"):
        an.open(feed).push(day(1, "d", people="y"))
    an.open(feed).push(late)  # nothing new, and so nothing wrong
    assert standing(feed).account.total.dropped == 1


def test_rows_that_are_alike_are_dropped_as_often_as_they_come(tmp_path: Path) -> None:
    feed = opened(tmp_path, l=2, window=2, late="drop")
    an.open(feed).push(day(2, "ab"))
    twin = pa.concat_tables([day(1, "c", people="z")] * 2)
    an.open(feed).push(twin)
    an.open(feed).push(twin)
    an.open(feed).push(pa.concat_tables([twin, twin.slice(0, 1)]))
    assert standing(feed).account.total.dropped == 3


def test_second_records_of_a_person_are_dropped(tmp_path: Path) -> None:
    feed = opened(tmp_path, l=2, repeated="one")
    an.open(feed).push(day(1, "abab", people="xyzx"))
    assert standing(feed).account.total.dropped == 1
    assert standing(feed).account.total.pushed == 4


def test_who_m_invariance_refuses_is_in_no_figure_of_what_is_published(tmp_path: Path) -> None:
    # Only a and b are ever possible for x and y, so that nothing is left for x with a c.
    feed = opened(tmp_path, then=an.MInvariance(m=2, when_ineligible="hold"), beta=5)
    pushed = [day(1, "ab", "xy"), day(2, "cb", "xy"), day(3, "ab", "xy"), day(4, "cdab", "xyuv")]
    releases = [release for table in pushed for release in an.open(feed).push(table)]
    refused = 0
    for release in releases:
        told = release.explanation or {}
        inside = told["invariance"]
        refused += told["refused"]
        assert told["refused"] == inside["refused"]
        assert told["suppressed"] == inside["held"]
        real = release.rows - inside["counterfeits"]
        assert told["published"] == sum(told["distances"]) == real
        assert sum(one["published"] for one in told["snapshots"]) == real
        assert told["loss"] == str(5 * (inside["held"] + inside["refused"]))
    assert refused
    total = standing(feed).account.total
    assert total.refused == refused
    whole = pa.concat_tables(pushed)
    for release in releases:
        assert an.audit(release, table=whole, ledger=feed.ledger).holds


def test_m_invariant_steps_without_a_release_keep_what_they_left_out(tmp_path: Path) -> None:
    feed = opened(tmp_path, then=an.MInvariance(m=2))
    pushed = [day(1, "ab"), day(2, "aa"), day(3, "bc")]
    an.open(feed).push(pa.concat_tables(pushed))
    assert standing(feed).account.total == Line(pushed=6, published=4, left_out=2)


def test_late_records_alone_are_no_next_snapshot(tmp_path: Path) -> None:
    feed = opened(tmp_path, then=an.MInvariance(m=2), window=2, late="recycle")
    an.open(feed).push(day(1, "ab"))
    an.open(feed).push(day(1, "c", people="z"))
    assert standing(feed).account.total == Line(pushed=3, waiting=3)
    assert [release.number for release in an.open(feed).push(day(2, "ab"))] == [1]
    assert standing(feed).account.total.dropped == 0


def test_a_plan_that_loses_a_record_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = opened(tmp_path, l=2, window=2, solver="recycle")
    an.open(feed).push(day(1, "aab"))
    before = standing(feed)

    def forgetful(*given: Any) -> Any:
        window, dues = planner.arrive(*given)
        strands = {
            value: strand._replace(suppressed=()) for value, strand in window.strands.items()
        }
        return replace(window, strands=strands), dues

    monkeypatch.setattr(pushing, "arrive", forgetful)
    with pytest.raises(
        InternalError, match=r"does not balance: 4 pushed = .* Nothing was published"
    ):
        an.open(feed).push(day(2, "aaab"))
    assert standing(feed) == before
    assert an.Ledger.open(feed.ledger).check() == []


def test_a_line_that_does_not_balance_cannot_be_made() -> None:
    with pytest.raises(InternalError):
        Line(pushed=3, published=1, waiting=1)
    with pytest.raises(InternalError):
        Line(pushed=1, published=2, left_out=-1)


def test_a_ledger_from_before_there_was_an_account_begins_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unaccounted(memory: FeedMemory) -> pa.Table:
        table = to_table(memory)
        said = json.loads(table.schema.metadata[b"anachron"])
        del said["account"], said["dropped"]
        return table.replace_schema_metadata({b"anachron": json.dumps(said)})

    feed = opened(tmp_path, l=2, window=2)
    with monkeypatch.context() as old:
        old.setattr(feeds, "to_table", unaccounted)
        an.open(feed).push(day(1, "aaab"))
        an.open(feed).push(day(2, "ab"))
    found = standing(feed)
    assert found.waiting > 0
    assert found.account.total == Line()
    assert found.books.endswith("It begins with the next snapshot: of what was pushed before, "
                                "none was kept.")  # fmt: skip
    an.open(feed).push(day(3, "abc"))
    an.open(feed).flush()
    found = standing(feed)
    assert found.account.total.pushed == 3
    assert "It begins with 2024-05-03" in found.books
    whole = pa.concat_tables([day(1, "aaab"), day(2, "ab"), day(3, "abc")])
    assert flow.audit_history(feed.releases, table=whole, ledger=feed.ledger)[-1].holds


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_the_audit_knows_which_of_several_records_came_first(tmp_path: Path, then: str) -> None:
    feed = opened(tmp_path, l=2, window=2, then=then, late="recycle", repeated="one")
    first = day(1, "abababab", "stuvwxyz")
    late = first.set_column(3, "ill", pa.array(list("cdcdcdcd")))
    pushed = [first, day(2, "abcd"), late, day(3, "abcd")]
    for table in pushed:
        an.open(feed).push(table)
    # Given once more among others, the records that were dropped are not counted again.
    an.open(feed).push(pa.concat_tables([late, day(4, "abcd")]))
    an.open(feed).flush()
    assert standing(feed).account.total == Line(pushed=28, published=20, dropped=8)
    everything = pa.concat_tables([*pushed, day(4, "abcd")])
    for entry in an.Ledger.open(feed.ledger).entries():
        verdict = an.audit(entry.path, table=everything, ledger=feed.ledger)
        assert verdict.holds, str(verdict)


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
def test_who_was_dropped_is_no_excuse_for_others_who_are_missing(tmp_path: Path, then: str) -> None:
    feed = opened(tmp_path, l=2, then=then, late="drop")
    pushed = [day(1, "abab"), day(2, "ab"), day(1, "ab", "yz"), day(3, "ab")]
    for table in pushed:
        an.open(feed).push(table)
    path = an.Ledger.open(feed.ledger).entries()[0].path
    assert an.audit(path, table=pa.concat_tables(pushed), ledger=feed.ledger).holds
    more = pa.concat_tables([*pushed, day(1, "c", "x")])
    verdict = an.audit(path, table=more, ledger=feed.ledger)
    assert "records" in {check.name for check in verdict.checks if not check.holds}
    # Nor for somebody who is in a snapshot twice.
    twice = day(1, "abab", "ssuv")
    others = pa.concat_tables([twice, *pushed[1:]])
    assert not an.audit(path, table=others, ledger=feed.ledger).holds


def test_a_late_double_does_not_stand_in_for_the_record_that_waits(tmp_path: Path) -> None:
    # Of eight people, the late record has the lesser hash for some; it is dropped for all.
    feed = opened(tmp_path, l=2, window=3, late="recycle", repeated="one")
    first = day(1, "abababab", "stuvwxyz")
    an.open(feed).push(first)
    late = first.set_column(3, "ill", pa.array(list("cdcdcdcd")))
    an.open(feed).push(pa.concat_tables([late, day(2, "aabb"), day(3, "abab"), day(4, "ab")]))
    assert standing(feed).account.total.dropped == 8
    an.open(feed).flush()
    assert standing(feed).account.total == Line(pushed=26, published=18, dropped=8)
