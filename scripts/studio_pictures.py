#!/usr/bin/env python3
"""Take the pictures of docs/studio.md: every page on the demo's folder, light, dark and narrow.

python scripts/studio_pictures.py FOLDER, where FOLDER is what ``anachron demo FOLDER`` made. The
frontier is explored as if nothing had been published; one page is taken on a 4K screen, and one in
German.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from tests.studio.browser import Watched, browsing, served  # noqa: E402

PICTURES = HERE / "docs" / "studio"
PAGES = {
    "home": "/",
    "table": "/table?plan=plan.toml",
    "roles": "/roles?plan=plan.toml",
    "promise": "/promise?plan=plan.toml",
    "frontier": "/frontier?plan=plan.toml&point=1",
    "publish": "/publish?plan=register.toml",
    "release": "/release?plan=plan.toml&question=SELECT sex, COUNT(*) WHERE age > 33 GROUP BY sex"
    "#ask",
    "ledger": "/ledger?plan=register.toml",
}
LOOKS = {"light": (900, 640), "dark": (900, 640), "narrow": (390, 720)}
TALL = {"frontier": 1500}
"""Pages of which more is shown."""


def explore(window: Watched) -> None:
    """Lay out the candidates of the plan, and choose the first."""
    window.go("/frontier?plan=plan.toml")
    window.page.locator("#without_past").check()
    window.page.get_by_role("button", name="Explore", exact=True).click()
    window.settled()
    window.page.wait_for_selector("[data-choosing]")


def take(window: Watched, name: str, look: str, width: int, height: int) -> None:
    """Take one page."""
    window.page.set_viewport_size({"width": width, "height": height})
    window.page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    window.go(PAGES[name])
    window.page.wait_for_timeout(500)  # live charts take the place of those of the server
    window.page.screenshot(path=PICTURES / f"{name}-{look}.png")


if __name__ == "__main__":
    with served(Path(sys.argv[1])) as address:
        with browsing(address) as window:
            explore(window)
            for name in PAGES:
                for look, (width, height) in LOOKS.items():
                    take(window, name, look, width, TALL.get(name, height))
            take(window, "frontier", "4k", 3840, 2160)
        with browsing(address, locale="de-DE") as window:
            take(window, "roles", "german", *LOOKS["light"])
