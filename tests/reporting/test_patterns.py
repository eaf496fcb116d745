"""The certificate of series: what stands on it, and what must never stand on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from anachron.reporting.html import html
from anachron.reporting.patterns.shown import GroupWord, Panel, SeriesShown
from tests.reporting.pages import text
from tests.reporting.series_stand_ins import TIMES, envelopes, record, release, rows, verdict

CUSTOM = {"values": ["mon", "tue"], "patterns": ["mon", "tue", "wed"]}


@pytest.fixture
def shown(tmp_path: Path) -> SeriesShown:
    return SeriesShown(release(tmp_path))


def test_the_promise_is_said_in_plain_words(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), None))
    assert "Whoever knows a person’s values finds at least 4 people whom they fit." in said
    assert "a guess at the person’s row is right with a chance of at most one in 2." in said
    assert "no value of illness" not in said
    alone = text(html(release(tmp_path, P=1), verdict(), None))
    assert "The shape is not protected" in alone


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"l": 2}, "no value of illness belongs to more than one in 2."),
        ({"l": 2, "noise": "3"}, "Numbers no further than 3 apart count as the same."),
        (
            {"l": 2, "noise": "3", "diversity": "paper"},
            "no value of illness stands in more than one in 2, after repeated values were changed "
            "by at most 3.",
        ),
    ],
)
def test_diversity_is_promised_as_it_was_set(
    tmp_path: Path, settings: dict[str, object], sentence: str
) -> None:
    assert sentence in text(html(release(tmp_path, **settings), verdict(), None))


def test_numbers_agree_with_counting_by_hand(shown: SeriesShown) -> None:
    assert (shown.rows, shown.groups, shown.subgroups, shown.smallest_subgroup) == (14, 3, 5, 2)
    assert [(size.low, size.groups) for size in shown.sizes] == [(4, 1), (5, 2)]
    assert shown.levels == (5, 3, 4, 2, 0)
    assert shown.mean_level == pytest.approx((5 + 6 + 12 + 8) / 14)
    # Rows by the width of their envelope: four times 1, five times 2, five times 3.
    assert shown.width is not None
    assert (shown.width.half, shown.width.most, shown.width.widest) == (2, 3, 3)
    assert shown.width.whole == 23
    assert shown.sensitive == ("illness",)


def test_groups_are_drawn_from_the_finest_shapes_to_the_coarsest(shown: SeriesShown) -> None:
    assert [(panel.group, panel.rows) for panel in shown.panels] == [(1, 4), (3, 5), (2, 5)]
    assert [word.text for word in shown.panels[1].words] == ["abb", "dba"]
    assert (shown.panels[0].low, shown.panels[0].high) == ((10,) * 3, (11,) * 3)


def test_every_drawing_has_its_figures(shown: SeriesShown) -> None:
    assert shown.shapes().rows == (
        ("1", "2", "3", "abc"), ("1", "2", "3", "cba"),
        ("3", "3", "2", "abb"), ("3", "2", "4", "dba"), ("2", "5", "1", "aaa"),
    )  # fmt: skip
    assert shown.envelopes().rows[0] == ("1", "mon", "10", "11")
    assert len(shown.envelopes().rows) == 9
    assert shown.levels_drawn().rows == (("1", "5"), ("2", "3"), ("3", "4"), ("4", "2"), ("5", "0"))


def test_every_place_of_the_grid_of_patterns_is_filled(shown: SeriesShown) -> None:
    drawn = {(point["order"], point["place"]) for point in shown.shapes().records}
    assert drawn == {(order, place) for order in range(3) for place in range(2)}
    labels = [point["label"] for point in shown.shapes().records if "label" in point]
    assert labels == [
        "2 rows, level 3", "2 rows, level 3", "3 rows, level 2", "2 rows, level 4",
        "5 rows, level 1",
    ]  # fmt: skip
    heights = [p["height"] for p in shown.shapes().records if p["order"] == 0 and p["place"] == 0]
    assert heights == [0.5 / 3, 1.5 / 3, 2.5 / 3]


def test_many_patterns_are_counted_that_are_not_drawn(tmp_path: Path) -> None:
    many = rows().to_pydict()
    many["pattern"] = [f"{'abcdefgh'[i % 8]}aa" for i in range(14)]
    many["level"], many["group"] = [8] * 14, [1] * 14
    given = release(tmp_path, type(rows()).from_pydict(many), envelopes(1), max_level=8)
    assert [panel.more for panel in SeriesShown(given).panels] == [2]
    said = text(html(given, verdict(), None))
    assert "2 patterns of fewer people are not drawn." in said
    assert "Nobody’s shape is left out." in said


def test_people_without_a_shape_are_counted(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), None))
    assert "Outlined: 5 people of level 1, whose shape is not told at all." in said


def test_what_was_done_counts_who_was_left_out(tmp_path: Path) -> None:
    assert "No series was left out." in text(html(release(tmp_path), verdict(), None))
    said = text(html(release(tmp_path, suppressed=1, dropped=3), verdict(), record()))
    assert "3 series with gaps were left out." in said
    assert "1 series, fewer than 2, remained" in said
    assert "Who is left out is unlike the others." in said
    assert "2 values were guessed." in said


def test_what_it_cost_is_for_the_owner(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), record(interpolated=4)))
    assert "For the owner only" in said
    assert "of values2the width" in said
    assert "of shape0.500from 0" in said
    assert "values interpolated4" in said
    handed_on = text(html(release(tmp_path), verdict(scope="published", followed=False), None))
    assert "For the owner only" not in handed_on
    assert "is in the owner’s ledger" in handed_on


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({}, "People of one shape may have the same value."),
        ({"l": 2}, "Values may be close to each other."),
        ({"l": 2, "noise": "0.1", "diversity": "paper"}, "Noise hides little."),
    ],
)
def test_the_limits_of_values_are_those_of_the_settings(
    tmp_path: Path, settings: dict[str, object], limit: str
) -> None:
    titles = (
        "People of one shape may have the same value.",
        "Values may be close to each other.",
        "Noise hides little.",
    )
    said = text(html(release(tmp_path, **settings), verdict(), record()))
    assert {title for title in titles if title in said} == {limit}


def test_attacks_that_were_measured_are_told(tmp_path: Path) -> None:
    plain = text(html(release(tmp_path), verdict(), None))
    assert "Content that continues the series gives it away." in plain
    assert "The audit tried" not in plain
    measured = verdict(largest_value_breach="1.0000", found_by_last_value="0.4200")
    said = text(html(release(tmp_path), measured, None))
    assert "found with a chance of 100 % in the worst case" in said
    assert "gives the right number in 42 % of the cases" in said


def test_bounds_are_told_to_be_somebodys(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(), None))
    assert "to within 0.5: of a group of 4, the values of up to two" in said


def test_customized_publishing_is_explained(tmp_path: Path) -> None:
    whole = text(html(release(tmp_path), verdict(), None))
    assert "Time series of 3 times, from mon to wed." in whole
    assert "Times that were left out can be estimated." not in whole
    given = release(tmp_path, bounds=envelopes(times=("mon", "tue")), times=CUSTOM)
    said = text(html(given, verdict(), None))
    assert "values of 2, from mon to tue; shapes of 3, from mon to wed." in said
    assert "Times that were left out can be estimated." in said


def test_both_tables_are_explained(tmp_path: Path) -> None:
    written = html(release(tmp_path), verdict(), None)
    assert "How many letters the pattern may use." in written
    assert "Highest value of an interval that holds &#39;wed&#39;" in written


def test_very_many_times_are_joined_so_that_the_page_stays_small(tmp_path: Path) -> None:
    times = tuple(f"t{n:04d}" for n in range(1_000))

    class Long(SeriesShown):
        values = patterns = times
        panels = (
            Panel(1, 5, tuple(map(float, range(1_000))), tuple(map(float, range(2_000, 3_000))),
                  (GroupWord("ab" * 500, 2, 5),), 0),
        )  # fmt: skip

    many = Long(release(tmp_path))
    drawn = many.envelopes().data
    assert len(drawn) == 200
    # Five times are one: the lowest and the highest of them.
    assert (drawn[1]["time"], drawn[1]["low"], drawn[1]["high"]) == ("t0005", 5.0, 2_009.0)
    assert len(many.shapes().data) == 200
    assert many.shapes().rows == (("1", "5", "2", "ab" * 500),)


def test_a_table_of_very_many_columns_is_told_from_both_ends(tmp_path: Path) -> None:
    times = tuple(f"c{n}" for n in range(253))
    several = {"values": list(times), "patterns": list(TIMES)}
    said = text(
        html(release(tmp_path, bounds=envelopes(times=times), times=several), verdict(), None)
    )
    assert "… 387 more columns, which datapackage.json lists" in said
    assert "c252_high" in said
    assert "c100_low" not in said
