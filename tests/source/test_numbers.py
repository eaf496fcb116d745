"""Which columns of a text file are numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.engines.local.load import load
from anachron.schema import Schema


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "", "0"], "BIGINT"),
        (["9223372036854775807"], "BIGINT"),
        (["1.5", "2", "-0.25", "1e3"], "DOUBLE"),
        (["01234", "99999"], "VARCHAR"),
        (["1_000"], "VARCHAR"),
        (["0x1F"], "VARCHAR"),
        (["+1"], "VARCHAR"),
        ([" 1"], "VARCHAR"),
        (['"1,5"'], "VARCHAR"),
        (["9223372036854775808"], "VARCHAR"),
        (["1" * 400], "VARCHAR"),
        (["true", "false"], "VARCHAR"),
        (["2025-01-01"], "VARCHAR"),
        (["nan"], "VARCHAR"),
        (["", ""], "VARCHAR"),
        # Only the last of many rows tells.
        (["1"] * 6_000 + ["x"], "VARCHAR"),
        (["1"] * 6_000 + ["1.5"], "DOUBLE"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_column_is_numbers_if_every_cell_is(cells: list[str], kind: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("who,seen,of\n" + "".join(f"7,2025-01-01,{cell}\n" for cell in cells))
    loaded = load(file, Schema("who", "seen", ["of"]))
    assert loaded.scan.source.columns == {"who": "VARCHAR", "seen": "VARCHAR", "of": kind}
