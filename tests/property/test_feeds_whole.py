"""Whole feeds, of every kind: promises kept, repeats harmless, books balanced. More: a campaign."""

from __future__ import annotations

import pytest

from tests.oracle.feed_play import play_many


def test_feeds_with_all_but_the_disk() -> None:
    seen = play_many("feeds", 1, range(24))
    assert seen.feeds == 24
    assert min(seen.late, seen.dropped, seen.doubles, seen.returns, seen.refusals) > 2
    assert min(seen.releases, seen.ended) > 12
    assert seen.repeats > 60


def test_feeds_through_the_api_with_the_ledger_opened_for_every_push() -> None:
    seen = play_many("opened", 2, range(2))
    assert (seen.feeds, seen.releases > 2, seen.repeats > 5) == (2, True, True)


@pytest.mark.campaign
def test_a_feed_on_the_command_line_in_a_new_process_for_every_push() -> None:
    assert play_many("commanded", 4, range(26, 27)).feeds == 1


def test_who_has_two_records_somewhere_is_not_forgotten_there_when_one_is_exchanged() -> None:
    """A feed in which somebody was to be published twice on a day."""
    assert play_many("feeds", 201, range(1036, 1037)).published == 13
