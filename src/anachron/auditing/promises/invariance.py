"""Does a release of a register keep its promise?"""

from __future__ import annotations

from fractions import Fraction

from anachron.auditing.check import Figures, fraction
from anachron.auditing.checks import form, history, memory, people, rows, values
from anachron.auditing.evidence.draw import draw_of
from anachron.auditing.evidence.lifespans import Past
from anachron.auditing.evidence.modes import formed_now
from anachron.auditing.evidence.people import People, people_of
from anachron.auditing.evidence.register import RegisterState
from anachron.auditing.promises.at_hand import Promise, Way, fitting, ways_to_read
from anachron.auditing.promises.past import past_of
from anachron.auditing.reading.description import register_of
from anachron.auditing.reading.register import RegisterGroups, register_groups
from anachron.engines.local.load import Loaded

__all__ = ["FIGURES", "INVARIANCE", "OF_THE_MEMORY", "OF_THE_RELEASE", "WAYS"]


def _figures(groups: RegisterGroups) -> Figures:
    smallest = int(groups.size.min()) if len(groups.size) else 0
    share = fraction(Fraction(1, max(smallest, 1)))
    return {
        "rows": len(groups.row_group),
        "groups": len(groups.number),
        "counterfeits": int(groups.table.count.sum()),
        "smallest_signature": smallest,
        "largest_share_of_a_value": share,
        "largest_posterior": share,
    }


def _figures_of_the_past(past: Past) -> Figures:
    present, left = len(past.state.present), past.candidates
    return {
        "people": present,
        "people_in_smallest_group": int(past.hosts.real.min(initial=present)),
        "smallest_candidate_set": left.smallest,
        "largest_posterior": fraction(Fraction(1, max(left.smallest, 1))),
        "vulnerable": left.vulnerable,
    }


def _figures_of_people(state: RegisterState, people: People) -> Figures:
    return {"held_back": int(people.held(state).sum())}


def _figures_unaided(groups: RegisterGroups, unaided: Loaded) -> Figures:
    return {"people": groups.real_rows, "held_back": unaided.rows - groups.real_rows}


WAYS: dict[str, Way] = {
    **ways_to_read(register_of),
    "groups": lambda form: register_groups(form),
    "boxed": lambda groups: groups,
    "intervals": lambda form: form.quasi,
    "past": past_of,
    "remembered": lambda form, history, past=None: bool(form and history and past),
    "book": lambda past: past.book,
    "state": lambda past: past.state,
    "last": lambda past: past.last,
    "hosts": lambda past: past.hosts,
    # If the ledger's memory cannot be read, nothing is said of people.
    "offered": lambda form, microdata, remembered=True: form and microdata if remembered else None,
    "table": fitting(form.roles_of_register),
    "people": people_of,
    "different": lambda form, groups, state, last=None: (
        form.different | formed_now(groups, state, last)
    ),
    "drawn": lambda past, people, table: (
        draw_of(past.state, past.last, people, table) if past.first or past.last else None
    ),
}
OF_THE_MEMORY = (
    memory.of_register,
    history.mode,
    history.changes,
    history.earlier_releases,
    memory.state_of_register,
)
OF_THE_RELEASE = (
    values.intervals,
    form.offer_of_intervals,
    rows.order_of_register,
    rows.numbers_of_register,
    form.columns,
    form.more_columns,
    form.package,
)
FIGURES = (_figures, _figures_of_the_past)
INVARIANCE = Promise(
    ways=WAYS,
    checks=(
        history.candidates,
        rows.unique_values,
        people.covered,
        people.could_be_covered,
        people.held_back,
        memory.signatures,
        history.lifespans,
        memory.real_rows,
        rows.counterfeits,
        people.drawn_by_lot,
        memory.marks,
        people.one_row_each,
        form.roles_of_register,
        *OF_THE_MEMORY,
        *OF_THE_RELEASE,
        form.names,
    ),
    figures=(*FIGURES, _figures_of_people, _figures_unaided),
)
