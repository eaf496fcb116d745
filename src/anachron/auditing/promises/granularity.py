"""Does a release of events keep its promise?"""

from __future__ import annotations

from fractions import Fraction

from anachron.auditing.check import Figures, fraction
from anachron.auditing.checks import form, memory, people, rows, values
from anachron.auditing.evidence.events import Behind, behind, percent
from anachron.auditing.history import TablePast
from anachron.auditing.promises.at_hand import Promise, fitting, ways_to_read
from anachron.auditing.reading.database import reading
from anachron.auditing.reading.description import events_of
from anachron.auditing.reading.events import (
    Disorder,
    EventGroups,
    disorder,
    event_groups,
    most_frequent,
)
from anachron.auditing.reading.form import Events
from anachron.behind import Large, Microdata

__all__ = ["GRANULARITY"]


def _published(form: Events) -> tuple[EventGroups, Disorder, Fraction]:
    with reading(form.files) as con:
        disordered = disorder(con, form)
        return event_groups(con, form), disordered, most_frequent(con, form, disordered)


def _figures(form: Events, groups: EventGroups, most: Fraction) -> Figures:
    figures: Figures = {
        "rows": int(groups.rows.sum()),
        "groups": len(groups.rows),
        "rows_in_smallest_group": int(groups.rows.min(initial=form.rows)),
        "granules": len(groups.start),
        "groups_with_one_sensitive_value": int(groups.alike.sum()),
    }
    shares = ("largest_share_of_a_value", "largest_posterior") if form.sensitive else ()
    return figures | dict.fromkeys(shares, fraction(most))


def _figures_of_people(table: Microdata | Large, behind: Behind) -> Figures:
    return {
        "people_in_smallest_group": int(behind.people.min(initial=behind.subjects)),
        "people": behind.subjects,
        "people_in_the_microdata": table.people,
        "rows_in_the_microdata": table.rows,
        "rows_left_out": behind.rows_left_out,
        "largest_share_of_one_person": percent(behind.largest_share),
    }


GRANULARITY = Promise(
    ways={
        **ways_to_read(events_of),
        "published": _published,
        "groups": lambda published: published[0],
        "disorder": lambda published: published[1],
        "most": lambda published: published[2],
        "zone": lambda form: form.zone,
        "times": lambda groups: (groups.start, groups.end),
        "table": fitting(form.roles_of_events),
        "dated": lambda table: table,
        "behind": behind,
    },
    checks=(
        people.in_groups,
        people.share,
        people.suppression,
        people.whole_groups,
        people.sensitive_values,
        people.one_group,
        people.needlessly_left_out,
        memory.remembered_people,
        values.recorded_times,
        rows.of_events,
        people.stated_suppression,
        form.roles_of_events,
        values.granules,
        values.quasi_values,
        form.offer_of_events,
        rows.order_of_events,
        rows.numbers_of_events,
        form.columns,
        form.package,
        form.names,
    ),
    figures=(_figures, _figures_of_people),
    past=TablePast,
    passes=True,
)
