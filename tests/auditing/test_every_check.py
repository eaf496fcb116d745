"""Every declared check earns its place: without it, a bug that was seeded for it gets through.

``scenes.json`` names a scene for each check of each promise. There the check fails; if it is taken
out of the list, or finds nothing, it is silent, and nothing else changes: what only it catches is
published. Some checks never fail alone: what they find shows elsewhere, too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from anachron.auditing.check import Declared, Found
from anachron.auditing.promises.granularity import GRANULARITY
from anachron.auditing.promises.invariance import INVARIANCE
from anachron.auditing.promises.patterns import PATTERNS
from anachron.auditing.promises.reposition import COMPOSED, REPOSITION
from tests.auditing.scenes import SCENES

SHOWN_BY: dict[str, str] = json.loads(Path(__file__).with_name("scenes.json").read_text())
NEVER_ALONE = {
    "composed records.of_everyone",
    "granularity people.one_group",
    "granularity people.stated_suppression",
    "granularity people.whole_groups",
    "granularity rows.of_events",
    "granularity values.quasi_values",
    "invariance form.columns_of_third",
    "invariance form.more_columns",
    "invariance history.candidates",
    "invariance history.changes",
    "invariance margins.in_form",
    "invariance memory.signatures",
    "invariance people.could_be_own_rows",
    "invariance people.one_row_each",
    "invariance people.own_rows",
    "patterns form.columns",
    "patterns form.names",
    "patterns people.behind_each_row",
    "patterns people.breach",
    "patterns people.own_pattern",
    "patterns people.own_value",
    "patterns rows.of_patterns",
    "reposition form.more_columns",
    "reposition history.once",
    "reposition records.diverse_on_time",
    "reposition values.diverse_groups",
    "reposition values.eligible_snapshots",
    "reposition values.one_snapshot",
}
OTHERS_RELY_ON = {"roles", "state", "m-unique", "real rows"}
"""If these are silenced, others look at what they should never see."""


def named(one: Declared[..., Any]) -> str:
    return f"{one.find.__module__.rpartition('.')[2]}.{one.find.__name__}"


PROMISES = {
    "granularity": GRANULARITY,
    "invariance": INVARIANCE,
    "patterns": PATTERNS,
    "reposition": REPOSITION,
    "composed": COMPOSED,
}
EVERY = {
    f"{kind} {named(one)}": (kind, one)
    for kind, promise in PROMISES.items()
    for one in promise.checks
    # What a composed feed shares with a register is shown by registers.
    if kind != "composed" or one not in INVARIANCE.checks
}
SOME = [name for name in sorted(EVERY) if not name.startswith("composed")][::8]
"""Enough for every day."""


@contextmanager
def silenced(one: Declared[..., Any]) -> Iterator[None]:
    """Let a check find nothing, whatever there is."""
    find = one.find

    @wraps(find)
    def blind(*given: Any, **named: Any) -> Found | None:
        return None if find(*given, **named) is None else Found({})

    object.__setattr__(one, "find", blind)
    try:
        yield
    finally:
        object.__setattr__(one, "find", find)


def test_there_is_a_scene_for_every_check() -> None:
    assert set(SHOWN_BY) == set(EVERY)
    assert set(SHOWN_BY.values()) <= set(SCENES)
    assert set(EVERY) >= NEVER_ALONE


@pytest.mark.parametrize(
    "which", [pytest.param(n, marks=() if n in SOME else pytest.mark.campaign) for n in EVERY]
)
def test_without_it_a_bug_gets_through(
    which: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, one = EVERY[which]

    def show(where: str) -> Counter[str]:
        (tmp_path / where).mkdir()
        verdict = SCENES[SHOWN_BY[which]](tmp_path / where)
        return Counter(check.name for check in verdict.failures)

    caught = show("caught")
    assert caught[one.name]
    without = caught - Counter([one.name])
    assert bool(without) == (which in NEVER_ALONE)
    if one.name not in OTHERS_RELY_ON:
        with silenced(one):
            assert show("silenced") == without
    promise = PROMISES[kind]
    others = replace(promise, checks=tuple(other for other in promise.checks if other is not one))
    room = "reposition" if kind == "composed" else kind
    monkeypatch.setattr(f"anachron.auditing.promises.{room}.{kind.upper()}", others)
    assert show("removed") == without
