"""Where one of a few words is expected, editors and type checkers know which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import anachron as an

WORDED = {
    an.TimeGranularity: {"metric", "keep"},
    an.MInvariance: {"mode", "balance", "when_ineligible", "then"},
    an.Reposition: {"solver", "first", "mu", "late", "repeated", "then"},
    an.KPAnonymity: {"algorithm", "segments", "objective", "diversity", "gaps"},
    an.Schema: {"time_unit", "spelling"},
}
LEAST = {
    an.TimeGranularity: {"k": 2},
    an.MInvariance: {"m": 2},
    an.Reposition: {"l": 2, "window": 2},
    an.KPAnonymity: {"k": 4, "P": 2},
    an.Schema: {"subject": "who", "time": "day"},
}
FREE = {"time", "time_zone"}
"""Texts of which nobody could list all."""


def words(hint: Any) -> Iterator[str]:
    """The words that a type allows, also among others."""
    if get_origin(hint) is Literal:
        yield from (word for word in get_args(hint) if isinstance(word, str))
    for part in get_args(hint):
        yield from words(part)


@pytest.mark.parametrize("kind", WORDED, ids=lambda kind: kind.__name__)
def test_words_are_typed_and_others_refused(kind: type) -> None:
    hints = get_type_hints(kind)
    known = {name: list(words(hint)) for name, hint in hints.items() if list(words(hint))}
    assert known.keys() == WORDED[kind]
    assert {name for name, hint in hints.items() if hint is str} <= FREE
    for name in known:
        with pytest.raises(an.AnachronError):
            kind(**LEAST[kind], **{name: "nonsense"})
