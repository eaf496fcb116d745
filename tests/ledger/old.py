"""Ledgers that were made before ledgers were encrypted, by the version of that time.

``old.tar.xz`` holds, for each of the stories, ledger and releases after its steps, and in
``expected`` what the next step made then.
"""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpacked(story: str, root: Path) -> Path:
    """Unpack one of them."""
    with tarfile.open(Path(__file__).with_name("old.tar.xz")) as archive:
        members = [m for m in archive.getmembers() if m.name.split("/")[0] == story]
        archive.extractall(root, members, filter="data")
    for part in (root / story / "ledger").rglob("*"):
        part.chmod(0o700 if part.is_dir() else 0o600)
    (root / story / "ledger").chmod(0o700)
    return root / story
