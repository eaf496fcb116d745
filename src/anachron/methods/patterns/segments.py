"""How the times of a pattern are cut into segments, each of which has one letter.

Not in Shou et al., whose words have a letter for every time: few people share a word of fifty
letters, and then nearly nothing of a shape is published. SAX, which they build on, averages over
frames; the frames here are as equal in length as whole times allow, see ``kernels.sax.cut``.
"""

from __future__ import annotations

from anachron.arrays import Array
from anachron.errors import PlanError
from anachron.guarantees import KPAnonymity
from anachron.kernels.sax import cut

__all__ = ["lengths_of"]

_SHORT, _USUAL = 12, 8
"""Up to so many times each has a letter, if nobody says otherwise; more have so many segments."""


def lengths_of(promise: KPAnonymity, times: int) -> Array | None:
    """Give the lengths of the segments of so many times; None if every time has a letter."""
    if problems := list(promise.beyond_times(times)):
        raise PlanError(problems)
    wanted = promise.segments
    if wanted is None:
        wanted = "every" if times <= _SHORT else _USUAL
    return None if wanted in ("every", times) else cut(times, int(wanted))
