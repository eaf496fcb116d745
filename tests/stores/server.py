"""A server on loopback that speaks S3, and in which any request can be met by a misfortune."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

KEYS = {"AWS_ACCESS_KEY_ID": "AKIDSESAME", "AWS_SECRET_ACCESS_KEY": "Sesame4711"}
BUCKET = "bucket"

Hook = Callable[[int, str, dict[str, Any]], None]


class Refused(Exception):
    """Answer so, and do nothing."""

    def __init__(self, status: str, code: str) -> None:
        super().__init__(status)
        self.status, self.code = status, code


@dataclass
class Server:
    """The server, what was asked of it, and what happens then."""

    port: int = 0
    asked: list[str] = field(default_factory=list)
    before: Hook = lambda *_: None
    after: Hook = lambda *_: None
    backend: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def at(self, prefix: str = "releases", bucket: str = BUCKET) -> str:
        """The address of a place in it."""
        how = f"endpoint_override=127.0.0.1:{self.port}&region=us-east-1&scheme=http"
        return f"s3://{bucket}/{prefix}?{how}"

    def objects(self, prefix: str = "releases") -> dict[str, bytes]:
        """What lies there, less what says whose it is, seen from inside."""
        keys = self.backend.buckets[BUCKET].keys
        found = {key[len(prefix) + 1 :]: keys[key].value for key in list(keys)}
        return {name: content for name, content in found.items() if name != ".anachron"}

    def empty(self) -> None:
        """Begin anew."""
        self.backend.reset()
        self.backend.create_bucket(BUCKET, "us-east-1")
        self.asked.clear()
        self.before = self.after = lambda *_: None

    def answer(self, app: Any, environ: dict[str, Any], start: Any) -> Any:
        """One request after the other, as a store that is atomic would seem to."""
        with self._lock:
            what = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}"
            self.asked.append(what)
            number = len(self.asked)
            try:
                self.before(number, what, environ)
                done = [*app(environ, start)]
                self.after(number, what, environ)
            except Refused as refused:
                start(refused.status, [("Content-Type", "application/xml")])
                return [f"<Error><Code>{refused.code}</Code></Error>".encode()]
            return done


def broken_off(_number: int, _what: str, environ: dict[str, Any]) -> None:
    """Cut the line."""
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)


@contextmanager
def served() -> Iterator[Server]:
    """Start one for as long as the block lasts."""
    reason = "a store needs: pip install boto3 'moto[server]'"
    pytest.importorskip("boto3", reason=reason)
    moto = pytest.importorskip("moto.server", reason=reason)
    from moto.s3.models import s3_backends
    from werkzeug.serving import WSGIRequestHandler, make_server

    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)

    class Handler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_request(self, *_: Any, **__: Any) -> None:
            pass

        def log_error(self, *_: Any, **__: Any) -> None:
            pass

    found = Server()
    app = moto.DomainDispatcherApplication(moto.create_backend_app)
    http = make_server(
        "127.0.0.1", 0, lambda environ, start: found.answer(app, environ, start),
        threaded=True, request_handler=Handler,
    )  # fmt: skip
    found.port = http.server_port
    found.backend = s3_backends["123456789012"]["aws"]
    before = {name: os.environ.get(name) for name in KEYS}
    os.environ.update(KEYS)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        found.empty()
        yield found
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
