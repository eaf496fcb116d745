"""Take a file that was dropped on the page: part by part, into the folder, and no further."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from anachron.errors import InputError, Refusal
from anachron.studio.folder import is_table
from anachron.studio.view import Visit

__all__ = ["take"]

_SMALL = 4096
"""Bytes that a field may have that is no file."""


async def take(visit: Visit, request: Request) -> Response:
    """Write the file under its own name, which must be new, for its owner alone."""
    if visit.studio.read_only:
        raise Refusal("This page only reads: it was started with --read-only.")
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise InputError("that is no form with a file.")
    taking = _Taking(visit)
    parser = MultipartParser(options[b"boundary"], {
        "on_part_begin": taking.begin, "on_part_data": taking.data, "on_part_end": taking.end,
        "on_header_field": taking.field, "on_header_value": taking.value,
        "on_header_end": taking.header, "on_headers_finished": taking.headed,
    })  # fmt: skip
    try:
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
        return taking.done()
    except _Foreign:
        return PlainTextResponse("This form is from another run: load the page again.", 403)
    except (MultipartParseError, ClientDisconnect):
        raise InputError("the file did not arrive whole. Nothing was kept of it.") from None
    finally:
        taking.abandon()


class _Foreign(Exception):
    """A form that is not ours."""


@dataclass(eq=False)
class _Taking:
    """What is known of the form so far; the file goes to disk as it comes, under a hidden name."""

    visit: Visit
    ours: bool = False
    name: str = ""
    target: Path | None = None
    aside: Path | None = None
    file: int | None = None
    _field: bytes = b""
    _value: bytes = b""
    _headers: dict[bytes, bytes] = field(default_factory=dict)
    _small: bytes = b""

    def begin(self) -> None:
        self._headers, self._field, self._value, self._small = {}, b"", b"", b""
        self.name = ""

    def field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def header(self) -> None:
        self._headers[self._field.lower()] = self._value
        self._field, self._value = b"", b""

    def headed(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self.name = options.get(b"name", b"").decode("utf-8", "replace")
        if self.name != "file":
            return
        # Forms of ours send their key first.
        if not self.ours:
            raise _Foreign
        self._open(options.get(b"filename", b"").decode("utf-8", "replace"))

    def _open(self, given: str) -> None:
        folder = self.visit.studio.folder
        if self.file is not None:
            raise InputError("one file at a time.")
        # Some browsers send a path.
        name = given.replace("\\", "/").rpartition("/")[2].strip()
        if not is_table(name):
            raise InputError(
                "this is no table that can be read.", remedy="CSV, Excel, Parquet, …: see Tables."
            )
        self.target = folder.new_file(name)
        self.aside = folder.root / f".{secrets.token_hex(8)}.upload"
        self.file = os.open(self.aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def data(self, data: bytes, start: int, end: int) -> None:
        if self.name == "file" and self.file is not None:
            view = memoryview(data)[start:end]
            while view:
                view = view[os.write(self.file, view) :]
        elif len(self._small) < _SMALL:
            self._small += data[start : min(end, start + _SMALL)]

    def end(self) -> None:
        if self.name == "csrf":
            self.ours = self.visit.studio.keys.is_form(self._small.decode("utf-8", "replace"))

    def done(self) -> Response:
        """The file is whole: give it its name, unless somebody took it meanwhile."""
        if self.file is None or self.aside is None or self.target is None:
            raise InputError("no file was chosen.")
        os.fsync(self.file)
        try:
            os.link(self.aside, self.target)
        except FileExistsError:
            raise InputError("exists already.", self.target.name) from None
        return self.visit.see("/table", file=self.target.name)

    def abandon(self) -> None:
        """Let go of what was put aside."""
        if self.file is not None:
            os.close(self.file)
        if self.aside is not None:
            with suppress(OSError):
                self.aside.unlink()
