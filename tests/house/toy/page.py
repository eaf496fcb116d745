"""What a certificate is written from, and what can be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from anachron.release import Release
from anachron.reporting.certificate import Certificate, Proof
from anachron.reporting.gallery import Draws
from anachron.reporting.published import Published, read
from tests.house.toy.promise import Frequent


@dataclass(frozen=True, eq=False)
class FrequentPage(Certificate):
    """A release, and its promise."""

    template: ClassVar[str] = "frequent.html"
    package: ClassVar[str] = __package__

    promise: Frequent
    shown: Published

    @classmethod
    def of(cls, release: Release, proof: Proof) -> FrequentPage:
        """Read the release."""
        return cls(release, proof, Frequent.from_dict(release.guarantee), read(release))


def charts(_release: Release) -> tuple[Callable[[Release], Any], Draws]:
    """Groups, as of any release."""
    return read, {}
