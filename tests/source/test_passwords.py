"""A password is never written, never shown, and never taken from an address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.errors import PlanError, TableError
from anachron.plan.places import password_problems

SECRET = "Sesame4711"
HOLDING = [
    f"postgresql://me:{SECRET}@host/db#visits",
    f"postgres://me:{SECRET}@host:5432/db#visits",
    f"postgresql://:{SECRET}@host/db#visits",
    f"postgresql://me:{SECRET}@h1:5432,h2:5433/db#visits",
    f"postgresql://me:{SECRET}%40x@[::1]/db#visits",
    f"postgresql://me:{SECRET}/x@host/db#visits",
    f"postgresql://me:12?{SECRET}@host/db#visits",
    f"postgresql://me:a@{SECRET}@host/db#visits",
    f"postgresql://me:{SECRET}@host/db",
    f"postgresql:me:{SECRET}@host/db#visits",
    f"postgresql://me@host/db?password={SECRET}#visits",
    f"postgresql:///db?user=me&PassWord={SECRET}#visits",
    f"postgresql://host/db?pass%77ord={SECRET}#visits",
    f"postgresql://host/db?sslmode=require&sslpassword={SECRET}#visits",
    f"postgresql:host=h password={SECRET}#visits",
    f"host=localhost dbname=db password = '{SECRET}'#visits",
    f"mysql://me:{SECRET}@host/db#visits",
    f"oracle+cx://me:{SECRET}@host/db",
]
HARMLESS = [
    "visits.csv",
    "/data/a:b@c.csv",
    "sqlite:/data/me:x@y.sqlite#visits",
    "postgresql://me@host/db#visits",
    "postgresql://me@host:5432/db#visits",
    "postgresql://me@[::1]:5432/db#visits",
    "postgresql://host:5432/db?user=me@corp#visits",
    "postgresql://host:5432/db?user=me%40corp&passfile=/x/pass#visits",
    "postgresql:///?service=clinic#visits",
    "postgresql://me@host/db?password=#visits",
]
PLAN = """
[source]
table = "{table}"
[schema]
subject = "who"
time = "day"
[guarantee]
method = "granularity"
k = 5
"""


@pytest.mark.parametrize("address", HARMLESS)
def test_what_holds_no_password_is_left_alone(address: str) -> None:
    assert list(password_problems(address)) == []


@pytest.mark.parametrize("address", HOLDING)
def test_a_password_is_refused_and_the_way_told(address: str) -> None:
    said = []
    for command in (["init", address], ["init", address, "--for", "reposition"]):
        for words in (command, [*command, "--json"]):
            done = CliRunner().invoke(anachron, words)
            assert done.exit_code == 2
            said.append(done.output)
    with pytest.raises(PlanError) as in_plan:
        an.Plan(address, an.Schema("who", "day"), an.TimeGranularity(k=2))
    with pytest.raises(TableError) as in_call:
        an.publish(address, an.Schema("who", "day"), an.TimeGranularity(k=2))
    said += [str(in_plan.value), str(in_call.value), repr(in_plan.value), repr(in_call.value)]
    for way in ("PGPASSWORD", "~/.pgpass", "service"):
        assert all(way in text for text in said)
    assert not any("Sesame" in text for text in said)
    assert [*Path().iterdir()] == []


AUDIT = ["audit", "releases/0001", "--plan", "plan.toml"]


@pytest.mark.parametrize("command", [["publish", "plan.toml"], ["push", "plan.toml"], AUDIT])
@pytest.mark.parametrize("address", HOLDING)
def test_a_plan_that_holds_one_is_refused(address: str, command: list[str]) -> None:
    Path("plan.toml").write_text(PLAN.format(table=address))
    done = CliRunner().invoke(anachron, [*command, "--json"])
    assert done.exit_code == 2
    [problem] = json.loads(done.stdout)["error"]["problems"]
    assert problem["file"] == "plan.toml"
    assert "PGPASSWORD" in problem["remedy"]
    assert "Sesame" not in done.output


def test_nor_in_the_place_of_the_plans_table() -> None:
    Path("plan.toml").write_text(PLAN.format(table="visits.csv"))
    done = CliRunner().invoke(anachron, ["publish", "plan.toml", "--table", HOLDING[0]])
    assert done.exit_code == 2
    assert "PGPASSWORD" in done.output
    assert "Sesame" not in done.output
