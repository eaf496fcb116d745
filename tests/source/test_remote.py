"""Files of servers: a web server and an object store, both on this machine alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pyarrow.fs
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.behind import read
from anachron.engines.local.load import load
from anachron.errors import PlanError, TableError
from tests.source.small import SCHEMA, arrow, csv_text
from tests.source.small_files import excel
from tests.source.test_every_form import told

SECRET = "Sesame4711"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def same(table: object) -> None:
    with closing(load(table, SCHEMA)) as loaded, closing(load(arrow(), SCHEMA)) as expected:
        assert told(loaded) == told(expected)
        with closing(read(loaded.given, SCHEMA)) as seen:
            assert seen.digest() == expected.digest()


def test_files_of_a_web_server(web: str, tmp_path: Path) -> None:
    pq.write_table(arrow(), tmp_path / "t.parquet")
    excel(tmp_path)
    (tmp_path / "t w.csv").write_bytes(csv_text().encode("utf-16"))
    same(f"{web}/t.parquet?version=2")
    same(f"{web}/t.xlsx")
    same(an.Source(f"{web}/t%20w.csv", encoding="utf-16"))


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://example.org/t.csv", "t.csv: the address is not encrypted"),
        ("https://example.org/", "names no file, and a web server does not list what it has"),
        ("https://example.org/visits/", "names no file, and a web server does not list"),
        ("https://example.org/visits/*.csv", "names no file, and a web server does not list"),
        ("ftp://example.org/t.csv", "of a kind that cannot be read"),
        ("s3://bucket/part-?.csv", "question mark .* how to reach it. Write %3F"),
        ("s3://bucket/part-?", "question mark .* how to reach it. Write %3F"),
        ("gs://bucket/part-?.csv?region=x&y", "question mark .* how to reach it. Write %3F"),
    ],
)
def test_addresses_that_are_refused(address: str, says: str) -> None:
    with pytest.raises(TableError, match=says):
        load(address, SCHEMA)


def test_a_file_that_is_not_there(web: str) -> None:
    with pytest.raises(TableError, match=r"t.csv: cannot be read from its address"):
        load(f"{web}/t.csv", SCHEMA)


@pytest.mark.parametrize(
    "address",
    [
        f"s3://me:{SECRET}@bucket/t.csv",
        f"s3://bucket/t.csv?secret_key={SECRET}",
        f"https://store.example.org/t.csv?sv=1&sig={SECRET}",
        f"https://store.example.org/t.csv?X-Amz-Signature={SECRET}",
        f"gs://bucket/t.csv?access_token={SECRET}",
        f"abfs://c@a.example.org/t.csv?account_key={SECRET}",
    ],
)
def test_keys_have_no_place_in_an_address(address: str) -> None:
    with pytest.raises(PlanError) as in_plan:
        an.Plan(address, an.Schema("who", "day"), an.TimeGranularity(k=2))
    with pytest.raises(TableError) as in_call:
        load(address, SCHEMA)
    assert "Sesame" not in f"{in_plan.value!r} {in_call.value!r}"
    assert "environment" in str(in_call.value)


def in_pieces(store: pyarrow.fs.FileSystem, bucket: str) -> list[str]:
    """Write the table in two files of a folder, beside others; and say how it can be asked for."""
    lines = csv_text().splitlines(keepends=True)
    cut = len(lines) // 2
    for name, part in (("a", lines[1:cut]), ("b", lines[cut:])):
        store.create_dir(f"{bucket}/pieces/{name}")
        with store.open_output_stream(f"{bucket}/pieces/{name}/part.csv") as file:
            file.write("".join([lines[0], *part]).encode())
    store.create_dir(f"{bucket}/others")
    with store.open_output_stream(f"{bucket}/others/part.csv") as file:
        file.write(b"nothing\n1\n")
    asked = ("pieces", "pieces/", "pieces/*/part.csv", "pieces/**/*.csv", "piece%3F/[ab]/part.csv")
    return [f"{bucket}/{pattern}" for pattern in asked]


@pytest.mark.parametrize("scheme", ["gcs", "abfs"])
def test_other_stores_go_the_same_way(
    scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = pyarrow.fs.SubTreeFileSystem(str(tmp_path), pyarrow.fs.LocalFileSystem())
    asked = []

    def from_uri(address: str) -> tuple[pyarrow.fs.FileSystem, str]:
        asked.append(address.partition(":")[0])
        return here, address.partition("://")[2].replace("@account.example.org", "")

    stores = SimpleNamespace(
        **{**vars(pyarrow.fs), "FileSystem": SimpleNamespace(from_uri=from_uri)}
    )
    monkeypatch.setattr("anachron.source.remote.fs", stores)
    monkeypatch.setattr("anachron.behind.remote.fs", stores)
    for place in in_pieces(here, "visits")[1:4:2]:
        same(f"{scheme}://{place}")
    (tmp_path / "visits/t.csv").write_text(csv_text(), encoding="utf-8")
    same(f"{scheme}://visits/t.csv")
    assert {*asked} == {scheme.replace("gcs", "gs")}


def test_files_of_an_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moto = pytest.importorskip("moto.server", reason="a store needs: pip install 'moto[server]'")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        how = f"endpoint_override={host}:{port}&scheme=http&region=us-east-1"
        store, _ = pyarrow.fs.FileSystem.from_uri(f"s3://visits?{how}&allow_bucket_creation=true")
        store.create_dir("visits")
        with store.open_output_stream("visits/hive/patient=u1/t.csv") as file:
            file.write(csv_text().encode())
        pq.write_table(arrow(), tmp_path / "t.parquet")
        for name, content in (
            ("t.parquet", (tmp_path / "t.parquet").read_bytes()),
            ("t.csv", csv_text().encode()),
            ("t ä.csv", csv_text().encode()),
        ):
            with store.open_output_stream(f"visits/2024/{name}") as file:
                file.write(content)
            same(f"s3://visits/2024/{name}?{how}")
        with pytest.raises(TableError, match=r"u.csv: cannot be read from its address"):
            load(f"s3://visits/2024/u.csv?{how}", SCHEMA)
        for place in in_pieces(store, "visits"):
            same(f"s3://{place}?{how}")
        for asked in ("hive", "hive/*/*.csv"):
            found = an.propose(f"s3://visits/{asked}?{how}")
            # Though its name says so, it divides a folder.
            assert found.role("patient").name != "subject"
        with pytest.raises(TableError, match="matches no table"):
            load(f"s3://visits/pieces/*.jsonl?{how}", SCHEMA)
        with pytest.raises(TableError, match="holds files of several kinds"):
            load(f"s3://visits/2024/?{how}", SCHEMA)
    finally:
        server.stop()
