"""Privacy bugs, seeded one by one into a good release: the right check must catch each."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.auditing.run import verify
from anachron.errors import ReleaseError
from tests.auditing.draft import draft, loaded, microdata, published
from tests.auditing.judging import assert_holds, assert_witnesses, failing
from tests.auditing.kinds import KINDS, REFUSED, SEEDED, series
from tests.auditing.patterns_draft import good
from tests.auditing.seeding import Bug

FIRST = {
    "register": "candidates", "anatomy": "l-diverse", "generalize": "l-diverse", "series": "k"
}  # fmt: skip
FEED = {
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
REGISTER = {
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
SERIES = {
    "smallest_group": 4,
    "smallest_subgroup": 2,
    "suppressed": 1,
    "mean_level": "3.53",
    "largest_breach": "0.5000",
    "people_in_smallest_group": 4,
}
FIGURES = {"register": REGISTER, "anatomy": FEED, "generalize": FEED, "series": SERIES}
ABOUT_PEOPLE = {"coverage", "rows", "shape", "value"}


def named(bugs: list[tuple[str, Bug]]) -> pytest.MarkDecorator:
    ids = [f"{name}-{bug.name}" for name, bug in bugs]
    return pytest.mark.parametrize(("name", "bug"), bugs, ids=ids)


@pytest.mark.parametrize("name", FIRST)
def test_the_good_one_holds(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    good = kind.good()
    if name == "series":
        good.csv = True
    else:
        good.commas = lambda rows: rows
    verdict = kind.judged(good, kind.write(good, tmp_path))
    assert_holds(verdict)
    assert verdict.checks[0].name == FIRST[name]
    assert verdict.scope == "with microdata"
    figures = dict(verdict.figures)
    if name == "series":
        assert float(str(figures["largest_posterior"])) >= 0.5
        figures = {figure: figures[figure] for figure in SERIES}
    assert figures == FIGURES[name]
    there = {check.name for check in verdict.checks}
    assert there >= {bug.check for bug in kind.of(kind.seeds.caught)} - {"changes", "diversity"}


def test_good_series_hold_with_diverse_values(tmp_path: Path) -> None:
    draft = good()
    draft.diverse()
    verdict = series(draft, tmp_path)
    assert_holds(verdict)
    assert "diversity" in {check.name for check in verdict.checks}


def test_good_series_hold_without_the_ledger(tmp_path: Path) -> None:
    verdict = series(good(), tmp_path, ledger=False)
    assert_holds(verdict)
    assert verdict.figures["undecided_rows"] == 0


@named(SEEDED)
def test_the_right_check_catches(name: str, bug: Bug, tmp_path: Path) -> None:
    kind = KINDS[name]
    bad = kind.spoilt(bug)
    release = kind.write(bad, tmp_path)
    verdict = kind.judged(bad, release)
    assert not verdict.holds
    assert str(verdict).startswith("fails: ")
    assert failing(verdict) == {bug.check} | bug.also
    assert_witnesses(verdict)
    text = str(verdict.to_dict()) + verdict._repr_html_()
    for secret in kind.secrets:
        assert secret not in text
    if kind.needs_ledger and bug.check not in kind.needs_table:
        found = kind.judged(bad, release, table=False)
        assert bug.check in failing(found), "the ledger is enough"
    if bug.check not in kind.needs_table | kind.needs_ledger:
        assert bug.check in failing(verify(release)), "the release alone betrays it"
    if name == "series" and bug.check in ABOUT_PEOPLE and "are_remembered" not in bug.name:
        found = kind.judged(bad, release, ledger=False)
        assert "rows" in failing(found), "the table is enough"


@named(REFUSED)
def test_the_reader_refuses(name: str, bug: Bug, tmp_path: Path) -> None:
    spoilt = KINDS[name].spoilt(bug)
    with pytest.raises(ReleaseError, match=r"datapackage\.json is not the description .* \(.+\)"):
        KINDS[name].write(spoilt, tmp_path)


@pytest.mark.parametrize(
    ("name", "enough"), [("events", 60), ("register", 60), ("series", 60), ("anatomy", 100)]
)
def test_there_are_enough_bugs(name: str, enough: int) -> None:
    seeds = KINDS[name].seeds
    assert len(seeds.caught) >= enough or len(seeds.caught + seeds.refused) >= enough == 60
    assert len({bug.name for bug in seeds.caught + seeds.refused}) >= 60
    assert len({(bug.name, bug.then) for bug in seeds.caught}) == len(seeds.caught)


def test_the_microdata_of_somebody_else(tmp_path: Path) -> None:
    """The right release of other rows is not the release of these."""
    others = [row | {"cost": row["cost"] + 1} for row in microdata()]
    verdict = verify(draft().write(tmp_path / "0001"), microdata=loaded(others))
    assert failing(verdict) == {"sensitive values"}
    assert published(others[0])["cost"] == others[0]["cost"]
