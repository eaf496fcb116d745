"""Files that people give cannot block or flood: pipes, devices, endless and foreign ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import anachron as an
from anachron import given
from anachron.attacking.impossible import read_impossible
from anachron.errors import InputError, LedgerError, PlanError
from anachron.given import read_text

PLAN = """
[source]
table = "t.csv"
[schema]
subject = "who"
time = "day"
quasi = ["age"]
sensitive = ["x"]
[guarantee]
method = "invariance"
m = 2
orders = { age = "order.txt" }
"""


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def test_text_is_read_with_and_without_a_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_text(tmp_path / "a") == "a\r\nb"


def test_what_is_no_ordinary_file_is_refused_at_once(tmp_path: Path) -> None:
    for path in (pipe(tmp_path), Path("/dev/zero"), tmp_path):
        with pytest.raises(PlanError, match=r"cannot be read: (it is not an ordinary file|Is a)"):
            an.Plan.read(path)
        with pytest.raises(InputError, match="cannot be read"):
            read_impossible(path)


def test_an_order_in_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    pipe(tmp_path).rename(tmp_path / "order.txt")
    with pytest.raises(PlanError, match="order cannot be read: it is not an ordinary file"):
        an.Plan.read(tmp_path / "plan.toml")


def test_a_file_that_nobody_wrote_by_hand_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "_LARGEST", 1 << 20)
    (tmp_path / "plan.toml").write_bytes(b"#" * (1 << 20))
    with pytest.raises(PlanError, match=r"\[source\] is missing"):
        an.Plan.read(tmp_path / "plan.toml")
    (tmp_path / "plan.toml").write_bytes(b"#" * ((1 << 20) + 1))
    with pytest.raises(PlanError, match="it is larger than 1 MB"):
        an.Plan.read(tmp_path / "plan.toml")


def test_links_that_lead_in_circles_are_an_error_of_the_place(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(LedgerError, match="loop"):
        an.Ledger.open(tmp_path / "loop")
    ledger = an.Ledger.open(tmp_path / "ledger")
    with pytest.raises(LedgerError, match="loop"), ledger.publishing(tmp_path / "loop"):
        pass
