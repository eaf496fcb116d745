"""Ways to publish more at the same promise, as an owner meets them: by plan and by command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import anachron as an
from anachron.cli.main import anachron

TIMES = [f"t{t}" for t in range(14)]
SERIES = f"""
[source]
table = "table.csv"
[schema]
subject = "who"
series = {json.dumps(TIMES)}
[guarantee]
method = "patterns"
k = 4
P = 2
"""
REGISTER = """
[source]
table = "table.csv"
[schema]
subject = "who"
quasi = ["age"]
sensitive = ["illness"]
[guarantee]
method = "invariance"
m = 2
"""
FEED = """
[source]
table = "table.csv"
[schema]
subject = "who"
time = "day"
quasi = ["age"]
sensitive = ["illness"]
[guarantee]
method = "reposition"
l = 2
window = 2
"""
PLACES = '[destination]\nledger = "ledger"\nreleases = "releases"\n'


def _series() -> str:
    values = [[(who * 7 + t * (who % 3 - 1)) % 40 for t in range(14)] for who in range(40)]
    lines = [",".join(map(str, (f"p{who}", *row))) for who, row in enumerate(values)]
    return "\n".join([",".join(["who", *TIMES]), *lines]) + "\n"


def _people(day: bool) -> str:
    lines = [
        f"p{i},{20 + i % 50},{'flu' if i % 2 else 'gout'}" + (f",2024-05-0{1 + i % 3}" * day)
        for i in range(60)
    ]
    return "\n".join(["who,age,illness" + ",day" * day, *lines]) + "\n"


TABLES = {SERIES: _series(), REGISTER: _people(False), FEED: _people(True)}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _published(plan: str, said: str) -> Result:
    Path("plan.toml").write_text(plan + said + "\n" + PLACES)
    Path("table.csv").write_text(TABLES[plan])
    return CliRunner().invoke(anachron, ["publish", "plan.toml"])


@pytest.mark.parametrize(
    ("plan", "said", "promised"),
    [
        (SERIES, "", {"tree_level": 2}),
        (SERIES, "tree_level = 4\ncells = 8", {"tree_level": 4, "cells": 8}),
        (SERIES, "segments = 3", {"segments": 3}),
        (SERIES, 'segments = "every"', {}),
        (REGISTER, "", {"margins": 25}),
        (REGISTER, "margins = 5", {"margins": 5}),
        (REGISTER, 'margins = "none"', {}),
        (FEED, "", {"solver": "rolling", "budget": 60}),
        (FEED, 'solver = "recycle"\nbudget = 1', {"solver": "recycle", "budget": 1}),
    ],
)
def test_what_a_plan_says_is_promised_and_audited(
    plan: str, said: str, promised: dict[str, object]
) -> None:
    done = _published(plan, said)
    assert done.exit_code == 0, done.stderr
    release = an.Release("releases/0001")
    assert promised.items() <= release.guarantee.items()
    if plan is REGISTER:
        assert ("margins" in release.description["anachron"]) == bool(promised)
    if plan is SERIES:
        letters = {len(word) for word in release.table()["pattern"].to_pylist()}
        assert letters == {{"segments = 3": 3, 'segments = "every"': 14}.get(said, 8)}
    audited = CliRunner().invoke(anachron, ["audit", "releases/0001", "--plan", "plan.toml"])
    assert audited.exit_code == 0, audited.output


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (SERIES, "tree_level = 1"), (SERIES, "tree_level = 11"), (SERIES, "tree_level = 2.5"),
        (SERIES, "cells = 3"), (SERIES, 'cells = "all"'),
        (SERIES, 'algorithm = "naive"\ntree_level = 2'), (SERIES, 'algorithm = "naive"\ncells = 9'),
        (SERIES, "segments = 1"), (SERIES, "segments = 15"), (SERIES, 'segments = "some"'),
        (REGISTER, "margins = 4"), (REGISTER, 'margins = "all"'),
        (REGISTER, 'balance = "pooled"'), (REGISTER, 'balance = "even"'),
        (FEED, 'solver = "guess"'), (FEED, "budget = -1"), (FEED, "budget = 86401"),
        (FEED, "budget = 0.5"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_refused_by_its_name_and_nothing_is_written(
    plan: str, said: str
) -> None:
    done = _published(plan, said)
    assert done.exit_code == 2
    assert said.splitlines()[-1].partition(" ")[0] in done.stderr
    assert not Path("ledger").exists()
    assert not Path("releases").exists()


@pytest.mark.parametrize(
    ("plan", "settings"),
    [
        (SERIES, ("tree_level=2,10", "cells=4,20")),
        (SERIES, ("segments=2,8",)),
        (REGISTER, ("margins=25,50",)),
        (FEED, ("solver=recycle,rolling", "budget=1,60")),
    ],
)
def test_they_can_be_tried(plan: str, settings: tuple[str, ...]) -> None:
    Path("plan.toml").write_text(plan + PLACES)
    Path("table.csv").write_text(TABLES[plan])
    asked = [part for setting in settings for part in ("--with", setting)]
    done = CliRunner().invoke(anachron, ["publish", "plan.toml", "--trial", "--json", *asked])
    assert done.exit_code == 0, done.stderr
    assert not Path("ledger").exists()
