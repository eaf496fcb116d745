"""The secrets of one run of the page: who may open it, and whose forms are its own."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

__all__ = ["Keys"]


@dataclass(frozen=True)
class Keys:
    """A token for the address, and what is derived from it; all of it ends with the process."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """Stands in the address that is opened first."""

    @property
    def session(self) -> str:
        """What the cookie holds: who sees it cannot tell the token."""
        return self._derived("session")

    @property
    def form(self) -> str:
        """What every form of the page sends along."""
        return self._derived("form")

    def opens(self, given: str) -> bool:
        """Whether this is the token."""
        return _same(given, self.token)

    def is_session(self, given: str) -> bool:
        """Whether this is the content of our cookie."""
        return _same(given, self.session)

    def is_form(self, given: str) -> bool:
        """Whether a form is ours."""
        return _same(given, self.form)

    def _derived(self, purpose: str) -> str:
        return hmac.digest(self.token.encode(), purpose.encode(), "sha256").hex()


def _same(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode(), known.encode())
