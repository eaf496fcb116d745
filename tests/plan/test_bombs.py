"""Plans that would keep a reader busy are refused at once, by what they declare."""

from __future__ import annotations

from pathlib import Path

import pytest

import anachron as an
from anachron.errors import PlanError

PLAN = """
[source]
table = "t.csv"
[schema]
subject = "who"
time = "day"
[guarantee]
method = "granularity"
k = 2
granularities = ["day"]
"""
MANY = 20_000
BOMBS = {
    "keys": (PLAN + "\n".join(f"k{i} = 1" for i in range(MANY)), "has more than 10,000 keys"),
    "sections": ("\n".join(f"[s{i}]" for i in range(MANY)), "has more than 10,000 keys"),
    "joined keys": ("a." * 30_000 + "b = 1", "nested too deeply"),
    "joined keys in quotes": ("x = {" + '"a" . ' * 30_000 + "b = 1}", "nested too deeply"),
    "lists in lists": ("a = " + "[" * 5_000, "nested too deeply"),
    "definitions": (
        PLAN + "\n".join(f"[calendar.g{i}]\nevery = 1\n" for i in range(300)),
        "300 granularities; up to 200",
    ),
    "the same granularity": (
        PLAN.replace('["day"]', str(["day"] * MANY)), "'day' is offered twice"
    ),
    "unknown granularities": (
        PLAN.replace('["day"]', str([f"g{i}" for i in range(MANY)])),
        "has further problems, which are not looked for",
    ),
    "a large file": ("#" * (5 << 20), "is larger than 4 MB"),
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused(bomb: str, tmp_path: Path) -> None:
    text, says = BOMBS[bomb]
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(PlanError, match=says) as refused:
        an.Plan.read(tmp_path / "plan.toml")
    assert len(refused.value.problems) <= 101


def test_long_names_and_texts_are_no_bombs(tmp_path: Path) -> None:
    dotted = ".".join(["www"] * 20)
    text = PLAN.replace("t.csv", f"{dotted}.csv") + "# " + "x" * 1_000_000
    (tmp_path / "plan.toml").write_text(text)
    assert an.Plan.read(tmp_path / "plan.toml").source.table.endswith("www.csv")


def test_as_many_columns_are_missing_as_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("who,day\nann,2024-05-06\n")
    schema = an.Schema("who", "day", [f"q{i}" for i in range(2_000)])
    with pytest.raises(an.AnachronError) as refused:
        an.publish(tmp_path / "t.csv", schema, an.TimeGranularity(k=2), ledger=tmp_path / "l")
    assert str(refused.value).count("\n") == 100
    assert str(refused.value).endswith("has further columns that are missing, or not one.")
