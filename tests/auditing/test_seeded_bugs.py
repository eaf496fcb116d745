"""Privacy bugs, seeded one by one into a good release: the right check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.auditing.run import verify
from anachron.errors import ReleaseError
from tests.auditing import bugs_in_form, bugs_in_substance  # noqa: F401 (importing them seeds)
from tests.auditing.consequences import GRANULARITY, also, assert_witnesses
from tests.auditing.draft import draft, loaded, microdata, published
from tests.auditing.seeding import BUGS, REFUSED, Bug


@pytest.mark.parametrize(("check", "bug"), BUGS, ids=[bug.__name__ for _, bug in BUGS])
def test_the_right_check_catches(check: str, bug: Bug, tmp_path: Path) -> None:
    spoilt = draft()
    bug(spoilt)
    release = spoilt.write(tmp_path / "0001")
    with loaded() as held:
        verdict = verify(release, microdata=held)
    assert not verdict.holds
    assert {failed.name for failed in verdict.failures} == {check} | also(GRANULARITY, bug)
    assert str(verdict).startswith("fails: ")
    assert_witnesses(verdict)


NEEDS_MICRODATA = {
    "people",
    "share",
    "suppression",
    "left out",
    "whole groups",
    "sensitive values",
    "one group",
}


@pytest.mark.parametrize(
    ("check", "bug"),
    [pair for pair in BUGS if pair[0] not in NEEDS_MICRODATA],
    ids=[bug.__name__ for check, bug in BUGS if check not in NEEDS_MICRODATA],
)
def test_the_release_alone_betrays_it(check: str, bug: Bug, tmp_path: Path) -> None:
    spoilt = draft()
    bug(spoilt)
    verdict = verify(spoilt.write(tmp_path / "0001"))
    assert check in {failed.name for failed in verdict.failures}


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) + len(REFUSED) >= 60
    assert len({bug.__name__ for _, bug in BUGS}) == len(BUGS)


def test_the_microdata_of_somebody_else(tmp_path: Path) -> None:
    """The right release of other rows is not the release of these."""
    others = [row | {"cost": row["cost"] + 1} for row in microdata()]
    with loaded(others) as held:
        verdict = verify(draft().write(tmp_path / "0001"), microdata=held)
    assert {failed.name for failed in verdict.failures} == {"sensitive values"}
    assert published(others[0])["cost"] == others[0]["cost"]


@pytest.mark.parametrize("bug", REFUSED, ids=[bug.__name__ for bug in REFUSED])
def test_the_reader_refuses(bug: Bug, tmp_path: Path) -> None:
    spoilt = draft()
    bug(spoilt)
    with pytest.raises(ReleaseError, match=r"datapackage\.json is not the description .* \(.+\)"):
        spoilt.write(tmp_path / "0001")
