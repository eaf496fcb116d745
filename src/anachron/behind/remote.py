"""A file that lies elsewhere, fetched once more, and as long as its server says."""

from __future__ import annotations

import http.client
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from anachron.errors import Problem, TableError

__all__ = ["REMOTE", "fetched"]

REMOTE = ("https:", "http:", "s3:", "gs:", "gcs:", "abfs:", "abfss:")
_HOPS = 5


def fetched(address: str, folder: Path) -> Path:
    """Write the file into a folder."""
    file = folder / unquote(urlsplit(address).path).rpartition("/")[2]
    try:
        if address.startswith("http"):
            file.write_bytes(_of_web(address))
        else:
            store, path = fs.FileSystem.from_uri(address.replace("gcs://", "gs://", 1))
            with store.open_input_file(path) as found:
                content = found.read()
                if len(content) != found.size():
                    raise OSError
            file.write_bytes(content)
    except (OSError, http.client.HTTPException, pa.ArrowException, ValueError):
        raise TableError(
            Problem("cannot be read from its address.", file.name, remedy="Check the address.")
        ) from None
    return file


def _of_web(address: str, hops: int = _HOPS) -> bytes:
    parts = urlsplit(address)
    is_safe = parts.scheme == "https"
    if not is_safe and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise OSError
    kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
    server = kind(parts.hostname or "", parts.port, timeout=60)
    try:
        server.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""))
        answer = server.getresponse()
        content = answer.read()
        elsewhere = answer.getheader("Location")
        if elsewhere is not None and answer.status in (301, 302, 303, 307, 308) and hops:
            return _of_web(elsewhere, hops - 1)
        if answer.status != 200:
            raise OSError
        return content
    finally:
        server.close()
