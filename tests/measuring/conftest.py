"""Releases are made once for all tests of usefulness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.measuring.releases import CASES, Held, published


@pytest.fixture(scope="session")
def held(tmp_path_factory) -> Iterator[Callable[[str], Held]]:
    """Give what the owner of a case holds."""
    known: dict[str, Held] = {}
    with ExitStack() as stack:

        def of(name: str) -> Held:
            if name not in known:
                folder = tmp_path_factory.mktemp("usefulness")
                known[name] = stack.enter_context(published(CASES[name], folder))
            return known[name]

        yield of
