#!/usr/bin/env python3
"""Take the pictures of docs/studio.md: every page on the demo's folder, light, dark and narrow.

python scripts/studio_pictures.py FOLDER, where FOLDER is what ``anachron demo FOLDER`` made.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from tests.studio.browser import browsing, served  # noqa: E402

PAGES = {
    "home": "/",
    "table": "/table?plan=plan.toml",
    "roles": "/roles?plan=plan.toml",
    "promise": "/promise?plan=plan.toml",
    "publish": "/publish?plan=register.toml",
    "release": "/release?plan=plan.toml&question=SELECT sex, COUNT(*) WHERE age > 33 GROUP BY sex"
    "#ask",
    "ledger": "/ledger?plan=register.toml",
}
LOOKS = {"light": (900, 640), "dark": (900, 640), "narrow": (390, 720)}

if __name__ == "__main__":
    with served(Path(sys.argv[1])) as address, browsing(address) as window:
        for name, path in PAGES.items():
            for look, (width, height) in LOOKS.items():
                window.page.set_viewport_size({"width": width, "height": height})
                window.page.emulate_media(color_scheme="dark" if look == "dark" else "light")
                window.go(path)
                window.page.screenshot(path=HERE / "docs" / "studio" / f"{name}-{look}.png")
