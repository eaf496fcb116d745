"""What is installed is what was pinned: versions, hashes, and the bill of materials of them."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

from packaging.markers import Marker

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.txt").read_text()
ENTRY = re.compile(
    r"^(\S+?)==(\S+?)(?: ; (.+?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.M
)


def test_every_line_of_the_lock_is_a_pin_with_hashes() -> None:
    rest = re.sub(r"^ *#.*\n", "", ENTRY.sub("", LOCK), flags=re.M)
    assert rest == ""


def test_what_is_installed_is_what_is_pinned() -> None:
    wanted = {
        name: version
        for name, version, marker, _ in ENTRY.findall(LOCK)
        if not marker or Marker(marker).evaluate()
    }
    assert (
        wanted.items()
        <= {
            re.sub(r"[-_.]+", "-", item.name).lower(): item.version
            for item in importlib.metadata.distributions()
        }.items()
    )


def test_the_bill_of_materials_lists_every_pin_with_its_hashes_and_no_address() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "sbom.py")],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    bill = json.loads(done.stdout)
    listed = {
        (item["name"], item["version"], len(item["properties"])) for item in bill["components"]
    }
    assert listed == {
        (name, version, hashes.count("sha256")) for name, version, _, hashes in ENTRY.findall(LOCK)
    }
    assert "://" not in done.stdout
