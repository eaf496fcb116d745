from __future__ import annotations

import hmac
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.ledger import Ledger
from anachron.ledger.pseudonyms import pseudonyms

KEY = bytes(range(32))


def one(value: object, kind: pa.DataType | None = None) -> bytes:
    return bytes(pseudonyms(KEY, pa.array([value], kind))[0].as_py())


def test_a_pseudonym_is_the_keyed_digest_of_the_value() -> None:
    expected = hmac.digest(KEY, b"subject\0Ann", "sha256")
    assert one("Ann") == expected
    assert pseudonyms(KEY, pa.array(["Ann"])).type == pa.binary(32)


@pytest.mark.parametrize(
    "same",
    [
        pa.array([7], pa.int8()),
        pa.array([7], pa.uint64()),
        pa.array([7.0]),
        pa.array([Decimal("7.00")]),
        pa.array([" 7 "]),
        pa.array(["7"], pa.large_string()),
        pa.array(["7"]).dictionary_encode(),
        pa.chunked_array([["7"]]),
        pa.chunked_array([pa.array(["7"]).dictionary_encode()]),
    ],
    ids=lambda values: str(values.type),
)
def test_a_person_has_one_pseudonym_however_the_table_is_stored(same: pa.Array) -> None:
    assert pseudonyms(KEY, same)[0].as_py() == one("7")


def test_both_ways_to_write_an_accent_are_one_person() -> None:
    assert one("Ren\u00e9") == one("Rene\u0301")


@pytest.mark.parametrize("other", ["07", "8", 7.5, "7a", "", True, b"1:7"])
def test_different_people_have_different_pseudonyms(other: object) -> None:
    assert one(other) != one(7)


def test_order_repetition_and_gaps_are_kept() -> None:
    found = pseudonyms(KEY, pa.array(["b", None, "a", "b"])).to_pylist()
    assert found == [one("b"), None, one("a"), one("b")]


def test_each_ledger_has_a_key_of_its_own(tmp_path: Path) -> None:
    first, second = Ledger.open(tmp_path / "a"), Ledger.open(tmp_path / "b")
    assert first.key != second.key
    assert first.id != second.id
    assert first.pseudonyms(pa.array(["x"])) != second.pseudonyms(pa.array(["x"]))
    assert first.pseudonyms(pa.array(["x"])) == Ledger.open(tmp_path / "a").pseudonyms(
        pa.array(["x"])
    )
