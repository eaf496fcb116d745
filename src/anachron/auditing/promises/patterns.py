"""Does a release of series keep its promise?"""

from __future__ import annotations

from collections.abc import Container

from anachron.auditing.check import Figures
from anachron.auditing.checks import form, memory, people, rows, values
from anachron.auditing.evidence.breaches import attacked, breaches
from anachron.auditing.evidence.series import Misfit, Own, own_series
from anachron.auditing.evidence.standing import (
    Possibly,
    listed_people,
    possibly,
    ranges_of,
    standing,
)
from anachron.auditing.history import TablePast
from anachron.auditing.promises.at_hand import Promise, ways_to_read
from anachron.auditing.reading.description import series_of
from anachron.auditing.reading.form import Series
from anachron.auditing.reading.series import SeriesRows, series_rows
from anachron.behind import Microdata

__all__ = ["PATTERNS"]


def _read(form: Series, offered: Microdata) -> Own | str:
    """The series of everyone; or why the microdata cannot be those of the release."""
    try:
        return own_series(form, offered)
    except Misfit as misfit:
        return str(misfit)


def _figures(form: Series, rows: SeriesRows) -> Figures:
    return {
        "rows": len(rows.group),
        "groups": len(rows.groups),
        "subgroups": len(rows.size),
        "smallest_group": rows.smallest_group,
        "smallest_subgroup": int(rows.size.min(initial=len(rows.group))),
        "mean_level": f"{float(rows.level.sum()) / max(len(rows.group), 1):.2f}",
        "suppressed": form.suppressed,
    }


def _figures_of_people(
    rows: SeriesRows, own: Own, held: Container[str], possibly: Possibly | None = None
) -> Figures:
    figures: Figures = {"people": len(own)}
    if possibly is not None:
        figures["undecided_rows"] = possibly.undecided
    elif people.behind_each_row.name in held:  # then every row of a group is another person
        figures["people_in_smallest_group"] = rows.smallest_group
    return figures


PATTERNS = Promise(
    ways={
        **ways_to_read(series_of),
        "rows": series_rows,
        "read": _read,
        "misfit": lambda read: "" if isinstance(read, Own) else read,
        "own": lambda read: read if isinstance(read, Own) else None,
        "ranges": ranges_of,
        "remembered": lambda rows, history: (
            history if memory.state_of_series.holds(rows, history) else None
        ),
        "listed": lambda own, offered, remembered: listed_people(own, offered, remembered),
        "standing": standing,
        "possibly": lambda rows, own, ranges, remembered=None: (
            possibly(rows, own, ranges) if remembered is None else None
        ),
        "attacks": attacked,
    },
    checks=(
        rows.of_envelopes,
        rows.of_patterns,
        values.diverse_patterns,
        people.suppressed,
        people.for_each_row,
        people.values_covered,
        people.own_pattern,
        people.own_value,
        people.behind_each_row,
        people.breach,
        values.diverse_sets,
        values.words,
        values.envelopes,
        form.offer_of_series,
        rows.numbers_of_series,
        rows.order_of_series,
        memory.state_of_series,
        form.roles_of_series,
        memory.of_series,
        form.columns,
        form.more_columns,
        form.package,
        form.names,
    ),
    figures=(_figures, _figures_of_people, breaches),
    past=TablePast,
)
