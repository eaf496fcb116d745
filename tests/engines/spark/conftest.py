"""One session for all tests of the engine on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines.spark.sessions import session


@pytest.fixture(scope="session")
def spark() -> Any:
    """Spark on this machine, or the reason why there is none."""
    return session()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sockets by which pyspark collects are closed when nobody holds them, and warn of it."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for ignored in ("unclosed <socket:ResourceWarning",
                            ":pytest.PytestUnraisableExceptionWarning"):  # fmt: skip
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{ignored}"))
