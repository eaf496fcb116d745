"""A real PostgreSQL server that asks for a password, and the ways in which it is given."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.schema import Schema

pytest.importorskip("adbc_driver_postgresql", reason="the driver of PostgreSQL is not installed")
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
if not BINARIES:
    pytest.skip("there is no PostgreSQL server on this machine", allow_module_level=True)

SECRET = "Sesame4711"
SCHEMA = Schema("who", "day", [], ["note"])
# The server refuses to run as root.
ACCOUNT = "postgres" if os.geteuid() == 0 else None


def run(*words: str, **environment: str) -> None:
    subprocess.run(
        words, check=True, capture_output=True, user=ACCOUNT, env={**os.environ, **environment}
    )


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        number = int(found.getsockname()[1])
    binaries = BINARIES[-1].parent
    root = Path(tempfile.mkdtemp(prefix="cluster-"))
    if ACCOUNT:
        shutil.chown(root, ACCOUNT)
    secret, data = root / "secret", root / "data"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    run(f"{binaries}/initdb", "-D", str(data), "-U", "doctor", "-A", "scram-sha-256",
        f"--pwfile={secret}", "-E", "UTF8", "--no-sync")  # fmt: skip
    options = f"-p {number} -c listen_addresses=127.0.0.1 -c fsync=off -k {root}"
    run(f"{binaries}/pg_ctl", "-D", str(data), "-o", options, "-l", f"{root}/log", "-w", "start")
    try:
        table = "CREATE TABLE visits AS SELECT 'p' || n AS who, DATE '2024-05-06' AS day, "
        table += "n::numeric AS note FROM generate_series(1, 4) AS n"
        run(f"{binaries}/psql", "-h", "127.0.0.1", "-p", str(number), "-U", "doctor", "-d",
            "postgres", "-c", table, PGPASSWORD=SECRET)  # fmt: skip
        yield number
    finally:
        run(f"{binaries}/pg_ctl", "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(root)


@pytest.fixture(autouse=True)
def _a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_without_a_password_nothing_is_read(port: int) -> None:
    with pytest.raises(TableError, match="cannot be read from the PostgreSQL server"):
        load(f"postgresql://doctor@127.0.0.1:{port}/postgres#visits", SCHEMA)


def test_the_environment(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    assert load(f"postgresql://doctor@127.0.0.1:{port}/postgres#visits", SCHEMA).rows == 4


def test_the_password_file(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{port}:*:doctor:{SECRET}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    assert load(f"postgresql://doctor@127.0.0.1:{port}/postgres#public.visits", SCHEMA).rows == 4


def test_the_service_file(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = tmp_path / "services"
    services.write_text(
        f"[clinic]\nhost=127.0.0.1\nport={port}\nuser=doctor\ndbname=postgres\npassword={SECRET}\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    assert load("postgresql:///?service=clinic#visits", SCHEMA).rows == 4


def test_a_home_with_a_password_file_from_init_to_the_certificate(
    port: int, tmp_path: Path
) -> None:
    passwords = tmp_path / ".pgpass"
    passwords.write_text(f"127.0.0.1:{port}:*:doctor:{SECRET}\n")
    passwords.chmod(0o600)
    address = f"postgresql://doctor@127.0.0.1:{port}/postgres#visits"
    init = ["init", address, "--for", "granularity", "--subject", "who", "--time", "day", "-k", "2"]
    said = ""
    for words in (init, ["publish", "plan.toml", "--json"],
                  ["audit", "releases/0001", "--plan", "plan.toml"],
                  ["report", "releases/0001", "--plan", "plan.toml"]):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "anachron", *words], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        said += done.stdout + done.stderr
    assert SECRET not in said
    passwords.unlink()
    for file in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert SECRET.encode() not in file.read_bytes(), file
