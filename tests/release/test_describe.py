from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from anachron.calendar.definitions import Granularity
from anachron.published import ways
from tests.release.forging import LAYOUTS
from tests.release.tables import FACTS, every_type, release_of


@pytest.fixture
def description(tmp_path: Path) -> dict[str, Any]:
    folder = release_of(every_type(), tmp_path / "r", csv=True)
    return dict(json.loads((folder / "datapackage.json").read_text()))


def test_it_is_a_tabular_data_package(description: dict[str, Any]) -> None:
    assert description["profile"] == "tabular-data-package"
    assert re.fullmatch(r"[a-z0-9._/-]+", description["name"])
    names = [resource["name"] for resource in description["resources"]]
    assert names == ["data", "data-csv"]
    for resource in description["resources"]:
        assert resource["profile"] == "tabular-data-resource"
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", resource["hash"])
        assert resource["bytes"] > 0
        assert resource["rows"] == 3
    parquet, csv = description["resources"]
    assert (parquet["format"], parquet["path"]) == ("parquet", "data.parquet")
    assert (csv["mediatype"], csv["encoding"]) == ("text/csv", "utf-8")
    assert "formula" in csv["description"]


def test_fields_have_types_and_meanings(description: dict[str, Any]) -> None:
    fields = {field["name"]: field for field in description["resources"][0]["schema"]["fields"]}
    assert {name: field["type"] for name, field in fields.items()} == {
        "ward": "string",
        "age_low": "integer",
        "cost": "number",
        "price": "number",
        "alive": "boolean",
        "born": "date",
        "admitted_start": "datetime",
        "group": "string",
    }
    assert "starts" in fields["admitted_start"]["description"]
    assert "Lowest value" in fields["age_low"]["description"]
    assert "description" not in fields["cost"]


def test_the_promise_is_stated(description: dict[str, Any]) -> None:
    ours = description["anachron"]
    assert ours["format"] == 1
    assert ours["release"] == 3
    assert ours["suppressed_rows"] == 2
    for name in ("previous", "guarantee", "time_zone"):
        assert ours[name] == FACTS[name]
    assert ours["columns"] == {name: way.said() for name, way in FACTS["columns"].items()}


def test_it_has_one_form(tmp_path: Path) -> None:
    text = (release_of(every_type(), tmp_path / "r") / "datapackage.json").read_text()
    again = json.dumps(json.loads(text), sort_keys=True, indent=2, ensure_ascii=False)
    assert text == again + "\n"


def test_the_subject_is_never_described() -> None:
    roles = {way.role for layout in LAYOUTS for way in layout.ways}
    assert roles == {"quasi", "time", "sensitive", "series"}


def test_every_way_to_publish_a_column_has_words() -> None:
    terms = Granularity.spans("fiscal_year", [["2024-04-01", "2025-04-01", "2024"]])
    published = [
        ways.Granules("t", terms),
        ways.Prefix("zip", 2),
        ways.Parents("job", {}),
        ways.Bins("age", Decimal(10), Decimal(0)),
        ways.Content("bmi"),
    ]
    words = {name: way.words(name, "Europe/Rome") for way in published for name in way.names}
    assert words["t"] == ("The fiscal year of the event, by the clock and calendar of Europe/Rome.")
    assert "no longer belongs" in words["t_end"]
    assert "first 2 characters" in words["zip"]
    assert "group of values" in words["job"]
    assert words["age_high"].startswith("Highest")
    assert words["bmi"] == "The value of 'bmi' as it is."
