"""Releases of a register by name: that there is one tells nothing of what is in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv

import anachron as an
from anachron.cli.main import anachron as main
from anachron.errors import AlreadyPublished, PlanError, ReleaseError
from tests.flow.registers import PLAIN, SCHEMA, as_table, clinic, promise, released
from tests.flow.tables import PAPER, PAPER_SCHEMA, contents

ILLNESSES = ["asthma", "burn", "cold", "flu", "hiv"]


def register(**ill: str) -> pa.Table:
    return pa.table({"who": list(ill), "age": [30 + i for i in range(len(ill))],
                     "ill": list(ill.values())})  # fmt: skip


SAME = register(Ann="flu", Ben="hiv")
CHANGED = register(Ann="hiv", Ben="hiv")


def publish(root: Path, table: pa.Table, as_of: str | None, **parts: Any) -> an.Release:
    given = {"m": 2, "mode": "sticky", "values": ILLNESSES, **parts}
    return released(table, root, an.MInvariance(**given), schema=PLAIN, as_of=as_of)


@pytest.mark.parametrize("mode", ["paper", "transparent", "sticky"])
def test_another_name_is_another_release_and_the_same_name_the_same(
    tmp_path: Path, mode: str
) -> None:
    first = publish(tmp_path, SAME, "spring", mode=mode)
    assert first.description["anachron"]["as_of"] == "spring"
    assert publish(tmp_path, SAME, "spring", mode=mode).path == first.path
    second = publish(tmp_path, SAME, "summer", mode=mode)
    assert (second.number, second.description["anachron"]["as_of"]) == (2, "summer")
    # Also once there are later ones, and if its folder was lost.
    before = contents(tmp_path / "releases")
    shutil.rmtree(first.path)
    assert publish(tmp_path, SAME, "spring", mode=mode).number == 1
    assert contents(tmp_path / "releases") == before
    assert an.audit(tmp_path / "releases", ledger=tmp_path / "ledger").holds


def test_the_same_name_for_another_table_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, SAME, "spring")
    publish(tmp_path, SAME, "summer")
    before = contents(tmp_path / "releases")
    with pytest.raises(AlreadyPublished, match="release 1 is the one as of 'spring'"):
        publish(tmp_path, CHANGED, "spring")
    with pytest.raises(AlreadyPublished, match="with another schema or guarantee"):
        publish(tmp_path, SAME, "spring", when_ineligible="hold")
    assert contents(tmp_path / "releases") == before
    assert len(an.Ledger.open(tmp_path / "ledger").entries()) == 2


def test_without_a_name_the_last_release_is_given_again(tmp_path: Path) -> None:
    assert "as_of" not in publish(tmp_path, SAME, None).description["anachron"]
    assert publish(tmp_path, SAME, None).number == 1
    assert publish(tmp_path, SAME, "summer").number == 2
    lost = publish(tmp_path, SAME, None)
    assert lost.number == 2
    before = contents(tmp_path / "releases")
    shutil.rmtree(lost.path)
    assert publish(tmp_path, SAME, None).description["anachron"]["as_of"] == "summer"
    assert contents(tmp_path / "releases") == before


def test_a_change_inside_the_set_leaves_no_trace_in_what_is_published(tmp_path: Path) -> None:
    """The same bytes, and next time too: one ledger, and two things that may be true."""
    start, files = tmp_path / "root", []
    publish(start, SAME, "spring")
    shutil.copytree(start, tmp_path / "copy")
    for ann in ("flu", "hiv"):
        shutil.rmtree(start)
        shutil.copytree(tmp_path / "copy", start)
        now = register(Ann=ann, Ben="hiv", Cid="burn", Dea="cold")
        release = publish(start, now, "summer")
        assert an.audit(release, table=now, ledger=start / "ledger").holds
        publish(start, register(Ann=ann, Ben="hiv"), "autumn")
        files.append(contents(start / "releases"))
    assert len(files[0]) > 8
    assert files[0] == files[1]


def test_names_are_for_registers_and_short(tmp_path: Path) -> None:
    events = an.TimeGranularity(k=2)
    with pytest.raises(PlanError, match="as_of names a release of a register"):
        an.publish(PAPER, PAPER_SCHEMA, events, ledger=tmp_path / "l", to=tmp_path / "r", as_of="x")
    for name in ("", " spring", "spring ", "two\nlines", "x" * 81, "\x7f", 2024):
        with pytest.raises(PlanError, match="a short text in one line"):
            publish(tmp_path, SAME, name)  # type: ignore[arg-type]
    assert not (tmp_path / "releases").exists()
    assert publish(tmp_path, SAME, "x" * 80).number == 1


def test_a_name_that_was_altered_is_noticed(tmp_path: Path) -> None:
    file = publish(tmp_path, SAME, "spring").path / "datapackage.json"
    good = json.loads(file.read_text())
    for name in ("", None, "two\nlines", ["spring"]):
        _write(file, {**good, "anachron": {**good["anachron"], "as_of": name}})
        with pytest.raises(ReleaseError, match=r"anachron\.as_of"):
            an.Release(file.parent)
    _write(file, {**good, "anachron": {**good["anachron"], "as_of": "summer"}})
    assert an.Release(file.parent).description["anachron"]["as_of"] == "summer"
    assert an.Ledger.open(tmp_path / "ledger").check()


def _write(file: Path, said: dict[str, Any]) -> None:
    file.write_text(json.dumps(said, sort_keys=True, indent=2, ensure_ascii=False) + "\n")


def test_on_the_command_line(tmp_path: Path) -> None:
    csv.write_csv(as_table(clinic()), tmp_path / "people.csv")
    plan = an.Plan(tmp_path / "people.csv", SCHEMA, promise(mode="sticky"),
                   ledger=tmp_path / "ledger", releases=tmp_path / "releases")  # fmt: skip
    (tmp_path / "plan.toml").write_text(plan.to_toml(tmp_path))
    for name, number in (("2024-03-31", 1), ("2024-06-30", 2), ("2024-06-30", 2)):
        words = ["publish", str(tmp_path / "plan.toml"), "--as-of", name, "--json"]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout)["release"].endswith(f"{number:04d}")
    shown = CliRunner().invoke(main, ["ledger", "show", str(tmp_path / "ledger")])
    assert "as of 2024-06-30" in shown.output
