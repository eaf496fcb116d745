"""Another user of the machine, if there can be one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NOBODY = 65_534


def become(user: int) -> list[str]:
    """What to write before a command, so that a user runs it."""
    # Only the second program that is started has really lost what root may do.
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env"]


def can_run(user: int) -> bool:
    """Whether a user may run this Python, which may lie in the home of another."""
    if shutil.which("setpriv") is None or os.geteuid() != 0:
        return False
    tried = subprocess.run([*become(user), sys.executable, "-c", ""], capture_output=True)
    return tried.returncode == 0
