"""The public face is small, pinned, documented, and light to import."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import anachron

ROOT = Path(__file__).parents[2]

PUBLIC = [
    "AnachronError",
    "Frontier",
    "Granularity",
    "KPAnonymity",
    "Ladder",
    "Ledger",
    "MInvariance",
    "Plan",
    "Proposal",
    "Release",
    "Reposition",
    "Schema",
    "Source",
    "TimeGranularity",
    "Trial",
    "Verdict",
    "ask",
    "attack",
    "audit",
    "frontier",
    "open",
    "propose",
    "publish",
    "report",
    "trial",
    "utility",
]


def test_the_public_names_are_these() -> None:
    assert anachron.__all__ == PUBLIC
    assert dir(anachron) == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring_with_a_runnable_example(name: str) -> None:
    documentation = getattr(anachron, name).__doc__
    assert documentation is not None
    assert ">>> " in documentation


def test_a_verb_stays_a_verb_whatever_was_imported_before() -> None:
    code = (
        "import anachron.flow, anachron.auditing.run, anachron.reporting.html, anachron.cli.main\n"
        "import anachron as an\n"
        "assert callable(an.audit) and callable(an.report) and callable(an.publish)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = anachron.anonymise


def test_importing_anachron_imports_nothing_heavy() -> None:
    code = "import anachron, sys; print(*sorted(m.split('.')[0] for m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    heavy = {
        "duckdb", "jinja2", "numpy", "pandas", "polars", "pyarrow", "pydantic", "rich",
        "vl_convert",
    }  # fmt: skip
    assert not heavy & set(loaded)


def test_templates_are_loaded_when_a_report_is_written() -> None:
    code = (
        "import anachron.cli.main, anachron.cli.report, anachron.reporting.gallery, sys\n"
        "import anachron as an; an.report, an.publish, an.Release\n"
        "assert 'jinja2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_stands_in_the_changelog() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    first = next(line for line in changelog.splitlines() if line.startswith("## "))
    assert first.split()[1] == anachron.__version__


def test_the_lock_holds_no_registry_address() -> None:
    assert "://" not in (ROOT / "requirements.txt").read_text()


def test_every_dependency_earns_its_place_in_the_architecture() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [item for extra in project["optional-dependencies"].values() for item in extra]
    architecture = (ROOT / "docs" / "architecture.md").read_text()
    for requirement in [*project["dependencies"], *extras]:
        assert f"**{requirement.split('>')[0]}**" in architecture
