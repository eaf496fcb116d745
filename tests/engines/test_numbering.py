"""Texts that are numbered by their hashes have the numbers that they would have by themselves."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anachron.behind.columns import coded, coded_texts
from anachron.engines.local.coded import encode, encode_texts

READERS = [(encode, encode_texts), (coded, coded_texts)]


@pytest.mark.parametrize(("plainly", "by_hash"), READERS, ids=["engine", "audit"])
@given(st.lists(st.lists(st.one_of(st.none(), st.text("abé", max_size=2)))), st.integers(1, 5))
def test_as_by_the_texts_themselves(plainly, by_hash, chunks, kinds) -> None:
    """Even where most texts share a hash, or have none."""
    texts = pa.chunked_array(chunks, pa.string())
    hashes = [[None if text is None else hash(text) % kinds for text in some] for some in chunks]
    expected, found = plainly(texts), by_hash(texts, pa.chunked_array(hashes, pa.uint64()))
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.values.equals(expected.values)
