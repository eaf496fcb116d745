"""What a certificate is written from."""

from __future__ import annotations

from typing import ClassVar

from anachron.reporting.certificate import Certificate
from anachron.reporting.shown import Shown
from tests.house.toy.promise import Frequent


class FrequentPage(Certificate[Frequent, Shown]):
    """A release, and its promise: the template asks for nothing else."""

    template: ClassVar[str] = "frequent.html"
    package: ClassVar[str] = __package__
