"""Plans are read from a folder in which the files they name are at hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anachron import Plan
from anachron.errors import PlanError


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str | bytes], Plan]:
    def read(text: str | bytes) -> Plan:
        path = tmp_path / "plan.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Plan.read(path)

    (tmp_path / "regions.csv").write_text("Milan,North\nRome,Centre\nBari,South\n")
    return read


@pytest.fixture
def problems(read: Callable[[str | bytes], Plan]) -> Callable[[str | bytes], str]:
    def problems(text: str | bytes) -> str:
        with pytest.raises(PlanError) as error:
            read(text)
        return str(error.value)

    return problems
