"""Play whole feeds: nothing but named refusals, promises kept, repeats harmless, books balanced."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

import anachron as an
from anachron.errors import AnachronError, InternalError
from tests.oracle.feed_books import Books, Desk
from tests.oracle.feed_cases import Case, Move, Row, draw
from tests.oracle.feed_judge import judge
from tests.oracle.feed_stages import Commanded, Opened, Remembered, Stage

MEMORY = Path("/dev/shm")
"""Where thousands of small files are written in no time, if there is such a place."""
STAGES: dict[str, Callable[[Path, an.Reposition], Stage]] = {
    "feeds": Remembered,
    "opened": Opened,
    "commanded": Commanded,
}


@dataclass
class Played:
    """What a run saw."""

    feeds: int = 0
    pushes: int = 0
    repeats: int = 0
    refusals: int = 0
    releases: int = 0
    records: int = 0
    published: int = 0
    late: int = 0
    dropped: int = 0
    doubles: int = 0
    returns: int = 0
    ended: int = 0

    def __add__(self, other: Played) -> Played:
        return Played(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __str__(self) -> str:
        return (
            f"{self.feeds:,} feeds, {self.pushes:,} pushes and ends, {self.repeats:,} repeats, "
            f"{self.refusals:,} refusals, {self.releases:,} releases; {self.records:,} records, "
            f"{self.published:,} published, {self.late:,} late, {self.dropped:,} dropped, "
            f"{self.doubles:,} doubles, {self.returns:,} of people who return; "
            f"{self.ended:,} feeds ended; the books of all are balanced"
        )


def compared(books: Books, told: dict[str, int], *, bars: bool = False) -> None:
    """Hold the account in the ledger against our own count.

    An m-invariant feed bars people, and drops what comes of them later: never more than is open by
    our count, and that its audits look at one by one.
    """
    assert books.balanced, books
    assert books.open >= 0, books
    barred = told["dropped"] - books.dropped - books.doubles
    assert barred >= 0 if bars else barred == 0, (told, books)
    assert (told["pushed"], told["published"]) == (books.pushed, books.published), (told, books)
    assert books.waiting_at_least <= told["waiting"] + barred, (told, books)
    decided = told["waiting"] + told["left_out"] + told["refused"] + barred
    assert decided == books.open, (told, books)


def play(case: Case, stage: Stage, rng: np.random.Generator) -> Played:
    """Play one feed, with repeats of what was done before strewn in."""
    promise, seen = case.promise, Played(feeds=1)
    desk = Desk(promise.window, promise.late, promise.repeated)
    done: list[tuple[Move, list[int]]] = []
    for move in (*case.moves, *_afterwards(case, rng)):
        if move and done and rng.random() < 0.2:
            move = _grown(move, desk, rng)
        numbers = _tried(move, stage, desk, promise, seen)
        if numbers is None:
            continue
        done.append((move, numbers))
        published = judge(promise, desk.taken, stage.shown())
        compared(desk.books(published), stage.told(), bars=isinstance(promise.then, an.MInvariance))
        if rng.random() < 0.5:
            _repeated(done, stage, rng, seen)
    _repeated(done, stage, rng, seen)
    books = desk.books(judge(promise, desk.taken, stage.shown()))
    assert not desk.ended or stage.told()["waiting"] == 0
    stage.audit(sorted(desk.seen))
    people = {row.who for row in desk.seen}
    return seen + Played(
        releases=len(stage.shown()), records=books.pushed, published=books.published,
        dropped=books.dropped, doubles=books.doubles, ended=desk.ended,
        returns=len(desk.seen) - len(people),
    )  # fmt: skip


def _tried(
    move: Move, stage: Stage, desk: Desk, promise: an.Reposition, seen: Played
) -> list[int] | None:
    """Do it, and see that it is refused if, and only if, it must be."""
    few = len({row.value for row in desk.seen}) < promise.l
    must_refuse = desk.refuses(move) if move else few
    before = stage.mark() if must_refuse and desk.seen else None
    seen.pushes += 1
    try:
        numbers = stage.push(move) if move else stage.flush()
    except AnachronError as error:
        if not must_refuse or isinstance(error, InternalError):
            raise
        assert before is None or stage.mark() == before, "a refusal changes nothing"
        seen.refusals += 1
        return None
    assert not must_refuse, move
    if move:
        seen.late += sum(desk._is_late(row) for row in move if row not in desk.seen)
        desk.takes(move)
    else:
        desk.ended = True
    return numbers


def _repeated(
    done: list[tuple[Move, list[int]]], stage: Stage, rng: np.random.Generator, seen: Played
) -> None:
    """Do again what was done before: the same releases, and nothing changes."""
    if not done:
        return
    before = stage.mark()
    for at in {int(rng.integers(len(done))), len(done) - 1}:
        move, numbers = done[at]
        again = [move[i] for i in rng.permutation(len(move))]
        assert (stage.push(again) if again else stage.flush()) == numbers, (move, numbers)
        seen.repeats += 1
    assert stage.mark() == before, "a repeat changes nothing"


def _grown(move: Move, desk: Desk, rng: np.random.Generator) -> Move:
    """The same, in a table that holds what is not out yet, too."""
    if desk.late == "refuse":
        return move
    known = [row for row in desk.seen if not desk._is_out(row) and row not in desk.dropped]
    kept = {(row.who, row.day) for row in known}
    return (*move, *known) if len(kept) == len(known) else move


def _afterwards(case: Case, rng: np.random.Generator) -> list[Move]:
    """Sometimes somebody pushes to a feed that has ended."""
    if case.moves[-1] or rng.random() < 0.7:
        return []
    return [(Row(1, 30, 998, "a"), Row(2, 30, 999, "b"))]


def play_many(kind: str, seed: int, cases: range) -> Played:
    """Play the cases of a seed; each is the same whichever others are played."""
    total = Played()
    for number in cases:
        rng = np.random.default_rng([seed, number])
        case = draw(rng)
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            try:
                total += play(case, STAGES[kind](Path(folder), case.promise), rng)
            except Exception as error:
                error.add_note(f"{kind}, seed {seed}, case {number}: {case}")
                raise
    return total
