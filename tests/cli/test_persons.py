"""People of two columns, known again by processes that know nothing but the ledger."""

from __future__ import annotations

import json
from pathlib import Path

from anachron.ledger import Ledger
from tests.cli.test_processes import call

PLAN = """
[source]
table = "first.csv"
[schema]
subject = ["clinic", "number"]
quasi = ["age"]
sensitive = ["ill"]
[guarantee]
method = "invariance"
m = 2
"""
ILLS = ("asthma", "burn", "cold")


def register(file: Path, people: range, spelling: str = "{}") -> None:
    """Numbers begin anew in every clinic, so that neither column is a person."""
    rows = [
        f"{spelling.format('North' if i % 2 else 'South')},{i // 2},{20 + i},{ILLS[i % 3]}"
        for i in people
    ]
    file.write_text("\n".join(["clinic,number,age,ill", *rows, ""]))


def test_a_register_from_process_to_process(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    register(tmp_path / "first.csv", range(24))
    register(tmp_path / "second.csv", range(6, 36), " {} ")

    def told(*words: str, code: int = 0) -> dict[str, object]:
        done = call(*words, "--json", folder=tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        return dict(json.loads(done.stdout))

    told("publish", "plan.toml")
    told("publish", "plan.toml", "--table", "second.csv")
    with Ledger.open(tmp_path / "ledger").publishing(tmp_path / "releases") as opened:
        known = [entry.explanation["known"] for entry in opened.entries]
    assert known == [0, 18]
    assert told("audit", "releases", "--plan", "plan.toml", "--table", "second.csv")["holds"]
    other = tmp_path / "other.toml"
    other.write_text(PLAN.replace('["clinic", "number"]', '"number"'))
    register(tmp_path / "first.csv", range(0, 24, 2))
    refused = told("publish", "other.toml", code=2)
    assert "subject must not change in a history of releases" in str(refused)
