"""The one way to compile a loop: once for a machine where that can be, or else for each process.

Numba takes longer to load than most commands take to run, and few of them run a loop. So it is
loaded when a loop is first called, and files with loops may be imported like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar, cast

__all__ = ["compiled"]

F = TypeVar("F", bound=Callable[..., Any])

_ONE_AT_A_TIME = RLock()


def compiled(loop: F) -> F:
    """Compile a loop when it is first called, without Python's lock, and remember it.

    Notes
    -----
    Compiled code is kept beside the source, in the home of the user, or where ``NUMBA_CACHE_DIR``
    says. Where none of these can be written, as in a container that may only be read, every
    process compiles for itself. It is not kept in a folder for temporary files: what is found
    there again would be run, and others may write there.
    """
    return cast(F, _Loop(loop))


@dataclass(frozen=True, eq=False)
class _Loop:
    """A loop that was perhaps never called."""

    python: Callable[..., Any]

    def __call__(self, *given: Any) -> Any:
        names = self.python.__globals__
        if names.get(self.python.__name__) is self:
            # Loops of a file call each other by name, and Numba knows only those of its own.
            with _ONE_AT_A_TIME:
                loops = {name: it.machine for name, it in names.items() if isinstance(it, _Loop)}
                names.update(loops)
        return self.machine(*given)

    @cached_property
    def machine(self) -> Callable[..., Any]:
        """The loop as Numba will run it."""
        from numba import njit

        try:
            return cast(Callable[..., Any], njit(cache=True, nogil=True)(self.python))
        except RuntimeError:
            # Numba says so before it compiles anything: it has found no place to keep code.
            return cast(Callable[..., Any], njit(nogil=True)(self.python))
