"""How many values are left for everyone, from release to release."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.evidence.register import Book
from anachron.auditing.history import History, remembered
from anachron.ledger import Ledger
from anachron.reporting.html import html
from anachron.reporting.invariance.candidates import _Sets, candidates, drawn
from anachron.streamed import Streamed
from tests.reporting.register_stand_ins import record, verdict

SCHEMA = an.Schema(subject="who", quasi="age", sensitive="illness")
ILLNESSES = ["flu", "gout", "asthma", "cough", "burn", "cold", "sprain"]


def snapshot(number: int) -> pa.Table:
    """60 of 80 people; some come, some leave, some return, some fall ill of something else."""
    who = [n for n in range(80) if (n + number) % 4]
    return pa.table(
        {
            "who": [f"p{n}" for n in who],
            "age": [20 + n % 50 for n in who],
            "illness": [ILLNESSES[(n + (number > 2 and n % 9 == 0)) % 7] for n in who],
        }
    )


@pytest.fixture(scope="module")
def published(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[an.Release, History]:
    folder = tmp_path_factory.mktemp("register")
    for number in (1, 2, 3, 4):
        release = an.publish(snapshot(number), SCHEMA, an.MInvariance(m=3),
                             ledger=folder / "ledger", to=folder / "releases")  # fmt: skip
    ledger = Ledger.open(folder / "ledger", create=False)
    past = remembered(ledger, ledger.entries())
    assert isinstance(past, History)
    return release, past


def test_nobody_is_left_with_fewer_than_promised(published: tuple[an.Release, History]) -> None:
    release, past = published
    found = candidates(past, release)
    assert [one.release for one in found] == [1, 2, 3, 4]
    assert [one.people for one in found] == [60, 80, 80, 80]
    assert min(one.smallest for one in found) == 3
    assert all(one.smallest <= one.median <= one.largest for one in found)


def test_a_narrower_release_before_narrows_all_after(published: tuple[an.Release, History]) -> None:
    """A release that was swapped for one with other groups leaves fewer values."""
    release, past = published
    first = past.releases[0]
    # The third release in place of the first: its groups are not those of the people.
    swapped = _Renumbered(past.releases[2].path, first.number)
    found = candidates(replace(past, releases=(swapped, *past.releases[1:])), release)
    assert found[0].smallest <= 3
    assert found[-1].smallest < 3


class _Renumbered(an.Release):
    def __init__(self, path: Path, number: int) -> None:
        super().__init__(path)
        self._as = number

    @property
    def number(self) -> int:
        return self._as


def sets_of(*seen: tuple[int, int, set[int]]) -> tuple[int, dict[tuple[int, int], frozenset[int]]]:
    """What is left of person 0 after releases that show (person, value, set)."""
    book, nobody = Book(), np.full(1, -1, dtype=np.int64)
    sets = _Sets(nobody, nobody.copy(), {})
    for person, mark, shown in seen:
        one = (np.array([n]) for n in (person, mark, book.signature(shown)))
        sets.see(*one, book)
    left = {key: book.signatures[n] for key, n in sets.former.items()}
    left[0, int(sets.mark[0])] = book.signatures[sets.signature[0]]
    return sets.left(1, book).smallest, left


def test_sets_are_intersected_as_long_as_the_value_stays() -> None:
    assert sets_of((0, 1, {1, 2, 3}), (0, 1, {1, 2, 4})) == (2, {(0, 1): frozenset({1, 2})})
    # Another value has a set of its own, and the first is taken up again where it was left.
    smallest, left = sets_of((0, 1, {1, 2, 3}), (0, 5, {5, 6, 7}), (0, 1, {1, 9}))
    assert left == {(0, 1): frozenset({1}), (0, 5): frozenset({5, 6, 7})}
    assert smallest == 1


def test_the_certificate_draws_them_against_the_promise(
    published: tuple[an.Release, History],
) -> None:
    release, past = published
    written = html(release, verdict(), record(), past=past)
    title = "Values left when all releases are laid together"
    assert title in written
    assert title not in html(release, verdict(), record())
    part = written[written.index(title) :]
    assert "Dashed: at least 3 are promised." in part
    assert "at least 3 for anyone; promised are 3." in part
    assert len(re.findall("<tr>", part[: part.index("</details>")])) == 5
    assert "NaN" not in written


def test_one_release_is_told_in_a_sentence(published: tuple[an.Release, History]) -> None:
    _, past = published
    first = replace(past, state=past.before[0], before=(), releases=())
    written = html(past.releases[0], verdict(), record(), past=first)
    assert "For everyone at least 3 values may be true" in written


def test_a_memory_that_cannot_be_read_draws_nothing(published: tuple[an.Release, History]) -> None:
    release, past = published
    assert (
        candidates(replace(past, state=Streamed.of(past.state.table().drop(["value"]))), release)
        == ()
    )


def test_the_drawing_keeps_to_the_newest_releases(published: tuple[an.Release, History]) -> None:
    (one, *_) = candidates(published[1], published[0])
    chart = drawn(tuple(replace(one, release=n) for n in range(1, 101)), 3)
    assert [chart.data[0]["release"], chart.data[-1]["release"]] == [41, 100]
