"""Ledgers with one key, and processes with other hashes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anachron as an


@pytest.fixture
def same_key(tmp_path: Path) -> Callable[[str], Path]:
    """Folders whose ledgers have one key, and know nothing yet."""
    an.Ledger.open(tmp_path / "ledger")

    def root(name: str) -> Path:
        shutil.copytree(tmp_path / "ledger", tmp_path / name / "ledger")
        return tmp_path / name

    return root


@pytest.fixture
def with_hash_seed() -> Callable[..., None]:
    """Run code in a process in which hashes have another seed."""

    def run(seed: int, code: str, *arguments: str) -> None:
        places = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": places}
        subprocess.run([sys.executable, "-c", code, *arguments], env=environment, check=True)

    return run
