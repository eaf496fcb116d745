"""Feeds that go on and end, whatever came: read back, late, repeated, interrupted, young."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import anachron as an
from anachron.errors import AlreadyPublished, GuaranteeError, TableError
from anachron.flow import standing
from anachron.ledger import Publication
from anachron.making.publisher import Standing
from anachron.methods.reposition import plan as planning
from tests.daily import daily
from tests.flow.small_feeds import day, entries, flush, push, table, values
from tests.flow.small_feeds import plan as plan_of
from tests.flow.tables import contents

INVARIANT = an.Reposition(window=3, late="recycle", then=an.MInvariance(m=2))
KINDS = {
    "anatomy": an.Reposition(l=2, window=3, late="recycle", careful=False),
    "intervals": an.Reposition(l=2, window=3, late="recycle", then="generalize", careful=False),
    "rolling": an.Reposition(l=2, window=3, late="recycle", solver="rolling", careful=False),
    "careful": an.Reposition(l=2, window=3, late="recycle"),
    "careful intervals": an.Reposition(l=2, window=3, late="recycle", then="generalize"),
    **{
        mode: an.Reposition(window=3, late="recycle", then=an.MInvariance(m=2, mode=mode))
        for mode in ("paper", "transparent", "sticky")
    },
}


def standing_of(folder: Path) -> Standing:
    """Where the feed of a folder stands."""
    found = standing(folder / "ledger")
    assert found is not None
    return found


def numbers(releases: list[an.Release]) -> list[int]:
    return [release.number for release in releases]


ENDS = {
    "recycle": (
        an.Reposition(l=2, window=4, solver="recycle", careful=False),
        ["ab", "ddc", "bbba", "", "", "ca"],
        11,
    ),
    "rolling": (
        an.Reposition(l=2, window=3, solver="rolling", careful=False),
        ["ab", "dcda", "adca", "aaac", "cc", "ac"],
        18,
    ),
    "m-invariant": (
        an.Reposition(window=4, then=an.MInvariance(m=2)),
        ["ab", "ddc", "bbba", "", "", "ca"],
        11,
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_feed_can_be_ended_whatever_values_it_has_left_behind(tmp_path: Path, name: str) -> None:
    promise, days, rows = ENDS[name]
    for number, letters in enumerate(days, 1):
        if letters:
            push(tmp_path, promise, day(number, letters))
    ended = flush(tmp_path, promise)
    assert ended
    assert sum(values(entries(tmp_path)).values()) == rows
    assert numbers(flush(tmp_path, promise)) == numbers(ended)


def test_a_push_with_a_late_record_and_several_snapshots_is_whole(tmp_path: Path) -> None:
    push(tmp_path, INVARIANT, day(1, "ab"))
    push(tmp_path, INVARIANT, day(2, "ab"))
    late = [*day(2, "a", who="late "), *day(4, "ab")]
    assert numbers(push(tmp_path, INVARIANT, late)) == [1, 2]
    before = contents(tmp_path / "releases")
    assert numbers(push(tmp_path, INVARIANT, late)) == [1, 2]
    assert contents(tmp_path / "releases") == before
    assert numbers(flush(tmp_path, INVARIANT)) == [3]
    assert an.Ledger.open(tmp_path / "ledger").check() == []


def test_late_records_alone_let_no_day_pass(tmp_path: Path) -> None:
    push(tmp_path, INVARIANT, day(1, "ab"))
    assert push(tmp_path, INVARIANT, day(1, "a", who="late ")) == []
    stands = standing_of(tmp_path)
    assert (stands.waiting, stands.last) == (3, "2024-05-01")
    strict = an.Reposition(window=3, late="drop", then=an.MInvariance(m=2))
    push(tmp_path / "strict", strict, day(1, "ab"))
    push(tmp_path / "strict", strict, day(1, "a", who="late "))
    push(tmp_path / "strict", strict, day(2, "abc"))
    stands = standing_of(tmp_path / "strict")
    assert stands.waiting == 5, "the next day is not late"


def test_a_person_twice_on_a_later_day_of_a_push_is_noticed_before_the_first_is_taken(
    tmp_path: Path,
) -> None:
    push(tmp_path, INVARIANT, day(1, "ab"))
    twice = [*day(2, "ab"), *day(3, "ab"), ("one", 4, "a"), ("one", 4, "b")]
    with pytest.raises(TableError, match="in the same snapshot twice"):
        push(tmp_path, INVARIANT, twice)
    assert entries(tmp_path) == []
    stands = standing_of(tmp_path)
    assert stands.last == "2024-05-01"


class _PowerCut(Exception):
    pass


@pytest.mark.parametrize(
    ("kind", "commits"),
    daily(
        [("anatomy", 0), ("paper", 1), ("transparent", 2), ("sticky", 1), ("paper", 3)],
        ("anatomy", 0),
        ("transparent", 2),
    ),
)
def test_what_is_interrupted_is_done_again_with_the_same_bytes(
    tmp_path: Path, kind: str, commits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push with late records, and the end, stopped after so many commits of the ledger."""
    promise = KINDS[kind]
    through, stopped = tmp_path / "a", tmp_path / "b"
    push(through, promise, day(1, "aab"))
    push(through, promise, day(2, "abb"))
    shutil.copytree(through, stopped)
    lot = [*day(2, "c", who="late "), *day(3, "ab"), *day(5, "abc")]
    pushed, ended = push(through, promise, lot), flush(through, promise)

    commit, keep = Publication.commit, Publication.keep
    for attempt, expected in (
        (lambda: push(stopped, promise, lot), pushed),
        (lambda: flush(stopped, promise), ended),
    ):
        left = commits

        def cut(self: Publication, *given: object, **more: object) -> object:
            nonlocal left
            if not left:
                raise _PowerCut
            left -= 1
            return (commit if "state" in more else keep)(self, *given, **more)  # type: ignore[arg-type]

        with monkeypatch.context() as patched:
            patched.setattr(Publication, "commit", cut)
            patched.setattr(Publication, "keep", cut)
            try:
                attempt()
            except _PowerCut:
                assert an.Ledger.open(stopped / "ledger").check() == []
        assert numbers(attempt()) == numbers(expected)
    assert contents(through / "releases") == contents(stopped / "releases")


def test_an_end_that_was_interrupted_can_only_be_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2, 3):
        push(tmp_path, INVARIANT, day(number, "ab"))
    commit = Publication.commit

    def once(self: Publication, **given: object) -> object:
        monkeypatch.setattr(Publication, "commit", lambda *_, **__: 1 / 0)
        return commit(self, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(Publication, "commit", once)
    with pytest.raises(ZeroDivisionError):
        flush(tmp_path, INVARIANT)
    monkeypatch.setattr(Publication, "commit", commit)
    with pytest.raises(AlreadyPublished, match=r"was interrupted.*End it again"):
        push(tmp_path, INVARIANT, day(4, "ab"))
    assert numbers(push(tmp_path, INVARIANT, day(3, "ab"))) == [1]
    assert numbers(flush(tmp_path, INVARIANT)) == [2, 3]


EVERY_DAY = {
    ("anatomy", "drop"),
    ("careful intervals", "recycle"),
    ("sticky", "recycle"),
}
REPEATED = [
    pytest.param(kind, late, marks=() if (kind, late) in EVERY_DAY else pytest.mark.campaign)
    for late in ("recycle", "drop")
    for kind in KINDS
    if late == "recycle" or not kind.startswith("careful")
]


@pytest.mark.parametrize(("kind", "late"), REPEATED)
def test_every_push_and_every_end_may_be_repeated(tmp_path: Path, kind: str, late: str) -> None:
    given = KINDS[kind].to_dict()
    promise = an.Reposition.from_dict({**given, "late": late})
    pushes = [
        day(1, "aab"),
        [*day(1, "b", who="late "), *day(2, "abc")],
        day(2, "ca", who="late "),
        [*day(1, "c", who="later "), *day(2, "b", who="later "), *day(4, "abc")],
        day(1, "c", who="last "),
        day(6, "ab"),
    ]
    made: list[list[int]] = []
    for number, rows in enumerate(pushes):
        made.append(numbers(push(tmp_path, promise, rows)))
        before = contents(tmp_path / "releases"), standing_of(tmp_path)
        for again, earlier in zip(made[: number + 1], pushes, strict=False):
            assert numbers(push(tmp_path, promise, earlier)) == again
        assert (contents(tmp_path / "releases"), standing_of(tmp_path)) == before
    ended = numbers(flush(tmp_path, promise))
    assert ended
    before = contents(tmp_path / "releases"), standing_of(tmp_path)
    for _ in range(2):
        assert numbers(flush(tmp_path, promise)) == ended
        for again, earlier in zip(made, pushes, strict=True):
            assert numbers(push(tmp_path, promise, earlier)) == again
    assert (contents(tmp_path / "releases"), standing_of(tmp_path)) == before
    with pytest.raises(AlreadyPublished, match="this feed has ended"):
        push(tmp_path, promise, day(7, "ab"))


@pytest.mark.parametrize(
    "kind",
    [
        *("rolling", "transparent"),
        *(
            pytest.param(kind, marks=pytest.mark.campaign)
            for kind in ("anatomy", "intervals", "paper", "sticky")
        ),
    ],
)
def test_a_table_that_grows_may_be_pushed_again_and_again(tmp_path: Path, kind: str) -> None:
    """Days that are known gain a late record, and the whole table is pushed every day."""
    promise, rows = KINDS[kind], list(day(1, "ab"))
    for number in range(2, 6):
        push(tmp_path, promise, rows)
        rows += [*day(number, "abc"), *day(number - 1, "c", who="late ")]
        push(tmp_path, promise, rows)
        waiting = standing_of(tmp_path)
        push(tmp_path, promise, rows)
        push(tmp_path, promise, rows[:2])
        assert standing_of(tmp_path) == waiting
    flush(tmp_path, promise)
    shown = values(entries(tmp_path))
    assert set(shown) == {"a", "b", "c"}
    if kind in ("anatomy", "intervals", "rolling"):
        assert sum(shown.values()) <= len(rows)
        assert sum(shown.values()) == len(rows), "and all of it is published"


def test_another_late_record_of_a_person_is_refused_or_left_out(tmp_path: Path) -> None:
    promise = KINDS["anatomy"]
    push(tmp_path, promise, day(1, "ab"))
    other = [("1.0", 1, "c"), ("new", 1, "c")]
    with pytest.raises(AlreadyPublished, match=r"repeats people.*1 rows.*repeated to \"one\""):
        push(tmp_path, promise, other)
    one = an.Reposition(l=2, window=3, late="recycle", repeated="one")
    push(tmp_path / "one", one, day(1, "ab"))
    push(tmp_path / "one", one, other)
    stands = standing_of(tmp_path / "one")
    assert stands.waiting == 3
    push(tmp_path / "one", one, other)
    assert standing_of(tmp_path / "one") == stands


@pytest.mark.parametrize("kind", ["anatomy", "paper"])
def test_a_young_feed_waits_for_values_and_says_so(tmp_path: Path, kind: str) -> None:
    then = "anatomy" if kind == "anatomy" else an.MInvariance(m=3)
    promise = an.Reposition(l=3, window=2, then=then)
    for number, letters in enumerate(["a", "ba", "ab"], 1):
        assert push(tmp_path, promise, day(number, letters)) == []
    stands = standing_of(tmp_path)
    assert stands.values_to_come == 1
    assert "nothing can be published before 1 more came" in str(stands)
    assert an.open(plan_of(tmp_path, promise)).standing == stands
    with pytest.raises(GuaranteeError, match=r"2 different sensitive values.*new ledger"):
        flush(tmp_path, promise)
    assert standing_of(tmp_path) == stands, "nothing is lost"
    push(tmp_path, promise, day(4, "abc"))
    stands = standing_of(tmp_path)
    assert stands.values_to_come == 0
    assert [release.table().num_rows for release in flush(tmp_path, promise)] == [3]
    # What the refusal advises can be done.
    lower = an.Reposition(l=2, window=2, then="anatomy")
    push(tmp_path / "lower", lower, [*day(1, "a"), *day(2, "ba"), *day(3, "ab")])
    assert flush(tmp_path / "lower", lower)


@pytest.mark.parametrize("kind", daily(["recycle", "rolling", "paper"], "rolling"))
def test_the_end_takes_as_many_steps_however_long_the_window(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    recycled = planning.recycled

    def counted(*given: object) -> object:
        nonlocal steps
        steps += 1
        return recycled(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(planning, "recycled", counted)
    taken = []
    for window in (7, 10_000):
        then = an.MInvariance(m=2) if kind == "paper" else "anatomy"
        solver = "recycle" if kind == "paper" else kind
        promise = an.Reposition(l=2, window=window, then=then, solver=solver)
        folder, steps = tmp_path / str(window), 0
        for number in range(1, 7):
            push(folder, promise, day(number, "aab"))
        flush(folder, promise)
        taken.append((steps, [file.name for file in (folder / "ledger" / "feed").iterdir()]))
    assert taken[0] == taken[1]


NOBODY_SHOWN = [
    ("sticky", 3, ["4a 3b", "1b 2a", "3c 0b 4c", "4a", "2b"]),
    ("paper", 3, ["0a 4c", "0c 2c 3a", "4b", "2c 3b 4c", "0b 4c"]),
    ("transparent", 2, ["2a", "4c", "4b 1a", "3b 2a 4b", "3a 2a 0b"]),
    ("paper", 3, ["4a 1b 2b", "4b 0b", "0b", "4c", "0b"]),
]


def test_a_snapshot_of_which_nobody_can_be_shown_makes_no_release(tmp_path: Path) -> None:
    for case, (mode, window, days) in enumerate(NOBODY_SHOWN):
        folder = tmp_path / str(case)
        # Only the paper's mode may leave out who is known; the others have a set for everybody.
        paper = mode == "paper"
        then = an.MInvariance(
            m=2,
            mode=mode,
            when_ineligible="hold" if paper else "refuse",
            values=() if paper else tuple("abcde"),
        )
        promise = an.Reposition(window=window, first="cold", then=then)
        for number, people in enumerate(days, 1):
            rows = [(who, number, value) for who, value in people.split()]
            assert numbers(push(folder, promise, rows)) == numbers(push(folder, promise, rows))
        flush(folder, promise)
        assert entries(folder)
        assert all(release.table().num_rows for release in entries(folder))
        assert an.Ledger.open(folder / "ledger").check() == []


@pytest.mark.parametrize("then", ["anatomy", "generalize"])
@pytest.mark.parametrize("late", ["drop", "recycle"])
@pytest.mark.parametrize("day_of_late", [3, 4])
def test_who_is_moved_to_a_day_for_which_another_record_was_dropped_is_there_once(
    tmp_path: Path, then: str, late: str, day_of_late: int
) -> None:
    """Ann or Ben is moved to the second day; both have a record of that day that comes too late."""
    promise = an.Reposition(l=2, window=2 if late == "recycle" else 3, late=late,
                            first="cold", then=then)  # fmt: skip
    days = {
        1: [("Ann", 1, "a"), ("Ben", 1, "a"), *day(1, "b")],
        2: day(2, "b"),
        3: day(3, "ab"),
        4: day(4, "ab"),
    }
    days[day_of_late] += [("Ann", 2, "c"), ("Ben", 2, "c")]
    for rows in days.values():
        push(tmp_path, promise, rows)
    flush(tmp_path, promise)
    everything = table([row for rows in days.values() for row in rows])
    for release in entries(tmp_path):
        verdict = an.audit(release, table=everything, ledger=tmp_path / "ledger")
        assert verdict.holds, str(verdict)


@pytest.mark.parametrize("late", ["recycle", "drop"])
def test_an_m_invariant_release_is_not_judged_by_a_record_that_came_too_late(
    tmp_path: Path, late: str
) -> None:
    promise = an.Reposition(window=2, late=late, then=an.MInvariance(m=2))
    pushes = [day(number, "abab") for number in range(1, 5)]
    who, *_ = pushes[0][0]
    pushes[3] = [*pushes[3], (who, 1, "c")]
    for rows in pushes:
        push(tmp_path, promise, rows)
    flush(tmp_path, promise)
    everything = table([row for rows in pushes for row in rows])
    for release in entries(tmp_path):
        verdict = an.audit(release, table=everything, ledger=tmp_path / "ledger")
        assert verdict.holds, str(verdict)
