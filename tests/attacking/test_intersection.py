"""Releases that are laid together."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.intersection import attack, intersect
from anachron.attacking.sights import bits_of, of_groups, sizes
from anachron.streamed import Streamed
from tests.attacking.knowing import known_of, publish, tampered
from tests.attacking.registers import SCHEMA, crowd, released, table

NOBODY = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def sight(*rows: tuple[int, int, int]):
    """Each row a person, a value, a group."""
    person, value, group = (np.array(column) for column in zip(*rows, strict=True))
    return of_groups(person, value, group, NOBODY)


def left_of(*sights) -> dict[tuple[int, int], int]:
    left = intersect(sights, 9)
    return dict(
        zip(
            zip(left.person.tolist(), left.value.tolist(), strict=True),
            sizes(left.bits).tolist(),
            strict=True,
        )
    )


def test_two_releases_that_know_nothing_of_each_other() -> None:
    """Each is 2-diverse; Ann (0) is among flu and cold, then among flu and burn."""
    first = sight((0, 0, 0), (1, 1, 0), (2, 2, 1), (3, 3, 1))
    second = sight((0, 0, 0), (2, 2, 0), (1, 1, 1), (3, 3, 1))
    assert left_of(first) == {(0, 0): 2, (1, 1): 2, (2, 2): 2, (3, 3): 2}
    assert left_of(first, second) == {(0, 0): 1, (1, 1): 1, (2, 2): 1, (3, 3): 1}
    assert left_of(first, first) == left_of(first)


def test_a_value_that_changed_is_not_laid_together() -> None:
    first = sight((0, 0, 0), (1, 1, 0))
    second = sight((0, 2, 0), (1, 1, 0))
    assert left_of(first, second) == {(0, 0): 2, (0, 2): 2, (1, 1): 1}


def test_more_than_sixty_four_values() -> None:
    rng = np.random.default_rng(1)
    sets = [set(rng.choice(200, 20, replace=False).tolist()) for _ in range(30)]
    pairs = np.array([(i, value) for i, one in enumerate(sets) for value in one])
    bits = bits_of(pairs[:, 0], pairs[:, 1], 30, 200)
    assert sizes(bits).tolist() == [20] * 30
    for i in range(29):
        assert sizes(bits[i : i + 1] & bits[i + 1 : i + 2]) == len(sets[i] & sets[i + 1])


def test_a_history_that_keeps_its_promise(tmp_path) -> None:
    tables = crowd(1, 80, 9, 4)
    tables.append(tables[0])  # everyone of the first release is back
    found = attack(released(tmp_path, tables, m=2))
    assert found.holds is True
    assert found.exposed == 0
    everyone = {p for t in tables for p in t["who"].to_pylist()}
    assert len(everyone) - 3 <= found.people <= len(everyone)
    assert found.figures["smallest"] == 2
    assert found.figures["releases"] == 5
    assert found.sampled is None


def forged(past, number: int):
    """The memory of an earlier release, with another set of values for everyone of a group."""
    state = past.before[number].table()
    notes = json.loads(state.schema.metadata[b"anachron"])
    notes["signatures"] = [[0, 1] for _ in notes["signatures"]]
    forged = state.replace_schema_metadata({b"anachron": json.dumps(notes)})
    return replace(past, before=[Streamed.of(forged)], releases=())


def test_a_history_that_breaks_it(tmp_path) -> None:
    """As if the first release had been made with another ledger."""
    tables = [table({"Ann": "a", "Ben": "b", "Cid": "c", "Dan": "d"})] * 2
    known = released(tmp_path, tables[:1], m=4)
    assert attack(known).holds is True
    more = pa.concat_tables([tables[0], table({"Eve": "a", "Fay": "b", "Gil": "c", "Hal": "d"})])
    known = released(tmp_path, [more], m=4)
    broken = attack(replace(known, past=forged(known.past, 0)))
    assert broken.holds is False
    assert broken.exposed == 4
    assert broken.figures["smallest"] == 2
    assert "4 people with fewer than 4" in broken.measured


@pytest.mark.parametrize("same_age", [True, False])
def test_quasi_values_alone_may_tell_less_than_groups(tmp_path, same_age: bool) -> None:
    """Where every group covers everyone, quasi values leave all values; else the group's."""
    people = {"Ann": "a", "Ben": "b", "Cid": "c", "Dan": "d"}
    ages = dict.fromkeys(people, 40) if same_age else {w: 20 * n for n, w in enumerate(people, 1)}
    first = table(people, ages)
    second = table({**people, "Eve": "a", "Fay": "b"}, {**ages, "Eve": 40, "Fay": 40})
    known = released(tmp_path, [first, second], m=2)
    values = known.past.releases[0].table()["illness"].to_pylist()

    def other(data: pa.Table) -> pa.Table:
        """The first group gets a value of the second, and the other way round."""
        swapped = pa.array([values[0], values[2], values[1], values[3]])
        return data.set_column(data.column_names.index("illness"), "illness", swapped)

    wrong = tampered(known.past.releases[0], tmp_path / "0001", other)
    found = attack(replace(known, past=replace(known.past, releases=(wrong,))))
    assert found.exposed == 4
    assert found.holds is False
    assert (found.figures["exposed_by_quasi"] == 0) == same_age
    shut = attack(replace(known, microdata=None))
    assert shut.figures["exposed_by_quasi"] == "unknown"


def test_two_ledgers_for_the_same_people(tmp_path) -> None:
    """Each release keeps its promise, and together they give Ann away."""
    ages = {"Ann": 40, "Ben": 41, "Cid": 41}
    first = table({"Ann": "a", "Ben": "b"}, ages)
    rows = table({"Ann": "a", "Cid": "c"}, ages)
    one = publish(tmp_path / "one", first, SCHEMA, an.MInvariance(m=2))
    two = publish(tmp_path / "two", rows, SCHEMA, an.MInvariance(m=2))
    alone = known_of(tmp_path / "two", two, rows, SCHEMA, ledger=False)
    assert attack(alone).exposed == 0
    both = attack(replace(alone, earlier=(one,)))
    assert (both.exposed, both.people, both.holds) == (1, 2, False)
    assert both.figures["disclosed"] == 1
    assert attack(replace(alone, earlier=(two,))).exposed == 0


def test_some_people_of_many(tmp_path) -> None:
    [rows] = crowd(3, 60, 6, 1)
    release = publish(tmp_path, rows, SCHEMA, an.MInvariance(m=2))
    few = attack(known_of(tmp_path, release, rows, SCHEMA, ledger=False, limit=10))
    assert few.people == 10
    assert few.sampled == f"10 of {rows.num_rows} people"


def test_without_anything_there_is_nothing(tmp_path) -> None:
    [rows] = crowd(3, 40, 6, 1)
    release = publish(tmp_path, rows, SCHEMA, an.MInvariance(m=2))
    assert attack(known_of(tmp_path, release, None, SCHEMA, ledger=False)) is None


FEED = an.Schema(subject="who", time="day", quasi=["age"], sensitive="illness")


def feed(*days: dict[str, str]) -> dict[str, list[object]]:
    rows = [(f"2024-05-{n:02d}", who, v) for n, day in enumerate(days, 6) for who, v in day.items()]
    day, who, illness = (list(column) for column in zip(*rows, strict=True))
    return {"who": who, "day": day, "age": [20 + ord(w[0]) for w in who], "illness": illness}


def test_people_who_return_to_a_feed(tmp_path) -> None:
    rows = feed({"Ann": "flu", "Ben": "cold"}, {"Ann": "flu", "Cid": "burn"})
    release = publish(tmp_path, rows, FEED, an.Reposition(l=2, window=2))
    found = attack(known_of(tmp_path, release, rows, FEED))
    assert (found.exposed, found.people) == (1, 3)
    assert found.holds is None
    assert found.figures["disclosed"] == 1


def test_people_who_return_among_the_same_values(tmp_path) -> None:
    rows = feed({"Ann": "flu", "Ben": "cold"}, {"Ann": "flu", "Cid": "cold"})
    release = publish(tmp_path, rows, FEED, an.Reposition(l=2, window=2))
    assert attack(known_of(tmp_path, release, rows, FEED)).exposed == 0


def test_events_of_one_person(tmp_path) -> None:
    rows = feed({"Ann": "flu", "Ben": "cold"}, {"Ann": "flu", "Ben": "burn"})
    rows["age"] = [40] * 4
    release = publish(tmp_path, rows, FEED, an.TimeGranularity(k=2, granularities=["day"]))
    found = attack(known_of(tmp_path, release, rows, FEED))
    assert (found.exposed, found.people, found.holds) == (1, 2, None)
