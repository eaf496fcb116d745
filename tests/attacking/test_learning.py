"""The learning attack finds values that go with quasi values, and nothing where none do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

import anachron as an
from anachron.attacking.learning import attack, learn
from anachron.auditing.reading.letters import letters_of, normalised
from tests.attacking.knowing import known_of, publish
from tests.flow import series

SCHEMA = an.Schema(subject="who", quasi=["age", "area"], sensitive="ill")


def register(telling: float, people: int = 600) -> pa.Table:
    """Invented people, of whom such a share has the age and area that go with the illness.

    Illnesses are not equally frequent, so that sets of values differ: if the same few sets came
    again and again, nothing could be learned.
    """
    rng = np.random.default_rng(4)
    ills = 8
    ill = rng.choice(ills, people, p=np.arange(ills + 4, 4, -1) / np.arange(ills + 4, 4, -1).sum())
    tells = rng.random((2, people)) < telling
    age = np.where(tells[0], 20 + 10 * ill, rng.choice(20 + 10 * np.arange(ills), people))
    area = np.where(tells[1], ill, rng.integers(0, ills, people))
    return pa.table(
        {
            "who": [f"p{i:04}" for i in range(people)],
            "age": age,
            "area": area,
            "ill": [f"ill {i}" for i in ill.tolist()],
        }
    )


def test_correlated_values_are_learned(tmp_path: Path) -> None:
    table = register(0.8)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=3))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert finding.exposed > 200
    assert finding.holds is None
    assert finding.people == 600
    assert finding.figures["hit_rate"] > 0.7
    assert finding.figures["promised"] == 0.3333
    assert finding.figures["surer_and_right"] > 200
    assert finding.sampled is None


def test_values_that_go_with_nothing_are_not(tmp_path: Path) -> None:
    table = register(0.0)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=3))
    finding = attack(known_of(tmp_path, release, table, SCHEMA))
    assert finding is not None
    assert finding.exposed == 0
    assert finding.figures["hit_rate"] < 0.4


def test_groups_are_sampled_whole_if_there_are_many_people(tmp_path: Path) -> None:
    table = register(0.8)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=3))
    finding = attack(known_of(tmp_path, release, table, SCHEMA, limit=120))
    assert finding is not None
    assert finding.people <= 120
    assert finding.people % 3 == 0
    assert "of 600 records" in str(finding.sampled)


def test_without_ledger_or_table_a_register_cannot_be_learned_from(tmp_path: Path) -> None:
    table = register(0.5, 60)
    release = publish(tmp_path, table, SCHEMA, an.MInvariance(m=2))
    assert attack(known_of(tmp_path, release, None, SCHEMA)) is None
    assert attack(known_of(tmp_path, release, table, SCHEMA, ledger=False)) is None


def test_shapes_of_series_that_go_with_the_content_are_learned(tmp_path: Path) -> None:
    walks = series.walks(240)
    third = letters_of(normalised(walks), 4)[:, 2]
    table = series.wide(walks).set_column(1, "bill", pa.array([f"kind {i}" for i in third]))
    release = series.released(table, tmp_path, series.promise(k=30, P=6, max_level=2))
    finding = attack(known_of(tmp_path, release, table, series.WIDE))
    assert finding is not None
    assert finding.exposed > 20
    assert finding.figures["hit_rate"] > finding.figures["hit_rate_without_learning"]


def test_a_group_is_weighed_as_a_whole() -> None:
    # Columns tell nothing but that quasi value 0 goes with value 0 in the many groups of one.
    group = np.array([0, 1, 2, 3, 4, 4])
    value = np.array([0, 0, 1, 1, 0, 1])
    quasi = [np.array([0, 0, 1, 1, 0, 1])]
    learned = learn(group, value, quasi)
    assert learned.guess.tolist() == value.tolist()
    assert learned.share.tolist() == [1, 1, 1, 1, 0.5, 0.5]
    assert learned.top[4] > 0.9
    # Each value has one owner: what is sure of one is as sure of the other.
    assert np.isclose(learned.top[4], learned.top[5], atol=1e-6)


def test_counterfeits_leave_room_for_doubt() -> None:
    # One person, two values, one of them a counterfeit's: nothing is known of which.
    learned = learn(np.array([0]), np.array([0]), [np.array([0])], (np.array([0]), np.array([1])))
    assert np.isclose(learned.top[0], 0.5)
    assert learned.share.tolist() == [0.5]
