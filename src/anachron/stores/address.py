"""Addresses of places in object stores, which look like paths: ``s3://bucket/prefix``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from anachron.errors import PlanError

__all__ = ["Address", "Place", "holds_key", "is_address", "placed"]

_SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_KEYS = re.compile(
    r"[?&]((access|secret|account)[_-]?(access[_-]?)?key|sig|signature|[\w-]*token|"
    r"x-(amz|goog)-(signature|credential)[\w-]*)=[^&]",
    re.IGNORECASE,
)
_HOW = ("endpoint_override", "region", "scheme")
"""What may follow the question mark: how to reach a store, as in addresses of tables."""
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_STEP = re.compile(r"[^%#\\\x00-\x1f\x7f]+")
"""No step may mean two things: as it is, or as an address is read by others."""
_SAID = re.compile(r"[A-Za-z0-9.:\[\]_/-]+", re.ASCII)


@dataclass(frozen=True)
class Address:
    """A place in an object store. Where releases may lie in either, it stands for a path.

    >>> str(Address.of("s3://bucket/releases/?region=eu-west-1") / "0001")
    's3://bucket/releases/0001?region=eu-west-1'
    """

    bucket: str
    prefix: str
    """What keys begin with, without slashes around it."""
    how: tuple[tuple[str, str], ...] = ()
    """How to reach the store, by name."""

    @classmethod
    def of(cls, text: str) -> Address:
        """Read an address, or say why nothing can be published there."""
        if _holds_password(text) or holds_key(text):
            raise PlanError(
                "the address of the releases holds a password, a key or a signature, which others "
                "could read in the plan, in the history of the shell and in the list of processes.",
                remedy="Leave it out, and give it to the store in the environment, such as in "
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
            )
        place, mark, query = text.partition("?")
        scheme, _, path = place.partition("://")
        if scheme.lower() != "s3":
            raise PlanError(
                f"releases cannot lie at {scheme}://…: Anachron publishes into a folder, or into a "
                "store that speaks S3.",
                remedy="Name a folder, or s3://bucket/prefix.",
            )
        bucket, _, prefix = path.rstrip("/").partition("/")
        steps = prefix.split("/") if prefix else []
        unfit = any(step in ("", ".", "..") or not _STEP.fullmatch(step) for step in steps)
        if unfit or not _BUCKET.fullmatch(bucket):
            raise PlanError(
                "the address is not one of a store.", remedy="Write s3://bucket/prefix."
            )
        return cls(bucket, prefix, _how(query) if mark else ())

    def __str__(self) -> str:
        said = "&".join(f"{name}={value}" for name, value in self.how)
        path = f"{self.bucket}/{self.prefix}" if self.prefix else self.bucket
        return f"s3://{path}{'?' if said else ''}{said}"

    def __truediv__(self, name: str) -> Address:
        return Address(self.bucket, self.key(name), self.how)

    def key(self, name: str) -> str:
        """The key of what lies here under a name."""
        return f"{self.prefix}/{name}" if self.prefix else name

    def holds(self, address: str) -> bool:
        """Whether an address of anything is one of what lies here."""
        place = unquote(address).partition("?")[0]
        return f"{place}/".startswith(f"s3://{self.bucket}/{self.key('')}")

    def resolve(self) -> Address:
        """The same: an address is no link."""
        return self

    @property
    def name(self) -> str:
        """The last step of the address."""
        return self.prefix.rpartition("/")[2]


Place = Path | Address
"""A folder of this machine, or a place in a store."""


def _how(query: str) -> tuple[tuple[str, str], ...]:
    said = dict(one.partition("=")[::2] for one in query.split("&"))
    if any(name not in _HOW or not _SAID.fullmatch(value) for name, value in said.items()):
        raise PlanError(
            "what follows the question mark in the address of a store is how to reach it.",
            remedy=f"Say {', '.join(_HOW)}, or leave it out.",
        )
    return tuple(sorted(said.items()))


def is_address(text: str) -> bool:
    """Whether a text is the address of something on a server, not a path."""
    return bool(_SERVER.match(text))


def placed(given: str | os.PathLike[str] | Address) -> Place:
    """Take a path, or an address that looks like one."""
    if isinstance(given, Address):
        return given
    text = os.fspath(given)
    return Address.of(text) if is_address(text) else Path(text)


def holds_key(text: str) -> bool:
    """Whether an address holds a key or a signature of a store, which is a password, too."""
    return any(_KEYS.search(said) for said in (text, unquote(text)))


def _holds_password(text: str) -> bool:
    """Whether somebody is named before the bucket: no store knows anybody so."""
    return any(
        "@" in re.split("[/?]", said.partition("://")[2])[0] for said in (text, unquote(text))
    )
