"""A feed of rows without a name, of which some are alike in all columns."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import anachron as an
from anachron.behind import read
from anachron.engines.local.load import load
from tests.daily import daily

SECRET = bytes(range(40))
SCHEMA = an.Schema("each row", "day", "ward", "ill")
PROMISES = {
    "anatomy": an.Reposition(l=2, window=3),
    "late": an.Reposition(l=2, window=2, late="recycle"),
    "rolling": an.Reposition(l=2, window=3, solver="rolling"),
    "generalize": an.Reposition(l=2, window=2, then="generalize"),
}


def rows(day: int, many: int = 40) -> pa.Table:
    """So few wards and illnesses that most rows have a double."""
    luck = random.Random(day)
    return pa.table(
        {
            "day": [f"2024-05-{1 + day:02}"] * many,
            "ward": [luck.randrange(3) for _ in range(many)],
            "ill": [luck.choice(("flu", "flu", "flu", "burn", "cold")) for _ in range(many)],
        }
    )


@pytest.mark.parametrize("name", daily(PROMISES, "anatomy"))
def test_they_are_told_apart_to_the_end(tmp_path: Path, name: str) -> None:
    plan = an.Plan("feed.csv", SCHEMA, PROMISES[name], ledger="ledger", releases="releases")
    plan.write("plan.toml")
    for day in range(5):
        an.open(plan).push(rows(day))
    # What waits is read back by another process, which knows the rows by their keys alone.
    subprocess.run([sys.executable, "-m", "anachron", "push", "plan.toml", "--end"], check=True)
    whole = pa.concat_tables([rows(day) for day in range(5)])
    released = sorted((tmp_path / "releases").iterdir())
    for release in released:
        told = an.audit(release, table=whole, schema=SCHEMA, ledger="ledger")
        assert told.word == "holds", told
    shown = sum(an.Release(release).table().num_rows for release in released)
    assert 0.8 * len(whole) < shown <= len(whole)


def test_both_readers_give_each_row_a_key_of_its_own() -> None:
    table = rows(1, 300)
    with closing(load(table, SCHEMA)) as one, closing(read(table, SCHEMA)) as other:
        keys = one.row_keys(SECRET)
        assert len(np.unique(keys, axis=0)) == 300
        assert (other.row_keys(SECRET) == keys).all()
        flu = np.array([ill == "flu" for ill in table["ill"].to_pylist()])
        assert (other.row_keys(SECRET, ["flu"]) == np.where(flu[:, None], keys, 0)).all()
    shuffled = table.take(np.random.default_rng(1).permutation(300))
    with closing(load(shuffled, SCHEMA)) as again:
        assert {*map(tuple, again.row_keys(SECRET).tolist())} == {*map(tuple, keys.tolist())}
