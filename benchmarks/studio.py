"""What a page of Anachron Studio costs: the first one from a cold start, and each when it is known.

    python -m benchmarks.studio [--rows 1000000] [--runs 5] [--visits 21]

The table and the promise are those of ``benchmarks.granularity``, published once, in a folder of
their own. *First page*: from starting ``anachron studio`` until all of its home page has arrived,
against ``python -c "import anachron"``, in turns; the median of each. *Pages*: each is asked for
until it is there (the table is looked at, the charts are drawn, the candidates are explored), and
then as often as is said, one after the other. Sizes are told with and without charts. The clock
says what somebody waits; processor time, of the page's process alone, is the steadier one.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.parse import quote

import anachron as an
from benchmarks.granularity import PROMISE, SCHEMA, generate

PAGES = {
    "home": "/",
    "table": "/table?plan=plan.toml",
    "roles": "/roles?plan=plan.toml",
    "promise": "/promise?plan=plan.toml",
    "frontier": "/frontier?plan=fresh.toml",
    "publish": "/publish?plan=plan.toml",
    "charts": "/release/charts?plan=plan.toml",
    "release": "/release?plan=plan.toml",
    "release, asked": "/release?plan=plan.toml&question="
    + quote("SELECT sex, COUNT(*) GROUP BY sex"),
    "ledger": "/ledger?plan=plan.toml",
}
_CHARTS = re.compile(r'<figure\b.*?</figure>|<script type="application/json".*?</script>', re.S)
_WAITING = re.compile(r'http-equiv="refresh"|data-explored|data-work')

_PATIENCE = 300.0
"""Seconds that a page may take to be there."""


class Visitor:
    """Somebody in front of the page of a process."""

    def __init__(self, process: int, address: str) -> None:
        self.process = process
        self.host = address.split("/")[2]
        self._line = http.client.HTTPConnection(self.host, timeout=600)
        self._cookie = ""
        _, headers, _ = self._ask("GET", address.split(self.host)[1])
        self._cookie = headers["set-cookie"].split(";")[0]

    def _ask(
        self, method: str, path: str, body: str | None = None
    ) -> tuple[int, http.client.HTTPMessage, str]:
        headers = {"Cookie": self._cookie, "Origin": f"http://{self.host}"}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._line.request(method, path, body, headers)
        answer = self._line.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def get(self, path: str) -> str:
        """All of a page."""
        status, _, page = self._ask("GET", path)
        if status != 200:
            raise RuntimeError(f"{path} was answered with {status}.")
        return page

    def ready(self, path: str) -> str:
        """A page that no longer waits for anything."""
        until = time.monotonic() + _PATIENCE
        while _WAITING.search(page := self.get(path)):
            if time.monotonic() > until:
                raise RuntimeError(f"{path} is waited for in vain.")
            time.sleep(0.2)
        return page

    def explore(self, path: str) -> None:
        """Explore what the page proposes."""
        csrf = re.search(r'name="csrf" value="(\w+)"', self.get(path))
        if csrf is None:
            raise RuntimeError("the page has no form.")
        self._ask("POST", path, f"csrf={csrf[1]}&plan=fresh.toml&what=explore")
        self.ready(path)

    def busy(self) -> float:
        """Seconds of processors that the process has used by now."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def folder(root: Path, rows: int) -> None:
    """A project that was published, and another that was not."""
    generate(root / "events.parquet", rows)
    for name in ("plan", "fresh"):
        plan = an.Plan(
            root / "events.parquet", SCHEMA, PROMISE,
            ledger=root / f"{name}-ledger", releases=root / f"{name}-releases",
        )  # fmt: skip
        plan.write(root / f"{name}.toml")
    known = an.Plan.read(root / "plan.toml")
    an.publish(known.table, known.schema, known.guarantee, ledger=known.ledger, to=known.releases)


@contextmanager
def opened(root: Path) -> Iterator[Visitor]:
    """Start the page, as a person does."""
    command = [sys.executable, "-m", "anachron", "studio", str(root), "--no-browser"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        if process.stderr is None:
            raise RuntimeError("the page has nothing to say.")
        address = next(f[0] for f in map(re.compile(rb"http://\S+").search, process.stderr) if f)
        yield Visitor(process.pid, address.decode())
    finally:
        process.terminate()
        process.communicate()


def imported() -> tuple[float, float]:
    """Import Anachron and nothing else."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", "import anachron"])
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime


def first_page(root: Path) -> tuple[float, float]:
    """Start, and wait for all of the first page."""
    begun = time.perf_counter()
    with opened(root) as visitor:
        visitor.get("/")
        return time.perf_counter() - begun, visitor.busy()


def visited(visitor: Visitor, path: str, visits: int) -> tuple[float, float, float, int, int]:
    """Of one page: median and largest time, processor time, bytes, and those without charts."""
    page = visitor.ready(path)
    seconds, busy = [], visitor.busy()
    for _ in range(visits):
        begun = time.perf_counter()
        visitor.get(path)
        seconds.append(time.perf_counter() - begun)
    each = (visitor.busy() - busy) / visits
    bare = _CHARTS.sub("", page)
    return median(seconds), max(seconds), each, len(page.encode()), len(bare.encode())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--visits", type=int, default=21)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folder(root, chosen.rows)
        runs = [(imported(), first_page(root)) for _ in range(chosen.runs)]
        print(f"\n{chosen.rows:,} rows, load {os.getloadavg()[0]:.1f}\n")
        print("| start | seconds | processor |\n|---|---|---|")
        middle = [[median(run[at][of] for run in runs) for of in (0, 1)] for at in (0, 1)]
        for title, (clock, busy) in zip(("import anachron", "first page"), middle, strict=True):
            print(f"| {title} | {clock:.2f} | {busy:.2f} |")
        beyond = [there - here for here, there in zip(*middle, strict=True)]
        print(f"| first page, beyond the import | {beyond[0]:.2f} | {beyond[1]:.2f} |\n")
        print("| page | median ms | largest ms | processor ms | kB | kB without charts |")
        print("|---|---|---|---|---|---|")
        with opened(root) as visitor:
            visitor.explore(PAGES["frontier"])
            for title, path in {
                **PAGES,
                "frontier, chosen": PAGES["frontier"] + "&point=1",
            }.items():
                clock, worst, busy, size, bare = visited(visitor, path, chosen.visits)
                print(
                    f"| {title} | {1000 * clock:.0f} | {1000 * worst:.0f} | {1000 * busy:.0f} "
                    f"| {size / 1000:.0f} | {bare / 1000:.0f} |"
                )


if __name__ == "__main__":
    main()
