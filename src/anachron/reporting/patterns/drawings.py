"""Drawings of published groups: what anybody who has the release could draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anachron.reporting.charts import Chart, together
from anachron.reporting.patterns.published import Panel, Published
from anachron.reporting.words import digits, plural

__all__ = ["envelopes", "every", "levels", "shapes"]

MOST_TIMES = 200
"""As many can be told apart in a drawing."""


def every(times: Sequence[str]) -> int:
    """How many neighbouring times are drawn as one."""
    return together(len(times), MOST_TIMES)


def envelopes(shown: Published) -> Chart:
    """The lowest and the highest value of a few groups at each time."""
    step = every(shown.values)
    points = [
        (order, panel, time, min(panel.low[at : at + step]), max(panel.high[at : at + step]))
        for order, panel in enumerate(shown.panels)
        for at, time in list(enumerate(shown.values))[::step]
    ]
    return Chart(
        name="envelopes",
        says="The lowest and the highest published value at each time, of a few groups.",
        records=tuple(
            {"group": _title(panel), "order": order, "time": time, "low": low, "high": high}
            for order, panel, time, low, high in points
        ),
        head=("group", "time", "low", "high"),
        rows=tuple(
            (digits(panel.group), time, f"{low:,g}", f"{high:,g}")
            for _, panel, time, low, high in points
        ),
        numeric=(0, 2, 3),
    )


def shapes(shown: Published) -> Chart:
    """The patterns of a few groups, one below the other."""
    deepest = max((len(panel.words) for panel in shown.panels), default=0)
    return Chart(
        name="shapes",
        says="The patterns of a few groups, with the number of people who have each.",
        records=tuple(
            {"group": _title(panel), "order": order, "place": place, **point}
            for order, panel in enumerate(shown.panels)
            for place in range(deepest)
            for point in _points(panel, place, shown.patterns)
        ),
        head=("group", "rows", "level", "pattern"),
        rows=tuple(
            (digits(panel.group), digits(word.rows), str(word.level), word.text)
            for panel in shown.panels
            for word in panel.words
        ),
        numeric=(0, 1, 2),
    )


def _points(panel: Panel, place: int, times: tuple[str, ...]) -> Iterator[dict[str, str | float]]:
    """The letters of the pattern in a place; an empty place needs a point too, to stay free."""
    if place >= len(panel.words):
        yield {"time": times[0]}
        return
    word, step = panel.words[place], every(times)
    label = f"{plural(word.rows, 'row')}, level {word.level}"
    for time, letter in zip(times[::step], word.text[::step], strict=True):
        # Where a letter stands between the lowest and the highest that the level has.
        height = (ord(letter) - ord("a") + 0.5) / word.level
        named = {"label": label} if time == times[0] else {}
        yield {"time": time, "height": height, **named}


def levels(shown: Published) -> Chart:
    """How many people have a pattern of each level."""
    pairs = list(enumerate(shown.levels, 1))
    return Chart(
        name="levels",
        says="How many people have a pattern of each level.",
        records=tuple({"level": level, "people": n} for level, n in pairs),
        head=("level", "people"),
        rows=tuple((str(level), digits(n)) for level, n in pairs),
        numeric=(0, 1),
    )


def _title(panel: Panel) -> str:
    return f"group {digits(panel.group)}, {plural(panel.rows, 'row')}"
