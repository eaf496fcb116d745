"""What breaks on a release is the release's fault if the audit refutes it, and ours if not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.errors import ReleaseError
from anachron.flow.blame import blamed
from tests.release.forging import reseal, write_parquet

PEOPLE = pa.table({"who": range(12), "age": range(20, 32), "ill": ["flu", "cold", "gout"] * 4})


def test_the_audit_says_whose_fault_it_is(tmp_path: Path) -> None:
    schema = an.Schema("who", quasi="age", sensitive="ill")
    good = an.publish(PEOPLE, schema, an.MInvariance(m=3), ledger=tmp_path / "l", to=tmp_path / "r")
    bad = Path(shutil.copytree(good.path, tmp_path / "0001"))
    rows = pq.read_table(bad / "data.parquet")
    alike = pa.array(["flu Ann"] * len(rows))
    write_parquet(bad / "data.parquet", rows.set_column(3, "ill", alike))
    reseal(bad)
    with pytest.raises(KeyError, match="ours"), blamed([good]):
        raise KeyError("ours")
    refuted = pytest.raises(ReleaseError, match="is not what its description says")
    with refuted as told, blamed([good, an.Release(bad)]):
        raise KeyError("theirs")
    assert "Ann" not in str(told.value)
    with pytest.raises(MemoryError), blamed([an.Release(bad)]):
        raise MemoryError
