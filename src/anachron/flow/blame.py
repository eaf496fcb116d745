"""Whose fault it is when work on a release breaks: the audit says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anachron.errors import AnachronError, ReleaseError

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["blamed"]


@contextmanager
def blamed(releases: Sequence[Release]) -> Iterator[None]:
    """Turn what breaks on a release that does not keep its promise into a word on the release.

    Rows can be altered in any number of ways that make no sense. What breaks on a release that the
    audit cannot refute is a mistake of ours, and stays one.
    """
    try:
        yield
    except (AnachronError, MemoryError):
        raise
    except Exception as error:
        # Arrow tells of bytes that make no sense as if the system had failed, which gives a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        for release in releases:
            _check_holds(release)
        raise


def _check_holds(release: Release) -> None:
    from anachron.auditing.run import verify

    verdict = verify(release)
    if not verdict.holds:
        failed = verdict.failures[0]
        # Not chained: what broke may quote cells.
        raise ReleaseError(
            f"{release.place} is not what its description says ({failed.about}: "
            f"{failed.measured}). Do not use it; anachron audit tells more."
        ) from None
