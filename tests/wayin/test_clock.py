"""How times are written, and whose clock they show: what a plan can say, `init` can be told."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron

ROWS = range(60)
TABLE = pa.table({
    "patient": [f"u{row % 20}" for row in ROWS],
    "born_on": [f"1970-01-{1 + row % 20:02}" for row in ROWS],
    "admitted": [f"{1 + row % 28:02}.0{1 + row % 6}.2024 1{row % 10}:30" for row in ROWS],
    "sex": [("f", "m")[row % 2] for row in ROWS],
})  # fmt: skip
FORMAT = "%d.%m.%Y %H:%M"


def test_without_a_format_such_texts_are_no_times() -> None:
    assert an.propose(TABLE).columns("time") != ("admitted",)


@pytest.mark.parametrize("time", [None, "admitted"])
def test_texts_that_are_written_so_are_the_times(time: str | None) -> None:
    found = an.propose(
        TABLE, time=time, time_format=FORMAT, stored_zone="UTC", time_zone="Europe/Rome"
    )
    assert found.columns("time") == ("admitted",)
    assert found.schema is not None
    assert found.guarantee is not None
    assert (found.schema.time_format, found.schema.stored_zone) == (FORMAT, "UTC")
    assert found.guarantee.to_dict()["granularities"][0] == "quarter_hour"
    tried = an.trial(an.Plan("t.csv", found.schema, found.guarantee), table=TABLE)
    assert all(row.kept for row in tried)


@pytest.mark.parametrize(("time", "says"), [
    (None, "there is no column of texts that are all written so"),
    ("admitted", "column 'admitted': is no column of texts that are all written so"),
])  # fmt: skip
def test_a_format_that_does_not_fit_is_refused(time: str | None, says: str) -> None:
    with pytest.raises(an.AnachronError, match=says):
        an.propose(TABLE, time=time, time_format="%m/%d/%Y")


def test_init_writes_them_into_the_plan(tmp_path: Path) -> None:
    lines = [",".join(map(str, row.values())) for row in TABLE.to_pylist()]
    table, plan = tmp_path / "t.csv", tmp_path / "plan.toml"
    table.write_text("\n".join([",".join(TABLE.column_names), *lines]) + "\n", encoding="utf-8")
    options = ["--time-format", FORMAT, "--stored-zone", "UTC", "--time-zone", "Europe/Rome"]
    done = CliRunner().invoke(anachron, ["init", str(table), *options, "-o", str(plan)])
    assert done.exit_code == 0, done.output
    schema = an.Plan.read(plan).schema
    assert (schema.time_format, schema.stored_zone, schema.time_zone) == (
        FORMAT,
        "UTC",
        "Europe/Rome",
    )
    done = CliRunner().invoke(anachron, ["publish", str(plan), "--trial"])
    assert done.exit_code == 0, done.output
