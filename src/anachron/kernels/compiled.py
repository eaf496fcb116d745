"""The one way to compile a loop: once for a machine where that can be, or else for each process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])


def compiled(loop: F) -> F:
    """Compile a loop when it is first called, without Python's lock, and remember it.

    Notes
    -----
    Compiled code is kept beside the source, in the home of the user, or where ``NUMBA_CACHE_DIR``
    says. Where none of these can be written, as in a container that may only be read, every
    process compiles for itself. It is not kept in a folder for temporary files: what is found
    there again would be run, and others may write there.
    """
    try:
        return njit(cache=True, nogil=True)(loop)  # type: ignore[return-value]
    except RuntimeError:
        # Numba says so before it compiles anything: it has found no place to keep code.
        return njit(nogil=True)(loop)  # type: ignore[return-value]
