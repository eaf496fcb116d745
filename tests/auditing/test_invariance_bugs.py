"""Privacy bugs, seeded one by one into a good history: the right check must catch each."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from anachron.auditing.history import History
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.errors import ReleaseError
from anachron.release.read import Release
from tests.auditing import (  # noqa: F401 (importing them seeds)
    invariance_bugs_people,
    invariance_bugs_published,
)
from tests.auditing.consequences import INVARIANCE, also, assert_witnesses
from tests.auditing.invariance_draft import Draft, loaded, mark, who
from tests.auditing.invariance_seeding import BUGS, REFUSED, Bug
from tests.auditing.invariance_story import first, second, third

NEEDS_MICRODATA = {"coverage", "held back", "one row each", "marks"}
NEEDS_LEDGER = {
    "candidates",
    "changes",
    "lifespans",
    "memory",
    "mode",
    "real rows",
    "signatures",
    "state",
}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, ...]:
    folder = tmp_path_factory.mktemp("earlier")
    return (first().write(folder / "0001"), second().write(folder / "0002"))


def past(draft: Draft, earlier: tuple[Release, ...]) -> History:
    states = (first().state_table(), second().state_table())
    return History(draft.state_table(), states, earlier, _by_name, mark)


def _by_name(values: pa.Array) -> pa.Array:
    return who(pa.array([str(value).title() for value in values.to_pylist()]))


def judged(draft: Draft, release: Release, earlier: tuple[Release, ...]) -> Verdict:
    with loaded(draft.register) as held:
        return verify(release, microdata=held, history=past(draft, earlier))


def failing(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.failures}


def test_the_good_one_holds(tmp_path: Path, earlier: tuple[Release, ...]) -> None:
    good = third()
    good.commas = lambda rows: rows
    verdict = judged(good, good.write(tmp_path / "0003"), earlier)
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert verdict.checks[0].name == "candidates"
    assert verdict.scope == "with microdata"
    assert verdict.figures == {
        "rows": 16,
        "groups": 8,
        "people": 13,
        "counterfeits": 3,
        "smallest_signature": 2,
        "largest_share_of_a_value": "1/2 (50.00%)",
        "largest_posterior": "1/2 (50.00%)",
        "people_in_smallest_group": 1,
        "smallest_candidate_set": 2,
        "vulnerable": 0,
        "held_back": 1,
    }
    assert {check.name for check in verdict.checks} >= {name for name, _ in BUGS} - {"changes"}


@pytest.mark.parametrize(("check", "bug"), BUGS, ids=[bug.__name__ for _, bug in BUGS])
def test_the_right_check_catches(
    check: str, bug: Bug, tmp_path: Path, earlier: tuple[Release, ...]
) -> None:
    bad = third()
    bug(bad)
    release = bad.write(tmp_path / "0003")
    verdict = judged(bad, release, earlier)
    assert not verdict.holds
    assert failing(verdict) == {check} | also(INVARIANCE, bug)
    assert_witnesses(verdict)
    text = str(verdict.to_dict()) + verdict._repr_html_()
    for secret in ("gout", "flu", "acne", "Ann", "1.23"):
        assert secret not in text
    if check not in NEEDS_MICRODATA:
        with_ledger = verify(release, history=past(bad, earlier))
        assert check in failing(with_ledger), "the ledger is enough"
    if check not in NEEDS_MICRODATA | NEEDS_LEDGER:
        assert check in failing(verify(release)), "the release alone betrays it"


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) + len(REFUSED) >= 60
    assert len({bug.__name__ for _, bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", REFUSED, ids=[bug.__name__ for bug in REFUSED])
def test_the_reader_refuses(bug: Bug, tmp_path: Path) -> None:
    spoilt = third()
    bug(spoilt)
    with pytest.raises(ReleaseError, match=r"datapackage\.json is not the description .* \(.+\)"):
        spoilt.write(tmp_path / "0003")
