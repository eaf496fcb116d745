"""What cannot be."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.attacking.impossible import read_impossible
from anachron.attacking.plausibility import attack, possible_values
from anachron.errors import InputError
from tests.attacking.knowing import known_of, publish

SCHEMA = an.Schema(subject="who", quasi=["sex", "age"], sensitive="illness")
PROMISE = an.MInvariance(m=3, orders={"sex": ["f", "m"]})
ROWS = {
    "who": ["Ann", "Ben", "Cid"],
    "sex": ["f", "m", "m"],
    "age": [40, 41, 42],
    "illness": ["ovarian", "asthma", "burn"],
}


@pytest.fixture
def known(tmp_path):
    return known_of(tmp_path, publish(tmp_path, ROWS, SCHEMA, PROMISE), ROWS, SCHEMA)


def found(known, **columns):
    return attack(replace(known, impossible=pa.table(columns)))


def test_whose_the_value_is_that_others_cannot_have(known) -> None:
    told = found(known, sex=["m"], illness=["ovarian"])
    assert (told.exposed, told.people) == (3, 3)
    assert told.figures["certain"] == 1
    assert told.figures["smallest"] == 1
    assert told.figures["concerned"] == 2
    assert told.holds is None


def test_one_person_who_cannot_have_a_value(known) -> None:
    """Ben does not have ovarian cancer: he has two values left, the others three."""
    told = found(known, sex=["m"], age=["41"], illness=["ovarian"])
    assert told.exposed == 1
    assert told.figures["certain"] == 0


def test_what_concerns_nobody_tells_nothing(known) -> None:
    assert found(known, sex=["x"], illness=["ovarian"]).exposed == 0
    assert found(known, sex=["m"], illness=["measles"]).exposed == 0
    assert found(known, sex=["m"], age=["90..99"], illness=["ovarian"]).exposed == 0


def test_ranges_and_empty_cells(known) -> None:
    assert found(known, sex=[""], age=["41..45"], illness=["ovarian"]).exposed == 3
    assert found(known, sex=[""], age=["41..41.5"], illness=["ovarian"]).exposed == 1


def test_a_table_that_the_data_contradict(known) -> None:
    """Ann has what nobody can have: for her the table is wrong, and for her it is not used."""
    told = found(known, illness=["ovarian"])
    assert told.figures["contradicted"] == 1
    assert told.exposed == 3
    assert told.figures["smallest"] == 1


def test_who_left_is_a_counterfeit(tmp_path) -> None:
    publish(tmp_path, ROWS, SCHEMA, PROMISE)
    rows = {name: column[1:] for name, column in ROWS.items()}
    known = known_of(tmp_path, publish(tmp_path, rows, SCHEMA, PROMISE), rows, SCHEMA)
    told = found(known, sex=["m"], illness=["ovarian"])
    assert (told.exposed, told.people) == (2, 2)
    assert told.figures["certain"] == 0
    assert found(known, sex=["x"], illness=["ovarian"]).exposed == 0


def test_what_it_needs(known, tmp_path) -> None:
    assert attack(known) is None
    less = replace(known, impossible=pa.table({"illness": ["ovarian"]}), past=None)
    assert attack(less) is None


@pytest.mark.parametrize("columns", [{"sex": ["m"]}, {"sexe": ["m"], "illness": ["asthma"]}])
def test_other_columns_are_refused(known, columns) -> None:
    with pytest.raises(InputError, match="needs the sensitive column 'illness'"):
        found(known, **columns)


def test_a_range_that_is_none(known) -> None:
    with pytest.raises(InputError, match=r"0\.\.11"):
        found(known, age=["young..old"], illness=["asthma"])


def test_files(tmp_path) -> None:
    file = tmp_path / "impossible.csv"
    file.write_text("\ufeffsex, illness\nm, ovarian cancer\n\n ,\n", encoding="utf-8")
    table = read_impossible(file)
    assert table.to_pylist() == [
        {"sex": "m", "illness": "ovarian cancer"}, {"sex": "", "illness": ""},
    ]  # fmt: skip
    for wrong in ("", "a,a\n1,2\n", "a,b\n1\n"):
        file.write_text(wrong)
        with pytest.raises(InputError):
            read_impossible(file)
    file.write_bytes(b"a,b\n\xff,1\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_impossible(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_impossible(tmp_path / "nowhere.csv")


def test_matchings_against_all_permutations() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        people = int(rng.integers(1, 5))
        rows = people + int(rng.integers(0, 2))
        allowed = rng.random((people, rows)) < 0.6
        expected = np.zeros_like(allowed)
        for way in permutations(range(rows), people):
            if all(allowed[p, r] for p, r in enumerate(way)):
                for p, r in enumerate(way):
                    expected[p, r] = True
        assert (possible_values(allowed) == expected).all()


def test_where_two_may_have_the_same_value_nobody_else_is_told_by_it(tmp_path) -> None:
    """In a group that stands Ben cannot have ovarian cancer; it need not be Ann's for that."""
    promise = an.MInvariance(m=2, mode="sticky", orders={"sex": ["f", "m"]})
    pair = {name: cells[:2] for name, cells in ROWS.items()}
    publish(tmp_path, pair, SCHEMA, promise)
    later = {**pair, "age": [39, 41]}
    known = known_of(tmp_path, publish(tmp_path, later, SCHEMA, promise), later, SCHEMA)
    told = found(known, sex=["m"], illness=["ovarian"])
    assert (told.exposed, told.figures["certain"]) == (1, 1)
    assert told.figures["smallest"] == 1
    both = {**pair, "illness": ["asthma", "asthma"]}
    members = known_of(tmp_path, publish(tmp_path, both, SCHEMA, promise), both, SCHEMA).members
    assert sorted(members.shown.tolist()) == [0, 1]
    assert members.sensitive[0].code.tolist() == [0, 0]
    assert not len(members.spare[0])
