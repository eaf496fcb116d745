"""Attacks on the page as it is served: real sockets, real processes, and a real kill.

They are for ``-m campaign``; ``test_attacks.py`` tries the same every day, without a server.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2 as httpx
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.studio.studio import UPLOAD_MOST
from tests.studio.browser import started
from tests.studio.conftest import visits

pytestmark = pytest.mark.campaign
PLAN = "plan.toml"
LIMIT = UPLOAD_MOST
"""What a file may have."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    pq.write_table(visits(people=3000, rows=60_000), made / "visits.parquet")
    an.propose(made / "visits.parquet").plan(made / "releases", made / "ledger").write(made / PLAN)
    return made


@contextmanager
def reader(address: str) -> Iterator[httpx.Client]:
    """Somebody who was let in, and sends what a browser sends."""
    origin = address.split("/?")[0]
    with httpx.Client(
        base_url=origin, headers={"Origin": origin}, timeout=60, follow_redirects=True
    ) as client:
        assert client.get(address).status_code == 200
        yield client


def form(client: httpx.Client, path: str) -> dict[str, str]:
    page = client.get(path).text
    return {"csrf": re.search(r'name="csrf" value="(\w+)"', page)[1]}  # type: ignore[index]


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def said(address: str, head: str, chunks: Iterator[bytes]) -> tuple[bytes, int]:
    """Send a request by hand, for as long as somebody listens: the answer, and the bytes sent."""
    host, port = address.split("/")[2].split(":")
    sent, answer = 0, b""
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(head.encode())
        try:
            for chunk in chunks:
                line.sendall(chunk)
                sent += len(chunk)
        except OSError:  # hung up
            pass
        try:
            while got := line.recv(1 << 16):
                answer += got
        except OSError:
            pass
    return answer, sent


def memory(process: int) -> int:
    """The most memory that a process ever had, in MB."""
    text = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", text)[1]) >> 10  # type: ignore[index]


def test_strangers_two_gigabytes_and_two_hundred_at_once(root: Path) -> None:
    before = {file.name for file in root.iterdir()}
    with started(root) as (process, address), reader(address) as client:
        host = address.split("/")[2]
        # DNS rebinding: the name of a stranger that leads here.
        for name in ("evil.example", f"evil.example:{host.split(':')[1]}", "[::1]"):
            request = f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
            answer, _ = said(address, request, iter(()))
            assert answer.startswith(b"HTTP/1.1 421"), answer
        # Nobody was let in without the token, and no other site is heard.
        assert httpx.get(f"http://{host}/").status_code == 403
        foreign = {"Origin": "http://evil.example"}
        csrf = form(client, f"/publish?plan={PLAN}")
        sent = {**csrf, "plan": PLAN}
        assert client.post("/publish", data=sent, headers=foreign).status_code == 403
        # Two gigabytes, told beforehand or not.
        head = (
            f"POST /upload HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            f"Cookie: {'; '.join(f'{n}={v}' for n, v in client.cookies.items())}\r\n"
            "Content-Type: multipart/form-data; boundary=x\r\n"
        )
        opening = (
            f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{csrf["csrf"]}\r\n--x\r\n'
            'Content-Disposition: form-data; name="file"; filename="large.csv"\r\n\r\n'
        ).encode()
        block = b"x" * (1 << 20)
        length = f"Content-Length: {2 << 30}\r\n\r\n"
        answer, went = said(address, head + length, (block for _ in range(2048)))
        assert answer.startswith(b"HTTP/1.1 413") or not answer
        assert went < 64 << 20
        chunk = b"100000\r\n" + block + b"\r\n"

        def endless() -> Iterator[bytes]:
            yield f"{len(opening):x}\r\n".encode() + opening + b"\r\n"
            yield from (chunk for _ in range(2048))

        answer, went = said(address, head + "Transfer-Encoding: chunked\r\n\r\n", endless())
        assert answer.startswith(b"HTTP/1.1 413") or not answer
        assert went < LIMIT + (64 << 20)
        assert {file.name for file in root.iterdir()} == before
        # Two hundred at once, from one who was let in.
        paths = ["/", f"/publish?plan={PLAN}", f"/promise?plan={PLAN}", "/nothing"]
        with ThreadPoolExecutor(200) as many:
            found = list(many.map(lambda i: client.get(paths[i % 4]).status_code, range(200)))
        assert found == [200, 200, 200, 404] * 50
        assert client.get("/").status_code == 200
        assert memory(process.pid) < 1024


def test_a_page_that_is_killed_in_mid_publication_leaves_all_or_nothing(root: Path) -> None:
    with started(root) as (process, address), reader(address) as client:
        client.post("/publish", data={**form(client, f"/publish?plan={PLAN}"), "plan": PLAN})
        assert "data-work" in client.get(f"/publish?plan={PLAN}").text
        until(lambda: (root / "ledger").is_dir())
        [child] = _children(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
    # Nobody listens to the command any more: it stops by itself.
    until(lambda: not Path(f"/proc/{child}").exists())
    there = sorted(root.glob("releases/0*"))
    assert len(there) < 2
    with started(root) as (_, address), reader(address) as client:
        page = client.get(f"/publish?plan={PLAN}").text
        assert "data-work" not in page
        client.post("/publish", data={**form(client, f"/publish?plan={PLAN}"), "plan": PLAN})
        until(lambda: "data-work" not in client.get(f"/publish?plan={PLAN}").text)
        assert "Look at the release" in client.get(f"/publish?plan={PLAN}").text
    assert [one.name for one in root.glob("releases/0*")] == ["0001"]
    assert an.Ledger.open(root / "ledger", create=False).check() == []
    assert an.audit(root / "releases/0001", ledger=root / "ledger").holds


def _children(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    every = [int(one) for one in text.split()]
    for task in Path(f"/proc/{process}/task").iterdir():
        every += [int(one) for one in (task / "children").read_text().split()]
    return sorted({*every})
