"""Serve a studio on this machine alone."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn

from anachron.errors import InputError
from anachron.studio.app import application
from anachron.studio.guard import TOKEN
from anachron.studio.studio import Studio

__all__ = ["Address", "serve"]

HERE = "127.0.0.1"
"""The one address that is bound; no option changes it."""


@dataclass(frozen=True)
class Address:
    """Where the page is."""

    port: int
    token: str

    def __str__(self) -> str:
        return f"http://{HERE}:{self.port}/?{TOKEN}={self.token}"


def serve(studio: Studio, port: int, ready: Callable[[Address], None]) -> None:
    """Serve until somebody stops it; ``ready`` is told the address before."""
    bound = _bound(port)
    with bound:
        number = int(bound.getsockname()[1])
        hosts = [f"{HERE}:{number}", f"localhost:{number}"]
        config = uvicorn.Config(
            application(studio, hosts),
            access_log=False,
            log_level="critical",
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            timeout_graceful_shutdown=3,
            limit_concurrency=500,
            ws="none",
        )
        ready(Address(number, studio.keys.token))
        try:
            uvicorn.Server(config).run([bound])
        finally:
            studio.close()


def _bound(port: int) -> socket.socket:
    """A socket that hears this machine and no other, before anybody is told of it."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HERE, port))
        made.listen(512)
    except OSError as error:
        made.close()
        raise InputError(
            f"port {port} cannot be had: {error.strerror}.", remedy="Name another with --port."
        ) from None
    return made
