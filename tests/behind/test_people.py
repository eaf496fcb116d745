"""Two readers that share no code name the same people: of several columns, and of each row."""

from __future__ import annotations

import random
import string
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anachron as an
from anachron.auditing.reading.spelled import names_of
from anachron.behind import read
from anachron.behind.folding import folded_names
from anachron.engines.local.load import load
from anachron.ledger.pseudonyms import pseudonyms
from anachron.spelling import folded, foldings, joined, parted
from tests.behind.test_microdata import same

KEY = b"k" * 32
SIGNS = string.ascii_letters[:4] + " :12\u00e9\u200b\uff21\u0301"


def table(seed: int, rows: int = 30) -> pa.Table:
    rng = random.Random(seed)

    def text() -> str:
        return "x" + "".join(rng.choice(SIGNS) for _ in range(rng.randint(0, 3)))

    return pa.table({
        "a": [text() for _ in range(rows)],
        "b": [rng.randint(-2, 12) for _ in range(rows)],
        "c": pa.array([rng.randint(0, 2**63) for _ in range(rows)], pa.uint64()),
        "day": [f"2024-05-{rng.randint(1, 3):02}" for _ in range(rows)],
        "q": [rng.choice([1.5, 0.0, -0.0, None]) for _ in range(rows)],
        "s": [rng.choice(["u", None, ""]) for _ in range(rows)],
    })  # fmt: skip


@pytest.mark.parametrize("seed", [0, 1, 2, 5])  # by 3, somebody has two spellings
@pytest.mark.parametrize("who", [["a", "b"], ["c", "a", "b"], "each row"], ids=str)
def test_the_same_people_in_memory_and_in_files(who, seed: int, tmp_path: Path) -> None:
    schema = an.Schema(who, time="day", quasi="q", sensitive="s", spelling="exact")
    given = pa.concat_tables([table(seed), table(seed, 4)])
    for place in ("memory", "parquet", "csv"):
        file = tmp_path / f"t.{place}"
        if place == "parquet":
            pyarrow.parquet.write_table(given, file)
        elif place == "csv":
            pyarrow.csv.write_csv(given, file)
        same(given if place == "memory" else file, schema)


def test_rows_that_are_alike_are_numbered() -> None:
    schema = an.Schema("each row", time="day", quasi="q", sensitive="s")
    given = pa.concat_tables([table(1), table(1), table(1, 3)])
    with closing(load(given, schema)) as loaded, closing(read(given, schema)) as microdata:
        assert microdata.subject_values.to_pylist() == loaded.subject_values.to_pylist()
        names = [name.split("-") for name in loaded.subject_values.to_pylist()]
    assert len({*map(tuple, names)}) == len(given)
    assert {number for _, number in names} >= {"0", "1", "2"}


def test_merged_people_are_merged_by_both() -> None:
    given = pa.table({
        "a": ["Ann", "ANN ", "Bo", "b\u200bo"], "b": ["x", "X", "x", "y"], "q": [1, 2, 3, 4],
    })  # fmt: skip
    schema = an.Schema(["a", "b"], quasi="q", spelling="merge")
    with closing(load(given, schema)) as loaded, closing(read(given, schema)) as microdata:
        assert loaded.subjects == len(microdata.subject_values) == 3
        assert names_of(microdata, exact=False)[1] == 3
        assert loaded.subject[0] == loaded.subject[1]
        assert microdata.subject[0] == microdata.subject[1]


texts = st.text(alphabet=SIGNS, max_size=5)
pairs = st.tuples(texts, texts)


def name_of(pair: tuple[str, str]) -> pa.Array:
    return joined([pa.array([pair[0]]), pa.array([pair[1]])])


@settings(max_examples=300, deadline=None)
@given(pairs, pairs)
def test_parts_are_folded_by_themselves_and_never_run_together(one, other) -> None:
    a, b = name_of(one), name_of(other)
    assert [part[0].as_py() for part in parted(a)] == [*one]
    assert a.equals(b) == (one == other)
    alike = tuple(map(folded, one)) == tuple(map(folded, other))
    assert foldings(a).equals(foldings(b)) == alike
    assert folded_names(a, exact=False).equals(folded_names(b, exact=False)) == alike
    known = [pseudonyms(KEY, name, folded=True) for name in (a, b)]
    assert known[0].equals(known[1]) == alike


def test_people_are_known_however_their_numbers_are_stored() -> None:
    whole = joined([pa.array([7]), pa.array(["x"])])
    written = joined([pa.array(["7"]), pa.array(["x"])])
    assert pseudonyms(KEY, whole).equals(pseudonyms(KEY, written))
