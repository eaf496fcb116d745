"""The same table gives the same, in whatever form it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from anachron.engines.local.load import load
from anachron.engines.local.table import LocalTable
from tests.source.small import FORMS, ROWS, SCHEMA, arrow
from tests.source.small_files import FILES


def told(loaded: LocalTable) -> dict[str, object]:
    """What was read, in plain values."""
    values = loaded.subject_values.to_pylist()
    return {
        "who": [values[code] for code in loaded.subject],
        "when": loaded.instants.tolist(),
        "quasi": {
            name: [coded.values[code].as_py() for code in coded.codes]
            for name, coded in loaded.quasi.items()
        },
        "values": {name: coded.values.to_pylist() for name, coded in loaded.quasi.items()},
        "note": [note for batch in loaded.sensitive(2) for note in batch["note"].to_pylist()],
        "by": loaded.recorded_by,
        "digest": loaded.digest(),
    }


@pytest.mark.parametrize("form", [*FORMS, *FILES], ids=lambda form: form.__name__)
def test_every_form_gives_the_same(form: Callable[[Path], object], tmp_path: Path) -> None:
    loaded = load(form(tmp_path), SCHEMA)
    expected = load(arrow(), SCHEMA)
    assert told(loaded) == told(expected)
    assert loaded.rows == len(ROWS)
    assert set(loaded.scan.source.columns) == set(SCHEMA.columns)
    loaded.close()
    expected.close()


def test_values_are_as_given() -> None:
    loaded = load(arrow(), SCHEMA)
    found = told(loaded)
    assert found["who"] == ["007", "7", "Zoë", "007"]
    assert found["values"] == {"age": [5, 30, 41], "zip": ["01234", "99999", None]}
    assert found["note"] == ["=1+1", "a,b", 'say "x"', None]
    # 10:15 in Rome in winter is 09:15 UTC, midnight in summer is 22:00 UTC.
    stamps = pa.array(loaded.instants, pa.timestamp("us")).to_pylist()
    assert [f"{stamp:%m-%d %H:%M}" for stamp in stamps] == [
        "03-01 09:15",
        "07-01 22:00",
        "07-01 21:59",
        "02-29 11:00",
    ]
    assert found["by"] == "second"


def test_a_source_read_twice_keeps_its_order(tmp_path: Path) -> None:
    rows = [(str(i), ROWS[0][1], i, str(i), str(i)) for i in range(300_000)]
    loaded = load(arrow(rows), SCHEMA)
    assert loaded.quasi["age"].values.take(pa.array(loaded.quasi["age"].codes)).to_pylist() == list(
        range(300_000)
    )
    notes = [note for batch in loaded.sensitive(5_000) for note in batch["note"].to_pylist()]
    assert notes == [row[4] for row in rows]


def test_two_readings_of_sensitive_columns_do_not_disturb_each_other() -> None:
    loaded = load(arrow(), SCHEMA)
    first = loaded.sensitive(1)
    next(first)
    digest = loaded.digest()
    assert sum(batch.num_rows for batch in loaded.sensitive(1)) == len(ROWS)
    assert sum(batch.num_rows for batch in first) == len(ROWS) - 1
    assert digest == loaded.digest()
