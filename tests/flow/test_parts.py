"""A release of many small parts is the release in one part: whoever reads it gets the same."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.cli.main import anachron
from anachron.flow.answers import askable
from anachron.ledger import Ledger
from tests.golden.stories import STORIES
from tests.ledger.stories import Story
from tests.release.parting import of_rows, parts_of_rows

NAMES = ("ladders", "visits", "declared", "apart", "cells", "careful", "in time", "diverse",
         "naive")  # fmt: skip
"""All four methods, with rows and values in one table and in two."""
DAILY = ("ladders", "apart", "cells", "diverse")


@pytest.fixture(autouse=True)
def _one_key(one_key: None) -> None:
    """Nothing is by chance."""


def told(story: Story, root: Path) -> dict[str, Any]:
    """All that can be learned from the last release of a story, with and without the table."""
    for number in range(1, story.steps + 1):
        story.step(root, number)
    release = an.Release(max((root / "releases").iterdir()))
    feed = isinstance(story.promise, an.Reposition)
    steps = range(1, story.steps + 1) if feed else [story.steps]
    table = pa.concat_tables([story.table(number) for number in steps])
    owner: dict[str, Any] = {"table": table, "schema": story.schema, "ledger": root / "ledger"}
    return {
        "files": len([*release.path.glob("*.parquet")]) - len(release.tables),
        "rows": {name: release.table(name).to_pydict() for name in release.tables},
        "csv": {file.name: file.read_bytes() for file in release.path.glob("*.csv")},
        "audit": _plain(an.audit(release, table=table, ledger=root / "ledger")),
        "alone": _plain(an.audit(release)),
        "history": _plain(
            an.audit(root / "releases", table=table if feed else None, ledger=root / "ledger")
        ),
        "answers": [str(release.ask(question)) for question in askable(release)[1]],
        "attacks": _plain(an.attack(release, **owner)),
        "utility": _plain(an.utility(release, **owner, questions=20)),
    }


def _plain(one: Any) -> Any:
    plain = one.to_dict() if hasattr(one, "to_dict") else [_plain(item) for item in one]
    return json.loads(json.dumps(plain, default=str, sort_keys=True))


def same(name: str, part: int, after: int, root: Path) -> None:
    """Tell a story twice, of other tables than the golden ones, and compare what is learned."""
    story = replace(STORIES[name], table=lambda n: STORIES[name].table(n + after))
    one = told(story, root / "one")
    group = random.Random(part).choice([None, *(n for n in range(1, part) if part % n == 0)])
    with parts_of_rows(part, group):
        many = told(story, root / "many")
    assert (one.pop("files"), many.pop("files") > 0) == (0, True)
    for what, expected in one.items():
        assert many[what] == expected, what


@pytest.mark.parametrize("name", DAILY)
def test_a_release_in_parts_tells_the_same(name: str, tmp_path: Path) -> None:
    same(name, 9, 0, tmp_path)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(60))
def test_so_do_many_others(seed: int, tmp_path: Path) -> None:
    luck = random.Random(seed)
    same(NAMES[seed % len(NAMES)], luck.choice([2, 3, 5, 8, 13, 19]), luck.randrange(50), tmp_path)


# What a ledger does with them


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    of_rows(monkeypatch, 25)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_lost_release_is_made_again_and_csv_is_written_later(root: Path) -> None:
    story = STORIES["ladders"]

    def published(**more: Any) -> an.Release:
        places = {"ledger": root / "ledger", "to": root / "releases"}
        return an.publish(story.table(1), story.schema, story.promise, **places, **more)

    release = published()
    before = content(release.path)
    assert {"data-0001.parquet", "data-0002.parquet"} < before.keys()
    shutil.rmtree(release.path)
    assert content(published().path) == before
    with_csv = content(published(csv=True).path)
    assert with_csv.keys() - before.keys() == {"data.csv"}
    assert {n: with_csv[n] for n in before if n != "datapackage.json"} == {
        n: one for n, one in before.items() if n != "datapackage.json"
    }
    assert an.audit(release.path, table=story.table(1), ledger=root / "ledger").holds
    assert Ledger.open(root / "ledger").check() == []


def test_the_ledger_names_a_part_that_is_missing_or_altered(root: Path) -> None:
    STORIES["ladders"].step(root, 1)
    one, two = (root / "releases/0001" / f"data-000{n}.parquet" for n in (1, 2))
    one.unlink()
    two.write_bytes(two.read_bytes()[:-1] + b"x")
    found = Ledger.open(root / "ledger").check()
    assert [str(problem) for problem in found if "data-0001.parquet is missing" in str(problem)]
    assert [str(problem) for problem in found if "data-0002.parquet is not as" in str(problem)]


def test_commands_read_them(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    STORIES["ladders"].step(root, 1)
    release = an.Release(root / "releases/0001")
    where, ledger = str(root / "releases/0001"), str(root / "ledger")
    for command in (
        ["audit", where, "--json"],
        ["ask", where, "--json"],
        ["report", where, "--ledger", ledger, "-o", str(root / "page.html")],
    ):
        with pytest.raises(SystemExit) as ended:
            anachron.main(command)
        assert ended.value.code in (0, None), capsys.readouterr()
    page = (root / "page.html").read_text()
    assert "data-0001.parquet" in page
    assert max(release.path.glob("*.parquet")).name in page
