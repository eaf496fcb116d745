"""Whether files can be locked where a ledger lies: a network drive may not, and says "busy"."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

__all__ = ["why_not"]

_BUSY = (errno.EACCES, errno.EAGAIN)
"""What a lock that another process holds says."""


if sys.platform == "win32":  # pragma: no cover

    def why_not(_folder: Path) -> str | None:
        """Why nothing can be locked in a folder; None if locks work."""
        return None

else:
    import fcntl

    def why_not(folder: Path) -> str | None:
        """Why nothing can be locked in a folder; None if locks work.

        The folder itself is tried: to let go of a file would also let go of SQLite's locks on it.
        """
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.lockf(here, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return None if error.errno in _BUSY else error.strerror
        finally:
            os.close(here)
        return None
