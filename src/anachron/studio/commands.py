"""What a person would type instead of clicking: in a shell, and in Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Doing", "call", "typed"]


@dataclass(frozen=True)
class Doing:
    """What a page does, as a command and as Python; each is shown to be copied."""

    command: str = ""
    python: str = ""


def typed(verb: str, *words: str, **options: str | int | bool | Iterable[str] | None) -> str:
    """Write a command of ours as a shell takes it; what is not given is left out.

    >>> typed("init", "my visits.csv", time_zone="Europe/Rome", quasi=["age", "zip"], labels=False)
    "anachron init 'my visits.csv' --time-zone Europe/Rome --quasi age --quasi zip"
    """
    return shlex.join(["anachron", *verb.split(), *words, *_options(options)])


def _options(options: Mapping[str, Any]) -> Iterable[str]:
    for name, given in options.items():
        flag = "-k" if name == "k" else f"--{name.replace('_', '-')}"
        if given is True:
            yield flag
        elif given not in (None, False, "", (), []):
            for one in [given] if isinstance(given, str | int) else given:
                yield from (flag, str(one))


def call(name: str, *given: Any, **named: Any) -> str:
    """Write a call in Python; what is not given is left out.

    >>> call("an.propose", "visits.csv", quasi=["age"], time=None)
    "an.propose('visits.csv', quasi=['age'])"
    """
    kept = {n: value for n, value in named.items() if value not in (None, "", (), [], False)}
    return f"{name}({', '.join([*map(repr, given), *(f'{n}={v!r}' for n, v in kept.items())])})"
