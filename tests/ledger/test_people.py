"""By what a ledger knows its people: folded names, or names as they are written, for ever."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import LedgerError, PlanError, TableError
from anachron.ledger.pseudonyms import VALUE, pseudonyms
from tests.flow.spellings import WAYS, with_column
from tests.ledger.old import unpacked
from tests.ledger.stories import STORIES

KEY = b"k" * 32


@pytest.mark.parametrize("way", WAYS)
def test_folded_names_have_one_pseudonym(way: str) -> None:
    names = pa.array(["Ann Lee", WAYS[way]("Ann Lee"), "Ann Lea", None])
    one, other, another, nobody = pseudonyms(KEY, names, folded=True).to_pylist()
    assert one == other != another
    assert nobody is None
    written = pseudonyms(KEY, names).to_pylist()
    assert (written[0] == written[1]) == (way == "blanks around")
    # What is published of a value is one of its spellings, and its mark is of that one.
    assert pseudonyms(KEY, names, VALUE, folded=True).equals(pseudonyms(KEY, names, VALUE))


def test_numbers_are_known_in_whatever_type(tmp_path: Path) -> None:
    for folded in (True, False):
        forms = [pa.array([7, 10**15]), pa.array(["7", "1000000000000000"]), pa.array([7.0, 1e15])]
        digests = [pseudonyms(KEY, form, folded=folded) for form in forms]
        assert all(one.equals(digests[0]) for one in digests)


def people_in(root: Path) -> str | None:
    with closing(sqlite3.connect(root / "ledger" / "catalog.sqlite")) as catalog:
        form: str | None = catalog.execute("SELECT people FROM ledger").fetchone()[0]
    return form


def visits(names: list[str], month: int = 1, root: Path | None = None, spelling: str = "refuse"):
    table = pa.table({"who": names, "day": [f"2024-{month:02d}-01"] * len(names)})
    schema = an.Schema(subject="who", time="day", spelling=spelling)
    promise = an.TimeGranularity(k=2, granularities=["month"])
    assert root is not None
    return an.publish(table, schema, promise, ledger=root / "ledger", to=root / "releases")


@pytest.mark.parametrize(("spelling", "form"), [("refuse", "folded"), ("exact", None)])
def test_it_is_recorded_with_the_first_release(
    spelling: str, form: str | None, tmp_path: Path
) -> None:
    an.Ledger.open(tmp_path / "ledger")
    assert people_in(tmp_path) is None
    visits(["a", "b"], 1, tmp_path, spelling)
    assert people_in(tmp_path) == form
    ledger = an.Ledger.open(tmp_path / "ledger")
    assert ledger.folds == (form == "folded")
    same = ledger.pseudonyms(pa.array(["ann", "ANN"])).to_pylist()
    assert (same[0] == same[1]) == ledger.folds
    assert ledger.check() == []


def test_a_refused_first_release_decides_nothing(tmp_path: Path) -> None:
    with pytest.raises(TableError):
        visits(["a", "A"], 1, tmp_path)
    visits(["a", "A"], 1, tmp_path, "exact")
    assert people_in(tmp_path) is None


@pytest.mark.parametrize("statement", ["NULL", "'written'", "'folded '"])
def test_it_cannot_be_altered(statement: str, tmp_path: Path) -> None:
    visits(["a", "b"], 1, tmp_path)
    with closing(sqlite3.connect(tmp_path / "ledger" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute(f"UPDATE ledger SET people = {statement}")
    with pytest.raises(LedgerError, match="seal is broken"):
        an.Ledger.open(tmp_path / "ledger")


def test_it_cannot_be_claimed_of_a_ledger_that_is_not_so(tmp_path: Path) -> None:
    visits(["a", "b"], 1, tmp_path, "exact")
    with closing(sqlite3.connect(tmp_path / "ledger" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("UPDATE ledger SET people = 'folded'")
    with pytest.raises(LedgerError, match="seal is broken"):
        an.Ledger.open(tmp_path / "ledger")


@pytest.mark.parametrize("name", STORIES)
def test_an_old_ledger_knows_its_people_as_they_are_written_and_says_so(
    name: str, tmp_path: Path
) -> None:
    root, story = unpacked(name, tmp_path), STORIES[name]
    story.step(root, story.steps + 1)
    assert people_in(root) is None
    [*_, last] = an.Ledger.open(root / "ledger").entries()
    notes = last.explanation["notes"]
    assert any("knows its people as they are written" in note for note in notes)
    verdict = an.audit(last.path, ledger=root / "ledger")
    assert verdict.holds, [str(check) for check in verdict.failures]


def test_an_old_register_goes_on_with_its_people_and_knows_respelled_values(tmp_path: Path) -> None:
    root, story = unpacked("register", tmp_path), STORIES["register"]
    table = story.table(3)
    [column] = story.schema.sensitive
    values = [f"\ufeff{text.upper()}" for text in table[column].to_pylist()]
    release = an.publish(
        with_column(table, column, values), story.schema, story.promise,
        ledger=root / "ledger", to=root / "releases",
    )  # fmt: skip
    expected = an.Release(root / "expected" / "0003")
    assert release.table().equals(expected.table())


def test_an_old_ledger_cannot_merge_but_may_be_exact(tmp_path: Path) -> None:
    root, story = unpacked("visits", tmp_path), STORIES["visits"]

    def step(spelling: str) -> an.Release:
        schema = an.Schema.from_dict({**story.schema.to_dict(), "spelling": spelling})
        places = {"ledger": root / "ledger", "to": root / "releases"}
        return an.publish(story.table(3), schema, story.promise, **places)

    with pytest.raises(PlanError, match="cannot be 'merge' here"):
        step("merge")
    release = step("exact")
    assert release.description["anachron"]["spelling"] == "exact"
    assert not any("are written" in note for note in (release.explanation or {})["notes"])


def test_a_repeated_table_of_an_old_ledger_is_the_release_of_before(tmp_path: Path) -> None:
    root, story = unpacked("visits", tmp_path), STORIES["visits"]
    story.step(root, story.steps)
    assert len(an.Ledger.open(root / "ledger").entries()) == story.steps


def test_a_ledger_of_the_format_before_goes_on(tmp_path: Path) -> None:
    visits(["a", "b", "C"], 1, tmp_path, "exact")
    with closing(sqlite3.connect(tmp_path / "ledger" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("ALTER TABLE ledger DROP COLUMN people")
        catalog.execute("PRAGMA user_version = 4")
    release = visits(["a", "b", "C"], 2, tmp_path)
    assert any("as they are written" in note for note in (release.explanation or {})["notes"])
    ledger = an.Ledger.open(tmp_path / "ledger")
    assert not ledger.folds
    assert ledger.check() == []
