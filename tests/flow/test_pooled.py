"""New people who join others, as an owner meets it: by plan, by command, later in a history."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.errors import PlanError
from tests.flow.registers import as_table, promise, released, three_quarters

PLAN = """
[source]
table = "first.csv"

[schema]
subject = "who"
quasi = ["age"]
sensitive = ["illness"]

[guarantee]
method = "invariance"
m = 2
mode = "transparent"
balance = "pooled"

[destination]
ledger = "ledger"
releases = "releases"
"""
FIRST = "who,age,illness\nAnn,31,flu\nBen,35,gout\n"
SECOND = (
    "who,age,illness\nAnn,31,flu\nEva,33,flu\nFay,40,gout\nGil,44,asthma\nHal,52,cough\n"
)  # fmt: skip


def test_by_plan_and_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("plan.toml", PLAN), ("first.csv", FIRST), ("second.csv", SECOND)):
        Path(name).write_text(text)
    for more in ([], ["--table", "second.csv"]):
        done = CliRunner().invoke(anachron, ["publish", "plan.toml", *more])
        assert done.exit_code == 0, done.stderr
        assert "transparent (balance: pooled)" in done.output
    audited = CliRunner().invoke(anachron, ["audit", "releases/0002", "--ledger", "ledger"])
    assert audited.exit_code == 0
    sets: dict[int, set[str]] = {}
    for row in an.Release("releases/0002").table().to_pylist():
        sets.setdefault(row["group"], set()).add(row["illness"])
    assert {frozenset(values) for values in sets.values()} == {
        frozenset({"flu", "gout"}), frozenset({"asthma", "cough"}),
    }  # fmt: skip


def test_it_begins_and_ends_in_the_middle_of_a_history(tmp_path: Path) -> None:
    for people, balance in zip(three_quarters(), ("exact", "pooled", "exact"), strict=True):
        release = released(people, tmp_path, promise(mode="transparent", balance=balance))
        verdict = an.audit(release, table=as_table(people), ledger=tmp_path / "ledger")
        assert verdict.holds


@pytest.mark.parametrize("mode", ["paper", "sticky"])
def test_other_modes_have_none(mode: str) -> None:
    with pytest.raises(PlanError, match=rf'"pooled" is not for mode "{mode}"'):
        an.MInvariance(m=2, mode=mode, balance="pooled")
    with pytest.raises(PlanError, match="balance"):
        an.MInvariance(m=2, mode="transparent", balance="pool")
