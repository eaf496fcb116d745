"""Flip single bits in the files of a ledger: each flip is noticed, or changes nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa

from anachron.errors import LedgerError
from anachron.ledger import Entry, Ledger
from tests.crash.small import wanted

TARGETS = ("catalog.sqlite", "key", "state/0002.encrypted", "feed/0001.encrypted")


def flip_many(root: Path, target: str, luck: Random, times: int) -> int:
    """Flip one bit at a time, look, and put it back; return how many flips were noticed."""
    catalog, damaged = root / "ledger" / "catalog.sqlite", root / "ledger" / target
    whole = {path: path.read_bytes() for path in (catalog, damaged)}
    expected = look(root)
    noticed = 0
    for _ in range(times):
        content = bytearray(whole[damaged])
        bit = luck.randrange(8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
        damaged.write_bytes(content)
        try:
            assert look(root) == expected, f"bit {bit} of {target} changed the ledger in silence"
        except LedgerError:
            noticed += 1
        for path, original in whole.items():
            path.write_bytes(original)
        for rest in ("-wal", "-shm"):
            catalog.with_name(catalog.name + rest).unlink(missing_ok=True)
    assert look(root) == expected
    return noticed


def look(root: Path) -> tuple[list[Entry], dict[int, int], pa.Table | None]:
    """All that a publisher would take from the ledger."""
    ledger = Ledger.open(root / "ledger")
    people = ledger.pseudonyms(pa.array(["everybody"]))
    with ledger.publishing(root / "releases") as publication:
        overlapping = publication.overlapping(wanted(people, 0, 99))
        remembered = publication.feed()
    return ledger.entries(), overlapping, remembered
