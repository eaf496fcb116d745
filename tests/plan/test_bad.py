"""A bad plan is refused with everything that is wrong with it; each method lists its own."""

from __future__ import annotations

import pytest

from tests.plan import test_invariance, test_patterns, test_read, test_reposition

METHODS = {
    "granularity": test_read,
    "invariance": test_invariance,
    "reposition": test_reposition,
    "patterns": test_patterns,
}
BAD = {
    f"{method}: {name}": case
    for method, there in METHODS.items()
    for name, case in there.BAD.items()
}


@pytest.mark.parametrize("name", BAD)
def test_bad_plans(problems, tmp_path, name):
    text, *expected = BAD[name]
    message = problems(text)
    for part in expected:
        assert part in message
    for line in message.splitlines():
        assert line.startswith(str(tmp_path)), "every line names a file"


@pytest.mark.parametrize("method", METHODS)
def test_all_problems_at_once(problems, method):
    for text, changes, lines in METHODS[method].MANY:
        for before, after in changes.items():
            text = text.replace(before, after)
        assert len(problems(text).splitlines()) == lines


@pytest.mark.parametrize("method", METHODS)
def test_values_are_not_repeated(problems, method):
    secret = "Anna Rossi 1961"
    good, places = METHODS[method].SECRET
    for before in places:
        # What stands behind an equals sign is replaced, or all of it.
        key, equals, _ = before.rpartition("= ")
        assert before in good
        assert secret not in problems(good.replace(before, f'{key}{equals}"{secret}"'))
