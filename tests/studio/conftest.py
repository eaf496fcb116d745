"""A folder with tables, and a reader who was let in."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as csv
import pytest
from starlette.testclient import TestClient

from anachron.studio.app import application
from anachron.studio.studio import Studio

HOST = "127.0.0.1:8000"
ORIGIN = f"http://{HOST}"


def visits(people: int = 60, rows: int = 400, seed: int = 1) -> pa.Table:
    """A few weeks of visits."""
    rng = random.Random(seed)
    who = [rng.randrange(people) for _ in range(rows)]
    return pa.table({
        "patient": [f"Zebedee-{w:03}" for w in who],
        "admitted": [f"2023-0{rng.randrange(1, 5)}-{rng.randrange(1, 29):02}" for _ in who],
        "age": [20 + (w * 7) % 50 for w in who],
        "ward": [f"ward {rng.randrange(4)}" for _ in who],
        "diagnosis": [rng.choice(["flu", "burn", "cold", "asthma"]) for _ in who],
    })  # fmt: skip


class Reader:
    """Somebody in front of the page."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.folder = studio.folder.root
        self.client = TestClient(
            application(studio, [HOST]), base_url=ORIGIN, raise_server_exceptions=True
        )
        done = self.client.get(f"/?token={studio.keys.token}")
        assert done.status_code == 200, done.text

    def get(self, path: str, status: int = 200, **query: str) -> str:
        done = self.client.get(path, params=query)
        assert done.status_code == status, done.text
        return done.text

    def waited(self, path: str, status: int = 200, **query: str) -> str:
        """A page of a table, once it was looked at."""
        for _ in range(60):
            done = self.client.get(path, params=query)
            if 'http-equiv="refresh"' not in done.text:
                assert done.status_code == status, done.text
                return done.text
        raise AssertionError("it is looked at for ever")

    def post(self, path: str, status: int = 303, **form: str) -> str:
        """Send a form; after a redirect, where it leads."""
        done = self.client.post(
            path, data={"csrf": self.studio.keys.form, **form},
            headers={"Origin": ORIGIN}, follow_redirects=False,
        )  # fmt: skip
        assert done.status_code == status, done.text
        return done.headers["location"] if status == 303 else done.text

    def form(self, page: str) -> dict[str, str]:
        """The hidden fields and the chosen options of a page's forms."""
        found = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page))
        for name, body in re.findall(
            r'<select[^>]* name="([^"]+)"[^>]*>(.*?)</select>', page, re.S
        ):
            chosen = re.search(r'<option value="([^"]*)" selected', body)
            found[name] = chosen[1] if chosen else ""
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    root.mkdir()
    csv.write_csv(visits(), root / "visits.csv")
    return root


Opened = Callable[..., Reader]


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    made: list[Reader] = []

    def opening(read_only: bool = False, upload: int = 1 << 20) -> Reader:
        made.append(Reader(Studio.of(folder, read_only=read_only, upload=upload)))
        return made[-1]

    yield opening
    for reader in made:
        reader.studio.close()


@pytest.fixture
def reader(opened: Opened) -> Reader:
    return opened()


@pytest.fixture
def planned(reader: Reader) -> Reader:
    """A reader who has begun the project ``visits``."""
    reader.waited("/table", file="visits.csv")
    assert reader.post("/table", file="visits.csv", name="visits") == (
        "/roles?plan=visits%2Fplan.toml"
    )
    return reader
