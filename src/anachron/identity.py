"""Who publishes what, for whom and for what: what a certificate names beside figures.

It belongs to the certificate and to nothing else. No release holds it, no ledger records it, and
no release depends on it: the same table with another purpose gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anachron.errors import PlanError
from anachron.parts.part import Kind, Plain, part
from anachron.parts.shapes import Holds, Text

__all__ = ["Identity"]

LONGEST = 400
"""So many characters a line of a certificate has at most."""


def _line(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise PlanError(f"{name} must be a text.")
    text = " ".join(given.split())
    if not text.isprintable():
        raise PlanError(f"{name} holds characters that cannot be printed.")
    if len(text) > LONGEST:
        raise PlanError(f"{name} is longer than {LONGEST} characters.", remedy="Shorten it.")
    return text


_LINE = Kind(Holds("a text", Text), _line)


@dataclass(frozen=True, init=False)
class Identity(Plain):
    """Say who publishes the table, for whom and for what; a certificate prints it.

    All of it is optional, and printed as "not stated" where it is.

    Parameters
    ----------
    title
        What the table is called.
    publisher
        Who publishes it.
    recipient
        Who receives it; or that everybody may.
    purpose
        What it is meant to be used for.
    contact
        Where questions go: a mail address, a telephone number, an office.
    licence
        Under which terms it may be used.

    Example
    -------
    >>> stated = Identity(title="Admissions 2024", publisher="Hospital of Pisa")
    >>> stated.to_dict()
    {'title': 'Admissions 2024', 'publisher': 'Hospital of Pisa'}
    >>> Identity.from_dict(stated.to_dict()) == stated
    True
    """

    title: str = part(_LINE, before="")
    publisher: str = part(_LINE, before="")
    recipient: str = part(_LINE, before="")
    purpose: str = part(_LINE, before="")
    contact: str = part(_LINE, before="")
    licence: str = part(_LINE, before="")

    def __init__(
        self,
        title: str = "",
        publisher: str = "",
        recipient: str = "",
        purpose: str = "",
        contact: str = "",
        licence: str = "",
    ) -> None:
        self._keep(locals())
