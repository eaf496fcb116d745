"""What others wrote and is served with the page is what they published, with its licence."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import anachron

VENDOR = Path(anachron.__file__).parent / "studio" / "static" / "vendor"
KNOWN = json.loads((VENDOR / "digests.json").read_text("utf-8"))


def test_every_file_is_the_one_that_was_taken() -> None:
    found = {file.name: file for file in VENDOR.iterdir() if file.name != "digests.json"}
    assert found.keys() == KNOWN.keys()
    for name, file in found.items():
        assert sha256(file.read_bytes()).hexdigest() == KNOWN[name]["sha256"], name


def test_every_script_has_a_version_and_a_licence() -> None:
    for name, told in KNOWN.items():
        if name.endswith(".js"):
            assert {"package", "version", "licence"} <= told.keys()
            assert f"LICENSE.{told['package'].removesuffix('.org')}" in KNOWN
