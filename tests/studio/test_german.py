"""Pages in German are German to the end: what other rooms say of columns and candidates, too."""

from __future__ import annotations

import html
import re

from tests.studio.conftest import Reader
from tests.studio.test_frontier import explored

PLAN = "visits/plan.toml"


def english(page: str) -> list[str]:
    """What a German page has to say in English."""
    return [html.unescape(told) for told in re.findall(r'<span lang="en">(.*?)</span>', page)]


def test_pages_say_everything_in_german(planned: Reader) -> None:
    planned.client.headers["Accept-Language"] = "de-DE"
    for path in ("/table", "/roles", "/promise", "/publish", "/ledger"):
        page = planned.waited(path, plan=PLAN)
        assert '<html lang="de">' in page
        assert english(page) == [], (path, english(page))
    page = planned.waited("/table", file="visits.csv")
    assert "der Name sagt" in page
    assert english(page) == []


def test_the_frontier_is_told_in_german(planned: Reader) -> None:
    planned.client.headers["Accept-Language"] = "de-DE"
    page = explored(planned, over="k=2,5,4000")
    assert "Personen in der kleinsten Gruppe" in page
    assert english(page) == []
    page = planned.get("/frontier", plan=PLAN, point="1")
    assert "Zeilen im Lauf der Zeit, vorher und nachher." in page
    assert english(page) == []
