"""Counts by what groups teach: a worked example, a slow twin, bounds, and as users ask."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import anachron as an
from anachron.asking.compiling import counts
from anachron.asking.learned import SHARED, Learned
from anachron.asking.question import All
from anachron.cli.main import anachron
from anachron.errors import QuestionError
from anachron.kernels.learning import cut
from tests.asking.made import between, made, one_of, sensitive, text, whole
from tests.oracle.learning import chances

COLUMNS = [whole("age", "exact"), text("sex"), sensitive("ill")]
# The old have gout. Groups with two of the young have none.
GROUPS = [([20, 70], ["flu", "gout"]), ([20, 20], ["flu", "cold"]), ([20, 70], ["cold", "gout"])]


def layout(groups: list[tuple[list[int], list[str]]]):
    rows = [(at, age) for at, (ages, _) in enumerate(groups) for age in ages]
    cells = sorted((at, ill) for at, (_, ills) in enumerate(groups) for ill in ills)
    tally = [(*cell, len(list(some))) for cell, some in itertools.groupby(cells)]
    return made(
        COLUMNS,
        {"group": [at for at, _ in rows], "age": [age for _, age in rows],
         "sex": ["f"] * len(rows)},
        None,
        dict(zip(("group", "ill", "count"), map(list, zip(*tally, strict=True)), strict=True)),
    )  # fmt: skip


OLD_WITH_GOUT = All((between("age", 60, 80), one_of("ill", "gout")))


def test_groups_teach_that_the_old_have_gout() -> None:
    here = layout(GROUPS * 10)
    even, learned = counts(here, [OLD_WITH_GOUT]), Learned(here)([OLD_WITH_GOUT])
    assert even.estimate[0] == pytest.approx(10)
    assert learned.estimate[0] == pytest.approx(20, abs=0.3)
    assert (learned.low[0], learned.high[0]) == (even.low[0], even.high[0]) == (0, 20)


def test_what_is_settled_stays_exact() -> None:
    here = layout(GROUPS)
    for one in (between("age", 60, 80), one_of("ill", "gout")):
        found = Learned(here)([one])
        assert found.estimate[0] == found.low[0] == found.high[0] == 2


def test_a_slow_twin_gives_the_same_chances() -> None:
    groups = [([20, 30, 70, 75], ["flu", "flu", "cold", "gout"]), *(GROUPS[0], GROUPS[2]) * 3]
    here = layout(groups)
    found = Learned(here)([OLD_WITH_GOUT])
    p = [
        chance["gout"]
        for (ages, _), some in zip(groups, chances(groups), strict=True)
        for age, chance in zip(ages, some, strict=True)
        if 60 <= age <= 80 and "gout" in chance
    ]
    assert found.estimate[0] == pytest.approx(math.fsum(p), abs=1e-6)
    variance = math.fsum(one * (1 - one) for one in p)
    assert found.variance[0] == pytest.approx(variance, abs=1e-6)
    assert found.lean[0] == pytest.approx(SHARED * variance, abs=1e-6)


AGES = st.lists(st.sampled_from([20, 40, 70]), min_size=2, max_size=4)


@settings(max_examples=30, deadline=None)
@given(st.lists(AGES, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_bounds_are_those_of_all_worlds_and_hold_the_estimate(ages, lots) -> None:
    groups = [(some, [lots.choice(["flu", "cold", "gout"]) for _ in some]) for some in ages]
    here = layout(groups)
    found = Learned(here)([OLD_WITH_GOUT])
    assert (found.low[0], found.high[0]) == _worlds(groups)
    assert found.low[0] - 1e-9 <= found.estimate[0] <= found.high[0] + 1e-9


def _worlds(groups: list[tuple[list[int], list[str]]]) -> tuple[int, int]:
    """Try all ways to give the values of each group to its rows."""
    least = most = 0
    for ages, ills in groups:
        seen = [
            sum(age >= 60 and ill == "gout" for age, ill in zip(ages, dealt, strict=True))
            for dealt in itertools.permutations(ills)
        ]
        least, most = least + min(seen), most + max(seen)
    return least, most


def test_classes_are_of_equally_many() -> None:
    assert np.bincount(cut(np.arange(1000), 10, 4)).tolist() == [250] * 4


# As users ask

ILL = [(20, "flu"), (70, "gout"), (20, "cold"), (75, "gout"), (25, "burn"), (30, "flu")]
DAYS = [(f"2024-05-{day:02}", age, ill) for day in range(1, 21) for age, ill in ILL * 4]
TABLE = pa.table(
    {
        "who": range(len(DAYS)),
        "day": [day for day, _, _ in DAYS],
        "age": [age for _, age, _ in DAYS],
        "ill": [ill for _, _, ill in DAYS],
    }
)
SCHEMA = an.Schema("who", "day", "age", "ill")
QUESTION = "SELECT COUNT(*) WHERE age >= 60 AND ill = 'gout'"


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> an.Release:
    place = tmp_path_factory.mktemp("learned")
    return an.publish(
        TABLE, SCHEMA, an.Reposition(l=2, window=3), ledger=place / "l", to=place / "r"
    )


def test_learned_is_the_default_and_even_an_option(release) -> None:
    learned, even = release.ask(QUESTION), release.ask(QUESTION, estimate="even")
    assert learned.to_dict() == an.ask(release.path, QUESTION).to_dict()
    assert learned.to_dict() == release.ask(QUESTION, estimate="learned").to_dict()
    assert even.to_dict() == an.ask(release.path, QUESTION, estimate="even").to_dict()
    assert (learned.low, learned.high) == (even.low, even.high)
    assert abs(learned.estimate - 160) < abs(even.estimate - 160)


def test_windows_have_an_error_though_records_may_be_late(release) -> None:
    window = f"{QUESTION} AND day >= '2024-05-03' AND day < '2024-05-10'"
    assert release.ask(window, estimate="even").rows[0].figures[0].error is None
    assert release.ask(window).rows[0].figures[0].error > 0


def test_only_latecomers_could_count_so_no_error_is_known(release) -> None:
    before = f"{QUESTION} AND day >= '2024-04-29' AND day < '2024-05-01'"
    found = release.ask(before).rows[0].figures[0]
    assert found.high > 0
    assert (found.estimate, found.error) == (0, None)


def test_few_groups_teach_nothing(tmp_path: Path) -> None:
    few = an.publish(
        TABLE.slice(0, 96), SCHEMA, an.Reposition(l=2, window=3),
        ledger=tmp_path / "l", to=tmp_path / "r",
    )  # fmt: skip
    assert few.ask(QUESTION).to_dict() == few.ask(QUESTION, estimate="even").to_dict()


def test_another_estimate_is_refused(release) -> None:
    with pytest.raises(QuestionError, match="learned, even"):
        release.ask(QUESTION, estimate="best")


def test_the_command_has_the_option(release) -> None:
    def told(*more: str) -> str:
        return CliRunner().invoke(anachron, ["ask", str(release.path), QUESTION, *more]).output

    assert told() == told("--estimate", "learned") != told("--estimate", "even")
    assert "'best' is not one of" in told("--estimate", "best")


def test_pushes_teach_together(tmp_path: Path) -> None:
    promise = an.Reposition(l=2, window=1)
    whole = an.publish(TABLE, SCHEMA, promise, ledger=tmp_path / "l", to=tmp_path / "r")
    feed = an.open(
        an.Plan("none.csv", SCHEMA, promise, ledger=tmp_path / "m", releases=tmp_path / "s")
    )
    for at in (0, 240):
        feed.push(TABLE.slice(at, 240))
    feed.flush()
    parts = an.ask(tmp_path / "s", QUESTION)
    assert parts.estimate == pytest.approx(whole.ask(QUESTION).estimate, abs=8.0)
    assert parts.to_dict() == an.ask(tmp_path / "s", QUESTION).to_dict()


def test_the_certificate_tells_what_the_attack_guesses(release, tmp_path: Path) -> None:
    for language, words in (("en", "It was tried:"), ("de", "Es wurde versucht:")):
        page = tmp_path / f"{language}.html"
        an.report(
            release, page, table=TABLE, schema=SCHEMA, ledger=release.path.parent.parent / "l",
            attacks=True, language=language,
        )  # fmt: skip
        assert words in page.read_text("utf-8")
