"""Privacy bugs, seeded one by one into a good feed: the right check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.auditing.history import History
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.errors import ReleaseError
from anachron.release.read import Release
from tests.auditing import (  # noqa: F401 (importing them seeds)
    feed_bugs_published,
    feed_bugs_records,
)
from tests.auditing.consequences import ANATOMY, INTERVALS, also, assert_witnesses
from tests.auditing.feed_draft import Draft, loaded, past
from tests.auditing.feed_seeding import BOTH, BUGS, REFUSED, Bug
from tests.auditing.feed_story import first, second

NEEDS_MICRODATA = {"coverage", "linked", "memory", "one record each", "records", "roles"}
NEEDS_LEDGER = {"delay", "due", "forward", "once", "state"}


def judged(draft: Draft, release: Release) -> Verdict:
    with loaded(draft.microdata()) as held:
        return verify(release, microdata=held, history=remembered(draft))


def remembered(draft: Draft) -> History:
    return past(draft, first(draft.then).state_table())


def failing(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.failures}


def named(bugs: list[tuple[str, str, Bug]]) -> pytest.MarkDecorator:
    ids = [f"{bug.__name__}-{then}" for then, _, bug in bugs]
    return pytest.mark.parametrize(("then", "check", "bug"), bugs, ids=ids)


@pytest.mark.parametrize("then", BOTH)
def test_the_good_one_holds(then: str, tmp_path: Path) -> None:
    good = second(then)
    good.commas = lambda rows: rows
    verdict = judged(good, good.write(tmp_path / "0002"))
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert verdict.checks[0].name == "l-diverse"
    assert verdict.scope == "with microdata"
    assert verdict.figures == {
        "rows": 15,
        "snapshots": 4,
        "groups": 7,
        "rows_in_smallest_group": 2,
        "values_in_smallest_group": 2,
        "largest_share_of_a_value": "1/2 (50.00%)",
        "largest_posterior": "1/2 (50.00%)",
        "people_in_smallest_group": 2,
        "records": 15,
        "moved": 3,
        "longest_delay": 2,
        "uncovered": 3,
    }
    there = {check.name for check in verdict.checks}
    assert there >= {check for how, check, _ in BUGS if how == then}


@named(BUGS)
def test_the_right_check_catches(then: str, check: str, bug: Bug, tmp_path: Path) -> None:
    bad = second(then)
    bug(bad)
    release = bad.write(tmp_path / "0002")
    verdict = judged(bad, release)
    assert not verdict.holds
    known = ANATOMY if then == "anatomy" else INTERVALS
    assert failing(verdict) == {check} | also(known, bug)
    assert_witnesses(verdict)
    text = str(verdict.to_dict()) + verdict._repr_html_()
    for secret in ("gout", "flu", "acne", "Ann", "1.23", "north"):
        assert secret not in text
    if check not in NEEDS_MICRODATA:
        assert check in failing(verify(release, history=remembered(bad))), "the ledger is enough"
    if check not in NEEDS_MICRODATA | NEEDS_LEDGER:
        assert check in failing(verify(release)), "the release alone betrays it"


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) >= 100
    assert len({bug.__name__ for _, _, bug in BUGS}) >= 60


@pytest.mark.parametrize(
    ("then", "bug"), REFUSED, ids=[f"{bug.__name__}-{then}" for then, bug in REFUSED]
)
def test_the_reader_refuses(then: str, bug: Bug, tmp_path: Path) -> None:
    spoilt = second(then)
    bug(spoilt)
    with pytest.raises(ReleaseError, match=r"datapackage\.json is not the description .* \(.+\)"):
        spoilt.write(tmp_path / "0002")
