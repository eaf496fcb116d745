"""Whoever publishes hears how many are alone by it; the release says nothing of that."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.making import openness
from tests.golden.test_golden import ALONE
from tests.placing.test_members import FEED, feed

KNOWN = ["home", "marital", "work"]
SCHEMA = an.Schema(subject="who", time="day", quasi="sex", sensitive=[*KNOWN, "income"])


def neighbours(rows: int = 400) -> pa.Table:
    """Columns that neighbours know, named sensitive: the table that a proposal once made so."""
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "who": [f"canary-{i}" for i in range(rows)],
            "day": rng.choice(["2024-05-06", "2024-05-07"], rows),
            "sex": rng.choice(["f", "m"], rows),
            "home": rng.choice(["canary flat", "house", "boat", "farm"], rows),
            "marital": rng.choice(["single", "married", "divorced", "widowed"], rows),
            "work": rng.integers(0, 30, rows),
            "income": rng.integers(0, 16, rows),
        }
    )


def publish(root: Path, table: pa.Table, schema: an.Schema = SCHEMA, promise=None) -> an.Release:
    given = promise or an.TimeGranularity(k=5)
    return an.publish(table, schema, given, ledger=root / "ledger", to=root / "releases")


def note(release: an.Release) -> str:
    [found] = [note for note in release.explanation["notes"] if ALONE in note]
    return found


def test_a_promise_that_is_kept_and_leaves_most_people_alone(tmp_path: Path) -> None:
    """Regression: 5,796 of 19,609 rows were unique by what was published, and nobody said so."""
    table = neighbours()
    release = publish(tmp_path, table)
    assert an.audit(release, table=table, schema=SCHEMA).holds
    told = note(release)
    [finding] = an.attack(release, table=table, schema=SCHEMA, only=["uniqueness"])
    assert finding.exposed > 200
    assert told.startswith(f"{finding.exposed:,} of 400 people (")
    for column in SCHEMA.sensitive:
        assert repr(column) in told
    assert "schema.quasi" in told
    assert "canary" not in told


def test_few_are_not_worth_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = neighbours().drop_columns(["work", "income"])
    schema = an.Schema(subject="who", time="day", quasi="sex", sensitive=["home", "marital"])
    release = publish(tmp_path, table, schema)
    assert release.explanation["notes"] == []
    # One in 20 is still few; one more is not.
    plain = {"day": ["2024-05-06"] * 20, "sex": ["f"] * 20}
    for odd in (1, 2):
        homes = ["house"] * (20 - odd) + [f"boat {i}" for i in range(odd)]
        some = pa.table({"who": range(20), "home": homes, "marital": ["x"] * 20, **plain})
        release = publish(tmp_path / str(odd), some, schema)
        assert [ALONE in note for note in release.explanation["notes"]] == [True] * (odd == 2)
    assert Fraction(1, 20) == openness.MANY


def test_people_are_counted_and_not_rows(tmp_path: Path) -> None:
    table = neighbours(40)
    again = pa.concat_tables([table] * 3)
    release = publish(tmp_path, again)
    assert " of 40 people (" in note(release)
    assert release.rows == 120


def test_nothing_of_it_is_in_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_key: None
) -> None:
    """The note is the owner's: with any share, the release has the same bytes."""
    table, bytes_ = neighbours(60), []
    for share in (Fraction(0), Fraction(1)):
        monkeypatch.setattr(openness, "MANY", share)
        release = publish(tmp_path / str(share), table)
        assert [ALONE in note for note in release.explanation["notes"]] == [True] * (share == 0)
        files = sorted(path for path in release.path.rglob("*") if path.is_file())
        bytes_.append({path.name: path.read_bytes() for path in files})
    assert bytes_[0] == bytes_[1]
    assert not [name for name, content in bytes_[0].items() if b"alone" in content]
    again = an.Release(tmp_path / "0" / "releases" / "0001")
    assert again.explanation is None


def test_a_feed_by_anatomy_tells_the_way_to_hide_who_is_there(tmp_path: Path) -> None:
    release = publish(tmp_path, feed(), FEED, an.Reposition(l=3, window=3))
    told = note(release)
    assert "generalize" in told
    assert all(repr(column) in told for column in FEED.quasi)
    boxes = an.Reposition(l=3, window=3, then="generalize", orders={"sex": ["f", "m"]})
    other = publish(tmp_path / "boxes", feed(), FEED, boxes)
    assert not [note for note in other.explanation["notes"] if ALONE in note]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    pq.write_table(neighbours(), "people.parquet")
    an.Plan("people.parquet", SCHEMA, an.TimeGranularity(k=5)).write("plan.toml")
    return "plan.toml"


def test_on_the_command_line(plan: str) -> None:
    done = CliRunner().invoke(anachron, ["publish", plan])
    assert done.exit_code == 0, done.output
    assert "Note: " in done.stdout
    assert ALONE in done.stdout
    told = json.loads(CliRunner().invoke(anachron, ["publish", plan, "--json"]).stdout)
    assert [ALONE in note for note in told["notes"]] == [True]
    # Quiet is not blind: what the owner must know goes to stderr.
    quiet = CliRunner().invoke(anachron, ["publish", plan, "--quiet"])
    assert (quiet.exit_code, quiet.stdout) == (0, "")
    assert ALONE in quiet.stderr
    assert len(quiet.stderr.splitlines()) == 1
