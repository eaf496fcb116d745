"""Privacy bugs, seeded one by one into a good release: the right check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.errors import ReleaseError
from tests.auditing import (  # noqa: F401 (importing them seeds)
    patterns_bugs_people,
    patterns_bugs_published,
)
from tests.auditing.consequences import PATTERNS, also, assert_witnesses
from tests.auditing.patterns_draft import Draft, good
from tests.auditing.patterns_seeding import BUGS, REFUSED, Bug

NEEDS_MICRODATA = {
    "breach",
    "coverage",
    "memory",
    "roles",
    "rows",
    "shape",
    "suppressed",
    "value",
}
NEEDS_LEDGER = {"coverage", "memory", "rows", "shape", "state", "value"}
ABOUT_PEOPLE = {"coverage", "rows", "shape", "value"}


def judged(draft: Draft, folder: Path, *, ledger: bool = True) -> Verdict:
    release = draft.write(folder / "0001")
    with draft.loaded() as held:
        return verify(release, microdata=held, history=draft.past() if ledger else None)


def failing(verdict: Verdict) -> set[str]:
    return {check.name for check in verdict.failures}


def test_the_good_one_holds(tmp_path: Path) -> None:
    draft = good()
    draft.csv = True
    verdict = judged(draft, tmp_path)
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert verdict.checks[0].name == "k"
    assert verdict.scope == "with microdata"
    assert verdict.figures["smallest_group"] == 4
    assert verdict.figures["smallest_subgroup"] == 2
    assert verdict.figures["suppressed"] == 1
    assert verdict.figures["mean_level"] == "3.53"
    assert verdict.figures["largest_breach"] == "0.5000"
    assert verdict.figures["people_in_smallest_group"] == 4
    assert float(str(verdict.figures["largest_posterior"])) >= 0.5
    names = {check.name for check in verdict.checks}
    assert names >= {name for name, _ in BUGS} - {"diversity"}


def test_the_good_one_holds_with_diverse_values(tmp_path: Path) -> None:
    draft = good()
    draft.diverse()
    verdict = judged(draft, tmp_path)
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert "diversity" in {check.name for check in verdict.checks}


def test_the_good_one_holds_without_the_ledger(tmp_path: Path) -> None:
    verdict = judged(good(), tmp_path, ledger=False)
    assert verdict.holds, [str(check) for check in verdict.failures]
    assert verdict.figures["undecided_rows"] == 0


@pytest.mark.parametrize(("check", "bug"), BUGS, ids=[bug.__name__ for _, bug in BUGS])
def test_the_right_check_catches(check: str, bug: Bug, tmp_path: Path) -> None:
    bad = good()
    bug(bad)
    verdict = judged(bad, tmp_path)
    assert not verdict.holds
    assert failing(verdict) == {check} | also(PATTERNS, bug)
    assert_witnesses(verdict)
    text = str(verdict.to_dict()) + verdict._repr_html_()
    for secret in ("Ann", "Pia", "10.2", "37.7", "cbba", "table.csv"):
        assert secret not in text


WITHOUT_LEDGER = [
    pair
    for pair in BUGS
    if pair[0] in ABOUT_PEOPLE and not pair[1].__name__.startswith("two_people_are_remembered")
]


@pytest.mark.parametrize(
    ("check", "bug"), WITHOUT_LEDGER, ids=[bug.__name__ for _, bug in WITHOUT_LEDGER]
)
def test_the_table_is_enough(check: str, bug: Bug, tmp_path: Path) -> None:
    bad = good()
    bug(bad)
    assert "rows" in failing(judged(bad, tmp_path, ledger=False)), check


ALONE = [pair for pair in BUGS if pair[0] not in NEEDS_MICRODATA | NEEDS_LEDGER]


@pytest.mark.parametrize(("check", "bug"), ALONE, ids=[bug.__name__ for _, bug in ALONE])
def test_the_release_alone_betrays_it(check: str, bug: Bug, tmp_path: Path) -> None:
    bad = good()
    bug(bad)
    assert check in failing(verify(bad.write(tmp_path / "0001")))


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) + len(REFUSED) >= 60
    assert len({bug.__name__ for _, bug in BUGS}) == len(BUGS)


@pytest.mark.parametrize("bug", REFUSED, ids=[bug.__name__ for bug in REFUSED])
def test_the_reader_refuses(bug: Bug, tmp_path: Path) -> None:
    spoilt = good()
    bug(spoilt)
    with pytest.raises(ReleaseError, match=r"datapackage\.json is not the description .* \(.+\)"):
        spoilt.write(tmp_path / "0001")
