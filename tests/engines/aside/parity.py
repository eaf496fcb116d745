"""The same release from pieces on a disk as from memory: all bytes, states, and refusals.

``python -m tests.engines.aside.parity --cases 200``
"""

from __future__ import annotations

import argparse
import random
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import anachron as an
from anachron.errors import AnachronError
from tests.engines.spark.parity import kept
from tests.engines.spark.tables import Case, case

__all__ = ["different", "in_pieces", "published"]


@contextmanager
def in_pieces(rows: int) -> Iterator[None]:
    """Let no table fit into memory, and hold so many rows at a time."""
    with (
        patch("anachron.engines.local.scan.fits", lambda *_: False),
        patch("anachron.engines.local.scan.rows_at_once", lambda _: rows),
    ):
        yield


def published(given: Case, tables: list[Any], folder: Path) -> dict[str, Any]:
    """All that came of publishing some tables: files, states and explanations, or the refusal."""
    told: dict[str, Any] = {}
    for number, table in enumerate(tables):
        try:
            an.publish(table, given.schema, given.promise, ledger=folder / "ledger",
                       to=folder / "releases", accept=given.accept)  # fmt: skip
        except AnachronError as error:
            told[f"refused {number}"] = type(error).__name__, str(error)
    return told | kept(folder)


def different(seed: int) -> list[str]:
    """What is not the same in pieces: nothing, if all is well."""
    rng, given = random.Random(seed), case("events", seed)
    one_key = SimpleNamespace(token_bytes=lambda n: bytes(range(n)), token_hex=secrets.token_hex)
    with tempfile.TemporaryDirectory() as folder, patch("anachron.ledger.keys.secrets", one_key):
        here = published(given, list(given.tables), Path(folder) / "here")
        with in_pieces(-(-given.tables[0].num_rows // rng.choice([1, 2, 5]))):
            there = published(given, list(given.tables), Path(folder) / "there")
    return [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]


def main() -> None:
    """Compare many tables, and tell of the differences."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    wrong = 0
    for seed in range(asked.first, asked.first + asked.cases):
        if found := different(seed):
            print(f"{seed}: {found}", flush=True)
            wrong += 1
    print(f"{asked.cases} cases, {wrong} different")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
