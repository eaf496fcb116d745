"""Buckets that are halved on Spark are halved as on one machine."""

from __future__ import annotations

import random
import secrets
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest

import anachron as an
from anachron.methods.invariance import halve
from tests.engines.spark.parity import published, spread
from tests.engines.spark.tables import case


@pytest.mark.campaign
def test_releases_of_halved_buckets_are_the_same(spark: Any, tmp_path: Path) -> None:
    values = [f"v{n}" for n in range(8)]
    given = replace(
        case("register", 20),
        promise=an.MInvariance(m=2, mode="transparent", values=values, widths={"size": 0.25}),
    )
    here = list(given.tables[:2])
    there = [spread(spark, table, random.Random(1)) for table in here]
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with (
        patch("anachron.ledger.keys.secrets", one_key),
        patch.object(halve, "MOST", 5),
        patch.object(halve, "_halves", wraps=halve._halves) as cut,
    ):
        expected = published(given, here, tmp_path / "here")
        rounds = cut.call_count
        found = published(given, there, tmp_path / "there")
    assert sum(name.startswith("state") for name in expected) == 2
    assert rounds > 0
    assert cut.call_count == 2 * rounds
    assert found == expected
