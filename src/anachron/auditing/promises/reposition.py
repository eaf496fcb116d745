"""Does a release of a feed keep its promise?"""

from __future__ import annotations

from collections.abc import Container

from anachron.auditing.check import Figures
from anachron.auditing.checks import form, history, memory, people, rows, values
from anachron.auditing.evidence.feed import FeedState, feed_state
from anachron.auditing.evidence.laid import Laid, figures_of_records, laid_out
from anachron.auditing.evidence.records import Records, records_of
from anachron.auditing.history import FeedPast
from anachron.auditing.promises.at_hand import Promise, fitting, ways_to_read
from anachron.auditing.reading.description import feed_of
from anachron.auditing.reading.feed import FeedRows, feed_rows, largest_share
from anachron.engines.local.load import Loaded

__all__ = ["REPOSITION"]


def _figures(rows: FeedRows) -> Figures:
    most, size, values = rows.in_groups
    share = largest_share(most, size)
    return {
        "rows": len(rows.row_group),
        "snapshots": len(rows.snapshots.start),
        "groups": len(rows.number),
        "rows_in_smallest_group": rows.smallest_group,
        "values_in_smallest_group": int(values.min(initial=len(rows.domain))),
        "largest_share_of_a_value": share,
        "largest_posterior": share,
    }


def _figures_of_people(rows: FeedRows, laid: Laid, held: Container[str]) -> Figures:
    # If everyone has one record, every row of a group is another person.
    known = laid and people.one_record_each.name in held
    return {"people_in_smallest_group": rows.smallest_group} if known else {}


def _gathered(
    state: FeedState, history: FeedPast, table: Loaded | None = None, records: Records | None = None
) -> bool | None:
    there = state and (table is not None or history.waiting is not None)
    return records is not None if there else None


REPOSITION = Promise(
    ways={
        **ways_to_read(feed_of),
        "rows": feed_rows,
        "intervals": lambda form: form.intervals if form.value_file is None else None,
        "boxed": lambda rows, intervals: rows if intervals is not None else None,
        "zone": lambda form: form.zone,
        "times": lambda rows: (rows.snapshots.start, rows.snapshots.end),
        "table": fitting(form.roles_of_feed),
        "dated": lambda offered: offered,
        "state": lambda form, history: feed_state(form, history.state),
        "remembered": lambda form, history, state=None: bool(form and history and state),
        "before": lambda history: history.before,
        "feed": lambda form: form.promise,
        "books": lambda history: history.books,
        "pushed": lambda table: table,
        "until": lambda state: int(state.start[-1]),
        "records": records_of,
        "gathered": _gathered,
        "laid": laid_out,
    },
    checks=(
        values.diverse_groups,
        values.eligible_snapshots,
        history.forward,
        history.delay,
        history.once,
        people.records_published,
        people.records_could_be_published,
        people.one_record_each,
        people.diverse_on_time,
        people.records_covered,
        people.linked,
        values.snapshots,
        values.one_snapshot,
        values.intervals,
        form.offer_of_intervals,
        rows.counts_of_values,
        rows.order_of_feed,
        rows.numbers_of_feed,
        form.roles_of_feed,
        values.recorded_times,
        memory.due,
        memory.state_of_feed,
        history.account,
        memory.state_of_waiting,
        memory.of_feed,
        form.columns,
        form.more_columns,
        form.package,
        form.names,
    ),
    figures=(_figures, figures_of_records, _figures_of_people),
)
