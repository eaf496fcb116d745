"""A private place for what a page that only reads has to write: gone when the page is closed."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from anachron.errors import Refusal
from anachron.scratch import near, room

__all__ = ["Aside"]


@dataclass
class Aside:
    """Made when it is first needed, where everything is put aside; see ``scratch.py``."""

    _made: Path | None = None
    _open: ExitStack = field(default_factory=ExitStack, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def folder(self, ledger: Path) -> Path:
        """The place."""
        with self._lock, near(ledger):
            if self._made is None:
                found = self._open.enter_context(room())
                if found.path is None:
                    raise Refusal(f"Nothing can be put aside: {found.why}")
                self._made = found.path
            return self._made

    def close(self) -> None:
        """Remove it."""
        with self._lock:
            self._made = None
            self._open.close()
