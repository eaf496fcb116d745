"""The reference pages say what the code says."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "reference.py"
spec = importlib.util.spec_from_file_location("reference", SCRIPT)
assert spec is not None
assert spec.loader is not None
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)


@pytest.mark.parametrize("page", reference.WRITERS)
def test_pages_are_up_to_date(page):
    written = (reference.PAGES / page).read_text(encoding="utf-8")
    assert written == reference.WRITERS[page](), "run: python scripts/reference.py"


def test_the_example_of_a_plan_can_be_read(tmp_path):
    from anachron import Plan

    text = re.search(r"```toml\n(.*?)```", reference.plan(), re.S)
    assert text
    tomllib.loads(text[1])
    (tmp_path / "plan.toml").write_text(text[1])
    assert Plan.read(tmp_path / "plan.toml").guarantee.k == 5
