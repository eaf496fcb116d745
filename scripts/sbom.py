"""What the tests run with, as a bill of materials: the lock file in CycloneDX, with its hashes.

python scripts/sbom.py > anachron.cdx.json
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PINNED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[\w.+!-]+)", re.M)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def components(lock: str) -> list[dict[str, Any]]:
    """One for each package that is pinned, with the hashes of its files."""
    starts = [*PINNED.finditer(lock)]
    ends = [*(found.start() for found in starts[1:]), len(lock)]
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:pypi/{found['name']}@{found['version']}",
            "name": found["name"],
            "version": found["version"],
            "purl": f"pkg:pypi/{found['name']}@{found['version']}",
            "properties": [
                {"name": "anachron:sha256", "value": digest}
                for digest in HASH.findall(lock[found.start() : end])
            ],
        }
        for found, end in zip(starts, ends, strict=True)
    ]


def bill(lock: str, version: str) -> dict[str, Any]:
    """The whole bill, which is the same for the same lock."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "library", "name": "anachron", "version": version},
        },
        "components": components(lock),
    }


if __name__ == "__main__":
    from anachron import __version__

    lock = (ROOT / "requirements.txt").read_text()
    print(json.dumps(bill(lock, __version__), indent=2))
