"""A file that lies elsewhere, fetched once more, and as long as its server says."""

from __future__ import annotations

import http.client
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from anachron.errors import Problem, TableError

__all__ = ["REMOTE", "fetched"]

REMOTE = ("https:", "http:", "s3:", "gs:", "gcs:", "abfs:", "abfss:")
_HOPS = 5
_AS_IT_IS = "%/:@*=+,;!$'()&"
"""Signs of an address that need not be escaped, or are an escape."""


def fetched(address: str, folder: Path) -> Path:
    """Write the file, or the files of a folder or pattern of a store, into a folder."""
    file = folder / unquote(urlsplit(address).path).rstrip("/").rpartition("/")[2]
    try:
        if not address.startswith("http"):
            return _of_store(address, folder)
        file.write_bytes(_of_web(address))
    except (OSError, http.client.HTTPException, pa.ArrowException, ValueError):
        raise TableError(
            Problem("cannot be read from its address.", file.name, remedy="Check the address.")
        ) from None
    return file


def _of_store(address: str, folder: Path) -> Path:
    place, mark, how = address.replace("gcs://", "gs://", 1).partition("?")
    store, told = fs.FileSystem.from_uri(quote(place, safe=_AS_IT_IS) + mark + how)
    path: str = told.strip("/")
    # What is there is listed as a whole, and chosen from by a regular expression.
    until = re.search(r"[*?\[]", path)
    above = path[: until.start()].rpartition("/")[0] if until else path
    asked = re.compile(_expression(path) if until else re.escape(path) + "(/.*)?", re.DOTALL)
    here = None if until else store.get_file_info(path)
    if here is not None and here.is_file:
        return _written(store, here, folder / here.base_name)
    for one in store.get_file_info(fs.FileSelector(above, recursive=True)):
        if one.is_file and asked.fullmatch(one.path):
            if "/../" in f"/{one.path}/":
                raise ValueError
            _written(store, one, folder / one.path)
    return folder / path


def _written(store: fs.FileSystem, one: fs.FileInfo, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with store.open_input_file(one.path) as found:
        content = found.read()
        if not len(content) == found.size() == one.size:
            raise OSError
    target.write_bytes(content)
    return target


def _expression(pattern: str) -> str:
    """The regular expression of the paths that a pattern means."""
    told = re.split(r"(\*\*/|\*|\?|\[!?[^\]]+\])", pattern)
    signs = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        signs.get(part) or (part.replace("[!", "[^", 1) if part[:1] == "[" else re.escape(part))
        for part in told
    )


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
