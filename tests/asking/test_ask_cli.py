"""``anachron ask``, as a person calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron

VISITS = pa.table(
    {
        "who": [f"p{i}" for i in range(24)],
        "day": [f"2014-05-{5 + 7 * (i % 2):02d}" for i in range(24)],
        "age": [20 + i % 6 for i in range(24)],
        "what": [("flu", "cold", "burn")[i % 3] for i in range(24)],
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("asked")
    an.publish(
        VISITS,
        an.Schema("who", "day", "age", "what"),
        an.TimeGranularity(
            k=4, granularities=["week"], ladders={"age": an.Ladder.bins(3, raw=False, drop=False)}
        ),
        ledger=place / "ledger", to=place / "releases",
    )  # fmt: skip
    return place / "releases"


def call(*words: object):
    return CliRunner().invoke(anachron, ["ask", *map(str, words)])


def test_a_question_and_its_answer(folder: Path) -> None:
    done = call(folder / "0001", "SELECT COUNT(*) WHERE what = 'flu'")
    assert (done.exit_code, done.output) == (0, "8 exactly\n")
    # A folder of releases can be asked too.
    assert call(folder, "select count(*) where what = 'flu'").output == done.output


def test_an_answer_that_is_not_exact_says_why(folder: Path) -> None:
    done = call(folder, "SELECT COUNT(*) WHERE age < 23")
    first, second = done.output.splitlines()
    assert first.startswith("12 (between")
    assert second.startswith("Wide because")


def test_groups_are_a_table(folder: Path) -> None:
    lines = call(folder, "SELECT what, COUNT(*) GROUP BY what").output.splitlines()
    assert [line.split() for line in lines] == [
        ["what", "count(*)", "between"],
        ["burn", "8", "exactly"],
        ["cold", "8", "exactly"],
        ["flu", "8", "exactly"],
    ]


def test_as_json(folder: Path) -> None:
    done = call(folder, "SELECT COUNT(*), AVG(age) WHERE day = '2014-W19'", "--json")
    data = json.loads(done.stdout)
    names = [figure["name"] for figure in data["rows"][0]["figures"]]
    assert (data["keys"], names) == ([], ["count(*)", "avg(age)"])
    assert data["rows"][0]["figures"][0]["estimate"] == 12


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("SELECT COUNT(*) WHERE ages < 3", "Did you mean age?"),
        ("SELECT COUNT(*) WHERE who = 'p1'", "columns that name people"),
        ("SELECT COUNT(*) WHERE day = DATE '2014-05-06'", "2014-W19"),
        ("SELECT COUNT(*", "line 1, column 14"),
        ("", "empty"),
    ],
)
def test_a_bad_question_ends_with_2_and_a_good_one(folder: Path, question: str, why: str) -> None:
    done = call(folder, question)
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert why in done.stderr
    works = done.stderr.strip().split("This one works: ")[1]
    assert call(folder, works).exit_code == 0
    failed = json.loads(call(folder, question, "--json").stdout)
    assert failed["error"]["kind"] == "QuestionError"


def test_without_a_question_it_tells_what_can_be_asked(folder: Path) -> None:
    done = call(folder)
    assert done.exit_code == 0
    assert "age   whole numbers, in bins of 3" in done.output
    assert "what  texts, as they are" in done.output
    data = json.loads(call(folder, "--json").stdout)
    assert {"column": "day", "holds": "times, by week, on the clock of UTC"} in data["columns"]
    assert len(data["questions"]) == 2
    for question in data["questions"]:
        assert f'"{question}"' in done.output
        assert call(folder, question).exit_code == 0


def test_what_is_no_release(tmp_path: Path) -> None:
    done = call(tmp_path / "nowhere", "SELECT COUNT(*)")
    assert done.exit_code != 0
    assert "nowhere" in done.stderr
