"""Who plays which story."""

from __future__ import annotations

import anachron as an
from tests.oracle.worlds.events import Events
from tests.oracle.worlds.feeds import Feed
from tests.oracle.worlds.play import Player, Register
from tests.oracle.worlds.story import Story

__all__ = ["player"]


def player(story: Story) -> Player:
    if isinstance(story.promise, an.Reposition):
        return Feed(story)
    if isinstance(story.promise, an.TimeGranularity):
        return Events(story)
    return Register(story)
