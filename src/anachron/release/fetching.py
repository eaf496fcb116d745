"""Fetch a release from its store, to be judged and read as any folder."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anachron.errors import ReleaseError
from anachron.release.describe import DESCRIPTION
from anachron.release.durable import failures_as
from anachron.scratch import published
from anachron.stores import Address, Store, content_of, copied, opened

__all__ = ["LARGEST", "OutOfReach", "fetched"]

LARGEST = 16 << 20
"""The most bytes that the description of a release may have."""
_MOST_STRANGE = 100


class OutOfReach(ReleaseError):
    """Nothing can be said of a release: its store did not give it."""


def fetched(address: Address) -> tuple[Path, Callable[[], None]]:
    """Fetch a release into a private folder, and give what removes that folder.

    What it holds is not judged here: whoever opens the folder does that.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(published()) / (address.name or "release")
        folder.mkdir()
        with failures_as(OutOfReach, f"Fetching {address}"):
            _fetch(opened(address), address, folder)
        return folder, _ours(stack.pop_all().close)


def _fetch(store: Store, address: Address, folder: Path) -> None:
    description = content_of(store, DESCRIPTION, LARGEST)
    if description is None:
        raise ReleaseError(f"{address} is not a release: it has no {DESCRIPTION}.")
    (folder / DESCRIPTION).write_bytes(description)
    # The description says what belongs to it, and a list, which may be late, what lies there too.
    named = _named(description)
    strange = {*store.names()} - {DESCRIPTION, *named}
    if len(strange) > _MOST_STRANGE:
        raise ReleaseError(f"{address} holds much that is no part of a release. Do not use it.")
    for name in sorted({*named, *strange}):
        if name != Path(name).name or name.startswith(".") or not name.isprintable():
            raise ReleaseError(
                f"Something at {address} does not belong to a release. Do not use it."
            )
        found = store.get(name)
        if found is None:
            continue  # it will be missed by whoever opens the folder
        if found.size > shutil.disk_usage(folder).free:
            raise ReleaseError(
                f"{address} does not fit onto the disk of {folder.parent.parent}. Free some space, "
                "or set ANACHRON_TMP to a folder on another disk."
            )
        copied(found, folder / name)


def _named(description: bytes) -> set[str]:
    """The files that a description names, as far as it is one; that it is, is found out later."""
    try:
        resources = json.loads(description)["resources"]
        paths = [one["path"] for one in resources]
    except (ValueError, TypeError, KeyError, RecursionError):
        return set()
    each: list[Any] = [
        name for path in paths for name in (path if isinstance(path, list) else [path])
    ]
    return {name for name in each if isinstance(name, str)}


def _ours(remove: Callable[[], None]) -> Callable[[], None]:
    """Remove what this process fetched, and nothing in one that was forked from it."""
    owner = os.getpid()

    def removed() -> None:
        if os.getpid() == owner:
            remove()

    return removed
