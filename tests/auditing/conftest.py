"""Verdicts are pinned: names, order, scope, figures and witnesses of all checks, bug by bug.

What an audit says is read by others, so a change of the code behind it must not change it unseen.
Each test's verdicts are digested and compared with ``verdicts.json``; what is meant to change is
written again with ``ANACHRON_PIN=write`` (twice: what differs between two runs is not pinned).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anachron.auditing.verdict import Verdict

_FILE = Path(__file__).with_name("verdicts.json")
_PINNED: dict[str, str | None] = json.loads(_FILE.read_text()) if _FILE.exists() else {}
_WRITES = os.environ.get("ANACHRON_PIN") == "write"


@pytest.fixture(autouse=True)
def pinned(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, one_key: None
) -> Iterator[None]:
    """Note every verdict of a test, and compare."""
    said: list[str] = []

    begin = Verdict.__init__

    def noting(verdict: Verdict, *given: Any, **named: Any) -> None:
        begin(verdict, *given, **named)
        plain = verdict.to_dict()
        del plain["word"]  # it follows from the rest, and was not always said
        said.append(json.dumps(plain, sort_keys=True, default=str))

    monkeypatch.setattr(Verdict, "__init__", noting)
    yield
    name = request.node.nodeid.removeprefix("tests/auditing/")
    found = hashlib.sha256("\n".join(said).encode()).hexdigest()[:16] if said else ""
    if _WRITES:
        _write(name, found)
    elif _PINNED.get(name):
        assert found == _PINNED[name], "the audit says something else than it did: see conftest.py"


def _write(name: str, found: str) -> None:
    """Pin what was found; never what was found to be different before."""
    if name in _PINNED and _PINNED[name] != found:
        _PINNED[name] = None
    elif found:
        _PINNED.setdefault(name, found)
    _FILE.write_text(json.dumps(dict(sorted(_PINNED.items())), indent=0) + "\n")
