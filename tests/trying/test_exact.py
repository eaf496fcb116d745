"""What is tried is what is published: the figures of a row, and the reason of a refusal."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.errors import AnachronError
from anachron.flow import standing
from anachron.trying.trial import Tried
from tests.trying import cases


def published(plan: an.Plan, guarantee: Any, table: pa.Table) -> an.Release | str:
    """Publish with a setting: the release, or why there is none."""
    try:
        return an.publish(table, plan.schema, guarantee, ledger=plan.ledger, to=plan.releases)
    except AnachronError as error:
        return str(error)


def told_of(release: an.Release) -> dict[str, Any]:
    assert release.explanation is not None
    return dict(release.explanation)


def some_setting(tried: an.Trial, seed: int) -> list[Tried]:
    """All answers of one setting, drawn among those that make a promise."""
    row = random.Random(seed).choice([row for row in tried if row.guarantee is not None])
    return [one for one in tried if one.guarantee == row.guarantee]


def compared(found: list[Tried], release: an.Release | str) -> dict[str, Any] | None:
    """See that a setting is refused for the same reason; or give what the owner is told."""
    if isinstance(release, str):
        assert [row.reason for row in found] == [release]
        return None
    assert all(row.kept for row in found)
    assert [row.chosen for row in found] == [True] + [False] * (len(found) - 1)
    return told_of(release)


def test_every_answer_of_events(tmp_path: Path) -> None:
    refused, several, left_out = events(tmp_path, range(4))
    assert refused >= 1 <= several <= 4 - refused
    assert left_out


def events(folder: Path, seeds: range) -> tuple[int, int, int]:
    """Compare tables of events; how many were refused, had several answers, and lost rows?"""
    refused = several = left_out = 0
    for seed in seeds:
        table, promise, over = cases.events(seed)
        plan = cases.planned(cases.EVENTS, promise, folder / f"events {seed}")
        tried = an.trial(plan, over, table=table)
        assert not plan.ledger.exists()
        found = some_setting(tried, seed)
        release = published(plan, found[0].guarantee, table)
        told = compared(found, release)
        if told is None:
            refused += 1
            continue
        assert isinstance(release, an.Release)
        figures: list[Any] = [row.figures for row in found]
        assert [
            (f.granularity, f.smallest_group, f.people_in_groups, f.groups, f.left_out)
            for f in figures
        ] == [
            (a["granularity"], *a["gen_c"], a["groups"], a["suppressed_rows"])
            for a in told["answers"]
        ]
        assert [(f.mean_length_days, f.quasi_loss or 0.0) for f in figures] == [
            (a["mean_length_days"], float(a["quasi_loss"])) for a in told["answers"]
        ]
        assert table.num_rows - release.rows == figures[0].left_out
        assert release.table().group_by("group").aggregate([]).num_rows == figures[0].groups
        several, left_out = several + (len(found) > 1), left_out + (figures[0].left_out > 0)
    return refused, several, left_out


def test_a_register_from_its_first_release_to_the_next(tmp_path: Path) -> None:
    for seed, mode in enumerate(("paper", "sticky")):
        folder = tmp_path / mode
        values = [] if mode == "paper" else [*cases.ILLS, *"abcdef"]
        promise = an.MInvariance(m=2, mode=mode, values=values, when_ineligible="refuse")
        plan = cases.planned(cases.REGISTER, promise, folder)
        an.Ledger.open(plan.ledger)  # its key draws the lots, of trials and releases alike
        for begin in (0, 15):
            table = cases.register(seed + begin, begin)
            tried = an.trial(plan, table=table, accept="changes")
            [row] = tried
            release = an.publish(
                table, plan.schema, promise, ledger=plan.ledger, to=plan.releases, accept="changes"
            )
            told, figures = compared([row], release), row.figures
            assert told is not None
            assert figures is not None
            assert figures.to_dict() == {
                "fewest_values": told["smallest_signature"],
                "chance": 1 / told["smallest_signature"],
                "published": release.rows - told["counterfeits"],
                "counterfeits": told["counterfeits"],
                "counterfeit_share": told["counterfeits"] / release.rows,
                "held_back": told["held"],
                "left_out": told["refused"],
                "groups": told["groups"],
                "sets": told["signatures"],
            }
            number = "1 release." if begin else "nothing is published on it yet."
            assert number in tried.basis[0]
            assert "with the key of the ledger" in tried.basis[1]


def test_registers_under_other_promises(tmp_path: Path) -> None:
    assert registers(tmp_path, range(2)) == 1


def registers(folder: Path, seeds: range) -> int:
    """Compare first releases of registers; how many are published?"""
    kept = 0
    for seed in seeds:
        promise = an.MInvariance(m=2)
        plan = cases.planned(cases.REGISTER, promise, folder / f"register {seed}")
        an.Ledger.open(plan.ledger)
        table = cases.register(seed)
        over = {"m": [3, 4, 5, 9], "when_ineligible": ["hold", "refuse"]}
        found = some_setting(an.trial(plan, over, table=table), seed)
        told = compared(found, published(plan, found[0].guarantee, table))
        if told is not None:
            figures: Any = found[0].figures
            assert (figures.held_back, figures.counterfeits) == (told["held"], told["counterfeits"])
            kept += 1
    return kept


@pytest.mark.parametrize("then", ["anatomy", "generalize", "invariance"])
def test_a_whole_feed(tmp_path: Path, then: str) -> None:
    assert feeds(tmp_path, then, range(5, 6)) == 1


def feeds(folder: Path, then: str, seeds: range) -> int:
    """Compare feeds; of how many is anything published?"""
    kept = 0
    inside = then == "invariance"
    promise = an.Reposition(
        l=2, window=2, repeated="one", then=an.MInvariance(m=2) if inside else then
    )
    over = {"window": [1, 3]} if inside else {"l": [2, "5/2", 7], "window": [1, 2, 4]}
    for seed in seeds:
        plan = cases.planned(cases.FEED, promise, folder / f"{then} {seed}")
        an.Ledger.open(plan.ledger)
        table = cases.feed(seed)
        found = some_setting(an.trial(plan, over, table=table), seed)
        last = published(plan, found[0].guarantee, table)
        if compared(found, last) is None:
            continue
        told = [entry.explanation for entry in an.Ledger.open(plan.ledger).entries()]
        books = standing(plan.ledger)
        assert books is not None
        figures: Any = found[0].figures
        total = books.account.total
        assert (figures.published, figures.left_out, figures.dropped, figures.refused) == (
            total.published, total.left_out, total.dropped, total.refused
        )  # fmt: skip
        assert (figures.releases, figures.moved) == (len(told), sum(one["moved"] for one in told))
        assert Fraction(figures.loss) == sum(Fraction(one["loss"]) for one in told)
        if inside:
            least = min(one["invariance"]["smallest_signature"] for one in told)
            fake = sum(one["invariance"]["counterfeits"] for one in told)
            assert (figures.fewest_values, figures.counterfeits) == (least, fake)
        else:
            shares = [s["largest_share"] for one in told for s in one["snapshots"]]
            assert figures.largest_share == max(shares)
        kept += 1
    return kept


def test_series(tmp_path: Path) -> None:
    assert series(tmp_path, range(2)) == 2


def series(folder: Path, seeds: range) -> int:
    """Compare tables of series; how many are published?"""
    kept = 0
    over = {"k": [5, 12, 80], "algorithm": ["kapra", "naive"], "l": [None, 2]}
    for seed in seeds:
        plan = cases.planned(cases.SERIES, an.KPAnonymity(k=4, P=2), folder / f"series {seed}")
        an.Ledger.open(plan.ledger)
        table = cases.series(seed)
        found = some_setting(an.trial(plan, over, table=table), seed + 16)
        release = published(plan, found[0].guarantee, table)
        told = compared(found, release)
        if told is None:
            continue
        assert isinstance(release, an.Release)
        figures: Any = found[0].figures
        assert figures.published == release.rows
        assert figures.left_out == 50 - release.rows
        assert figures.value_loss * release.rows == pytest.approx(told["value_loss"])
        assert figures.pattern_loss * release.rows == pytest.approx(told["pattern_loss"])
        assert (figures.groups, figures.subgroups) == (told["groups"], told["subgroups"])
        assert figures.chance == told["breach"]["by_count"]
        assert figures.value_chance == told["breach"]["values"]["ill"]["by_count"]
        kept += 1
    return kept


def test_a_feed_goes_on_from_where_it_stands(tmp_path: Path) -> None:
    plan = cases.planned(cases.FEED, an.Reposition(l=2, window=2, repeated="one"), tmp_path)
    table = cases.feed(5).sort_by("day")
    days = sorted(set(table["day"].to_pylist()))
    early = pa.compute.is_in(table["day"], pa.array(days[:3]))
    an.open(plan).push(table.filter(early))
    rest = table.filter(pa.compute.invert(early))
    [row] = an.trial(plan, table=rest)
    published(plan, plan.guarantee, rest)
    books = standing(plan.ledger)
    assert books is not None
    figures: Any = row.figures
    assert (figures.published, figures.left_out) == (
        books.account.total.published, books.account.total.left_out
    )  # fmt: skip
    assert figures.published + figures.left_out + figures.dropped == table.num_rows


def test_what_is_published_already_is_told_and_other_views_of_it_are_refused(
    tmp_path: Path,
) -> None:
    table, promise, _ = cases.events(1)
    plan = cases.planned(cases.EVENTS, promise, tmp_path)
    fresh = an.trial(plan, {"k": [3, 4]}, table=table)
    an.publish(table, plan.schema, promise, ledger=plan.ledger, to=plan.releases)
    tried = an.trial(plan, {"k": [3, 4]}, table=table)
    assert [row for row in tried if row.own] == [row for row in fresh if row.own]
    [other] = [row for row in tried if not row.own]
    assert "was published before, as release 1, with another schema or guarantee" in other.reason
    assert "taken into account: 1 release." in tried.basis[0]
    ahead = an.trial(plan, {"k": [3, 4]}, table=table, past=False)
    assert ahead.rows == fresh.rows
    assert ahead.basis[0].startswith("The past was not taken into account")
    more = pa.concat_tables([table, table.slice(0, 1).set_column(0, "who", pa.array(["new"]))])
    [overlap] = {row.reason for row in an.trial(plan, table=more)}
    assert overlap == published(plan, promise, more)
    assert "already stand in release 1" in overlap


@pytest.mark.campaign
def test_two_hundred_settings_of_all_methods(tmp_path: Path) -> None:
    events(tmp_path, range(100, 180))
    registers(tmp_path, range(100, 140))
    for then in ("anatomy", "generalize", "invariance"):
        feeds(tmp_path, then, range(100, 115))
    series(tmp_path, range(100, 140))
