"""``anachron init --for invariance``: a register, its declared values, and a plan that runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from anachron.cli.main import anachron
from anachron.flow.releases import publish_plan
from anachron.plan import Plan

ILLS = ("acne", "asthma", "burn", "cold", "flu", "gout", "polyp", "stroke")


def register(folder: Path, ills: tuple[str, ...] = ILLS, again: bool = False) -> Path:
    file = folder / "register.csv"
    lines = ["patient_id,surname,age,sex,weight,diagnosis"]
    lines += [
        f"p{i},n{i},{20 + i % 60},{'fm'[i % 2]},{60 + i / 8},{ills[i % len(ills)]}"
        for i in range(96)
    ]
    file.write_text("\n".join([*lines, *(lines[1:2] if again else ())]) + "\n")
    return file


def init(file: Path, *options: str) -> Result:
    plan = str(file.parent / "plan.toml")
    command = ["init", str(file), "--for", "invariance", "-o", plan, "--json", *options]
    return CliRunner().invoke(anachron, command)


def test_a_register_gets_its_values_declared_and_is_published(tmp_path: Path) -> None:
    told = json.loads(init(register(tmp_path)).stdout)
    assert told["guarantee"]["values"] == list(ILLS)
    assert (told["guarantee"]["m"], told["guarantee"]["mode"]) == (3, "transparent")
    assert told["schema"]["quasi"] == ["age", "sex", "weight"]
    assert told["guarantee"]["orders"] == {"sex": ["f", "m"]}
    roles = {column: role["role"] for column, role in told["roles"].items()}
    assert (roles["surname"], roles["weight"]) == ("home", "quasi")
    text = (tmp_path / "plan.toml").read_text()
    assert "add those that may come" in text
    assert publish_plan(Plan.read(tmp_path / "plan.toml")).table().num_rows == 96


def test_a_column_with_fractions_gets_a_width(tmp_path: Path) -> None:
    told = json.loads(init(register(tmp_path), "--quasi", "weight").stdout)
    assert told["guarantee"]["widths"] == {"weight": "0.1"}
    publish_plan(Plan.read(tmp_path / "plan.toml"))


@pytest.mark.parametrize(("many", "m", "mode"), [(8, 3, "transparent"), (5, 2, "transparent"),
                                                 (4, 2, "paper")])  # fmt: skip
def test_few_values_allow_less(tmp_path: Path, many: int, m: int, mode: str) -> None:
    told = json.loads(init(register(tmp_path, ILLS[:many])).stdout)
    assert (told["guarantee"]["m"], told["guarantee"]["mode"]) == (m, mode)
    publish_plan(Plan.read(tmp_path / "plan.toml"))


def test_a_frequent_value_allows_less(tmp_path: Path) -> None:
    told = json.loads(init(register(tmp_path, (*ILLS, *ILLS[:1] * 6))).stdout)
    assert (told["guarantee"]["m"], told["guarantee"]["mode"]) == (2, "transparent")
    publish_plan(Plan.read(tmp_path / "plan.toml"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--sensitive", "nothing"), "is not in the table"),
        (("--sensitive", "age", "--sensitive", "sex"), "has one sensitive column"),
        (("--time", "age"), "cannot be time"),
        (("--subject", "sex"), "some people have several rows"),
    ],
)
def test_what_is_no_register_is_refused(
    tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    failed = init(register(tmp_path), *options)
    assert failed.exit_code != 0
    assert says in failed.output
    assert not (tmp_path / "plan.toml").exists()


def test_somebody_twice_is_noticed(tmp_path: Path) -> None:
    assert "some people have several rows" in init(register(tmp_path, again=True)).output


def test_many_texts_are_left_out_and_refused_if_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "register.csv"
    rows = [f"p{i},{20 + i % 60},z{i},{ILLS[i % 8]}" for i in range(1_200)]
    file.write_text("\n".join(["person_id,age,zip,diagnosis", *rows]) + "\n")
    assert "too many to put in an order" in init(file, "--quasi", "zip").output
    assert json.loads(init(file).stdout)["schema"]["quasi"] == ["age"]


def test_what_is_infinite_is_refused_before_it_is_published(tmp_path: Path) -> None:
    file = register(tmp_path)
    file.write_text(file.read_text().replace(",60.125,", ",inf,"))
    assert "not a finite number in 1 rows" in init(file, "--quasi", "weight").output
    assert "weight" not in json.loads(init(file).stdout)["schema"]["quasi"]
