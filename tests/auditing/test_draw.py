"""Whoever decides by quasi values who gets which set of values is found out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.auditing.evidence.draw import excess
from anachron.errors import InternalError
from anachron.ledger import Ledger
from anachron.methods.invariance.lots import KeyedLots

SCHEMA = an.Schema(subject="who", quasi=["sex", "age"], sensitive="ill")
PEOPLE = 3_000


def register() -> pa.Table:
    draws = np.random.default_rng(1)
    weights = 1 / np.arange(3, 12)
    return pa.table(
        {
            "who": np.arange(PEOPLE),
            "sex": draws.integers(0, 2, PEOPLE),
            "age": draws.integers(0, 90, PEOPLE),
            "ill": draws.choice(9, PEOPLE, p=weights / weights.sum()),
        }
    )


@pytest.mark.parametrize("mode", ["paper", "transparent", "sticky"])
def test_a_fair_draw_leaves_no_trace(mode: str, tmp_path: Path) -> None:
    given = {"ledger": tmp_path / "ledger", "to": tmp_path / "releases"}
    release = an.publish(register(), SCHEMA, an.MInvariance(m=3, mode=mode), **given)
    verdict = an.audit(release, table=register(), ledger=given["ledger"])
    (draw,) = (check for check in verdict.checks if check.name == "draw")
    assert draw.holds
    assert draw.measured.endswith("people compared")


def test_the_youngest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pick in the order of a quasi value: the audit refuses the release for this reason alone."""
    table = register()
    ledger = Ledger.open(tmp_path / "ledger")
    ages = dict(
        zip(ledger.pseudonyms(table["who"].combine_chunks()).to_pylist(),
            table["age"].to_pylist(), strict=True)
    )  # fmt: skip

    def by_age(self: KeyedLots, purpose: str, subjects: np.ndarray) -> np.ndarray:
        age = np.array([ages[bytes(subject)] for subject in subjects])
        return np.argsort(np.argsort(age, kind="stable"))

    monkeypatch.setattr(KeyedLots, "subjects", by_age)
    with pytest.raises(InternalError, match=r"\(draw\)"):
        an.publish(
            table, SCHEMA, an.MInvariance(m=3), ledger=tmp_path / "ledger", to=tmp_path / "releases"
        )
    assert list((tmp_path / "releases").glob("0*")) == []


def test_chance_is_not_mistaken_for_intent() -> None:
    draws = np.random.default_rng(2)
    found = []
    for _ in range(200):
        # Sets go with values, and quasi values go with values; nothing else goes together.
        value = draws.integers(0, 6, 3_000)
        signature = (value + draws.integers(0, 3, 3_000)) % 7
        low = draws.random(3_000) < draws.choice([0.1, 0.3, 0.5], 6)[value]
        found.append(excess(value, signature, low)[0])
    assert max(found) < 5
    assert abs(float(np.mean(found))) < 0.3


def test_few_people_tell_nothing() -> None:
    value = np.zeros(60, dtype=np.int64)
    signature = np.arange(60) % 3
    assert excess(value, signature, signature == 0) == (0.0, 0)
    assert excess(value[:0], signature[:0], signature[:0] == 0) == (0.0, 0)
