"""One session for all tests of the engine on Spark."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.spark.sessions import session


@pytest.fixture(scope="session")
def spark() -> Any:
    """Spark on this machine, or the reason why there is none."""
    return session()
