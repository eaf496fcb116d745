"""All attacks that apply, and those that could not be tried."""

from __future__ import annotations

from importlib import import_module

import pyarrow as pa
import pytest

from anachron.attacking import run
from anachron.attacking.finding import Finding
from anachron.attacking.run import ATTACKS, applying, attack_all, left_out
from anachron.errors import InputError, ReleaseError
from tests.attacking.knowing import known_of
from tests.attacking.registers import SCHEMA, crowd, released

METHODS = ("granularity", "invariance", "patterns", "reposition")


@pytest.fixture
def known(tmp_path):
    return released(tmp_path, crowd(1, 60, 9, 2), m=2)


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_explains_itself(name: str) -> None:
    module = import_module(f"anachron.attacking.{name}")
    assert len(module.__doc__.split()) > 80
    assert module.NEEDS
    assert any(name in applying([method]) for method in METHODS)


def test_which_apply() -> None:
    for method in METHODS:
        names = applying([method])
        assert "order" in names
        assert list(names) == [name for name in ATTACKS if name in names]
    assert {"swap", "equivalence", "intersection"} <= set(applying(["invariance"]))
    assert "swap" not in applying(["reposition"])
    assert {"swap", "cover"} <= set(applying(["invariance", "reposition"]))
    assert applying(["invariance"], ["equivalence", "swap"]) == ("swap", "equivalence")


def test_names_that_are_none() -> None:
    with pytest.raises(InputError, match="did you mean 'equivalence'"):
        applying(["invariance"], ["equivalents"])
    with pytest.raises(InputError, match="there are intersection, swap"):
        applying(["invariance"], ["zzz"])
    with pytest.raises(InputError, match="'share' does not apply to this release; intersection,"):
        applying(["invariance"], ["share"])


def test_all_of_them(known) -> None:
    heard = []
    found = attack_all(known, tell=lambda what, share: heard.append((what, share)))
    assert [one.attack for one in found] == [
        name for name in applying(["invariance"]) if name != "plausibility"
    ]
    assert heard[0] == ("trying intersection", 0.0)
    assert len(heard) == len(applying(["invariance"]))
    assert all(0 <= share < 1 for _, share in heard)
    for one in found:
        assert 0 <= one.exposed <= one.people
        assert one.about.endswith(".")
        assert one.to_dict()["figures"] == dict(one.figures)
    [(name, needs)] = left_out(known.methods, found)
    assert name == "plausibility"
    assert "--impossible" in needs


def test_without_ledger_and_table(known, tmp_path) -> None:
    alone = known_of(tmp_path, known.release, None, SCHEMA, ledger=False)
    found = attack_all(alone)
    assert {one.attack for one in found}.isdisjoint({"intersection", "swap", "equivalence"})
    assert {"intersection", "swap"} <= {name for name, _ in left_out(alone.methods, found)}


def test_only_some(known) -> None:
    assert [one.attack for one in attack_all(known, ["cumulative"])] == ["cumulative"]


def test_what_readers_say_is_not_repeated(known, monkeypatch) -> None:
    class Broken:
        NEEDS = "release"

        @staticmethod
        def attack(known):
            raise pa.ArrowInvalid("a cell of the table")

    monkeypatch.setattr(run, "_module", lambda _name: Broken)
    with pytest.raises(ReleaseError, match="cannot be read") as caught:
        attack_all(known)
    assert "a cell" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("holds", "word"), [(True, "holds"), (False, "fails"), (None, "not promised")]
)
def test_in_one_line(holds: bool | None, word: str) -> None:
    finding = Finding("x", "An attack", "much", 3, 4_000, "little", "3", holds)
    assert str(finding) == f"An attack: 3 of 4,000 people exposed ({word})"
