"""Commands that run beside the page, each in a process of its own.

The page asks for what a person could type, and a process does it: so what is clicked is what is
typed, a cancel is a Ctrl-C, and a page that is reloaded, or killed, leaves the work as a closed
terminal would. The process tells how far it is, line by line, on stderr; when nobody reads it any
more, it stops.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO, Any

from anachron.errors import LedgerBusy
from anachron.progress import LISTENED, told

__all__ = ["Work", "Works"]

_ANSWER = 32 << 20
"""Bytes of an answer that are read, at most."""
_KEPT = 50
_PATIENCE = 20.0
"""How long a command may take to stop by itself when the page is closed, in seconds."""


@dataclass(eq=False)
class Work:
    """One command: what it is, how far, and what came of it."""

    words: tuple[str, ...]
    """Without ``anachron`` before them, and without ``--json``."""
    what: str
    """``publish``, ``push``, ``frontier``, …"""
    about: str
    """The plan, or the release, that it is for."""
    alone: bool
    """Whether no other such command may run beside it: it publishes."""
    key: str = field(default_factory=lambda: secrets.token_hex(8))
    told: tuple[str, float] = ("", 0.0)
    """What is being done, and which share of the work is done."""
    answer: Mapping[str, Any] | None = None
    """What the command answered, once it has ended."""
    code: int | None = None
    """Its exit code; less than 0 if it was killed."""
    stopping: bool = False
    begun: float = field(default_factory=monotonic)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.code is None

    @property
    def failed(self) -> list[str]:
        """What went wrong, if something did."""
        if not self.code:
            return []
        said = (self.answer or {}).get("error", {}).get("message", "")
        if self.stopping and not said:
            return ["It was cancelled before it began. Nothing was published."]
        if self.code < 0 and not said:
            return ["The command was killed. Look at the ledger: it may have to be recovered."]
        return str(said).splitlines() or ["The command ended without a word."]

    def run(self, folder: Path) -> None:
        """Start the command, and follow it in threads."""
        command = [sys.executable, "-m", "anachron", *self.words, "--json"]
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, LISTENED: "lines"}, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None  # noqa: S101
        assert self._process.stderr is not None  # noqa: S101
        hear = threading.Thread(target=self._hear, args=(self._process.stderr,), daemon=True)
        hear.start()
        after = (self._process, self._process.stdout, hear)
        threading.Thread(target=self._wait, args=after, daemon=True).start()

    def _hear(self, lines: IO[bytes]) -> None:
        with lines:
            for line in lines:
                if (found := told(line)) is not None:
                    self.told = found

    def _wait(
        self, process: subprocess.Popen[bytes], stdout: IO[bytes], hear: threading.Thread
    ) -> None:
        text = stdout.read(_ANSWER)
        process.stdout = None
        stdout.close()
        hear.join()
        try:
            given = json.loads(text)
        except ValueError:
            given = None
        self.answer = given if isinstance(given, dict) else None
        self.code = process.wait()

    def stop(self) -> None:
        """Ask it to stop, as Ctrl-C does."""
        self.stopping = True
        if self.running and self._process is not None:
            self._process.send_signal(signal.SIGINT)

    def ended(self, within: float) -> bool:
        """Wait for its end; whether it has come."""
        try:
            if self._process is not None:
                self._process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True


@dataclass(frozen=True)
class Works:
    """All commands that were started from the page."""

    _known: dict[str, Work] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(
        self, words: Sequence[str], folder: Path, *, what: str, about: str, alone: bool = False
    ) -> Work:
        """Start a command; only one that publishes at a time."""
        work = Work(tuple(words), what, about, alone)
        with self._lock:
            if alone and any(other.alone and other.running for other in self._known.values()):
                raise LedgerBusy("Something is being published already. Wait for it, or cancel it.")
            for key in list(self._known)[:-_KEPT]:
                if not self._known[key].running:
                    del self._known[key]
            self._known[work.key] = work
            work.run(folder)
        return work

    def of(self, key: str) -> Work | None:
        """A command by its key."""
        return self._known.get(key)

    def about(self, about: str, *what: str) -> Iterator[Work]:
        """Commands for a plan or a release, the newest first."""
        for work in reversed(list(self._known.values())):
            if work.about == about and (not what or work.what in what):
                yield work

    def stop_all(self) -> None:
        """Stop everything, and wait a while for it."""
        running = [work for work in self._known.values() if work.running]
        for work in running:
            work.stop()
        until = monotonic() + _PATIENCE
        for work in running:
            work.ended(max(until - monotonic(), 0.1))
