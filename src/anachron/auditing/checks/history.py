"""Does what is published agree with what was published before, and when it happened?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from anachron.auditing.check import Found, check, groups_named, releases_named
from anachron.auditing.checks.files import raise_if_of_the_machine
from anachron.auditing.checks.form import MALFORMED
from anachron.auditing.evidence.account import counted_again
from anachron.auditing.evidence.barred import ListedPeople
from anachron.auditing.evidence.digests import find, repeated
from anachron.auditing.evidence.feed import UNKNOWN, Delays, FeedState, feed_state
from anachron.auditing.evidence.lifespans import known_changes, leaves_candidates
from anachron.auditing.evidence.modes import ModeKept
from anachron.auditing.evidence.past import PastStates
from anachron.auditing.evidence.register import RegisterState, found_in
from anachron.auditing.history import Books
from anachron.auditing.reading.form import Feed
from anachron.auditing.reading.register import RegisterGroups
from anachron.behind import Microdata
from anachron.guarantees import MInvariance, Reposition
from anachron.streamed import Streamed

_MODES = {
    "paper": "nothing more",
    "transparent": "new people in full sets",
    "pooled": "new people in full sets, and first in those that others have",
    "sticky": "new people in full sets, and all in the same group while it has their value",
}


@check("candidates", "values in the smallest candidate set")
def candidates(promise: MInvariance, past: PastStates) -> Found:
    """at least {promise.m:,}"""
    found, releases = past.candidates, len(past.steps) + 1
    few = f"{found.vulnerable:,} people with fewer than {promise.m:,}"
    return Found(
        {f"{found.smallest:,}; {few}": bool(found.vulnerable)},
        f"{found.smallest:,}",
        where=groups_named(found.groups),
        about=f"{candidates.about} over {releases:,} releases" if releases > 1 else "",
    )


@check("lifespans", "signatures of each person over all releases")
def lifespans(promise: MInvariance, past: PastStates) -> Found:
    """the same signature for life, or one without a common value when the value changes"""
    moved, size = sum(step.moved for step in past.steps), past.book.sizes()
    small = int(past.listed[size < promise.m].sum())
    crossed, where = past.crossing.people, past.crossing.groups
    places = [(at, group) for at, step in past.numbered for group in step.moved_to]
    places += [(past.number, group) for group in where]
    named = [f"{at:04d}, group {group}" for at, group in dict.fromkeys(places)]
    return Found(
        {
            "people with another signature for the same value": moved,
            "people with signatures that overlap": crossed,
            f"signatures of fewer than {promise.m:,} values": small,
        },
        where=releases_named(named),
    )


@check("changes", "changes of signatures")
def changes(promise: MInvariance, groups: RegisterGroups, past: PastStates) -> Found | None:
    """at least {promise.m:,} possible values before and after, whatever can become what"""
    # Without a word about changes, any value can become any other.
    if not promise.changes:
        return None
    known = known_changes(past.book, dict(promise.changes), groups.domain.type)
    pairs = frozenset().union(*(step.changed for step in past.steps))
    values = past.book.signatures
    wrong = sum(not leaves_candidates(values[a], values[b], promise.m, known) for a, b in pairs)
    return Found({f"of {len(pairs):,} changes leave fewer": wrong})


@check("mode", "mode {promise.mode!r}")
def mode(promise: MInvariance, kept: ModeKept) -> Found:
    """Find what breaks the promise of the mode, as far as the states at hand tell."""
    pooled = promise.balance == "pooled"
    return Found(
        {
            "signatures whose new people fill a gap": kept.filling,
            "groups that are not as they were formed": kept.apart,
            "people who left their group": kept.regrouped,
            "people who joined a group that stood": kept.joined,
            "people with new values who do not stand alone": kept.together,
            "signatures that too few new people joined": kept.few,
        },
        promised=_MODES["pooled" if pooled else promise.mode],
    )


@check("earlier releases", "earlier releases that are still there")
def earlier_releases(past: PastStates) -> Found | None:
    """as the ledger remembers them"""
    if not past.compared:
        return None
    wrong = past.disagreeing
    return Found(
        {f"not so: {', '.join(map(str, wrong))}": bool(wrong)},
        f"{past.compared:,} as promised",
        where=releases_named(f"{number:04d}" for number in wrong),
    )


@check("forward", "records published in another snapshot")
def forward(state: FeedState) -> Found:
    """only to later snapshots"""
    known = state.home != UNKNOWN
    early = int((~state.lost & known & (state.there < state.home)).sum())
    same = int((~state.lost & known & (state.there == state.home)).sum())
    alien = int((state.lost & known & (state.home < 0)).sum())
    return Found(
        {
            "records published before they happened": early,
            "listed that are in their own snapshot": same,
            "left out of a snapshot of an earlier release": alien,
        },
        f"{int((~state.lost).sum()):,} records moved",
    )


@check("delay", "delay of records")
def delay(promise: Reposition, state: FeedState) -> Found:
    """less than {promise.window:,} snapshots"""
    moved = ~state.lost & (state.home != UNKNOWN)
    later = (state.there - state.home)[moved]
    longest, late = int(later.max(initial=0)), int((later >= promise.window).sum())
    return Found({f"records later, up to {longest:,}": late}, f"at most {longest:,}")


@check("delay", "delay of records")
def delay_of_people(delays: Delays) -> Found:
    """not before it happened, and less than {delays.window:,} snapshots later"""
    return Found({"records at another time": delays.wrong}, f"at most {delays.longest:,}")


@check("once", "how often records are published")
def once(form: Feed, state: FeedState, before: Sequence[Streamed]) -> Found:
    """every record once, in all releases"""
    twice, again = repeated(state.key), 0
    older = np.flatnonzero(~state.lost & (state.home < 0) & (state.home != UNKNOWN))
    # Newest first: one look at the release of a record's own snapshot is enough.
    for table in reversed(before):
        if not len(older):
            break
        earlier = feed_state(form, table.table())
        if earlier is None:
            break
        place = find(state.key[older], earlier.key)
        own = np.isin(state.start[state.home[older] + state.first], earlier.start[earlier.first :])
        there = (place >= 0) & ~np.append(earlier.lost, True)[place]
        again += int((there | (own & (place < 0))).sum())
        older = older[~own]
    return Found(
        {
            "listed twice": twice,
            "that an earlier release published": again,
        }
    )


@check("left out before", "people who were left out of an earlier snapshot")
def left_out_before(
    state: RegisterState, listed: ListedPeople, returned: int | None = None
) -> Found:
    """none of them published later"""
    known = int((found_in(listed.subject, state.subject) >= 0).sum())
    return Found(
        {
            "published all the same": known,
            "published, and not on the ledger's list": returned or 0,
        },
        f"{len(listed.subject):,} people, none of them published",
    )


@check("account", "records that were pushed")
def account(
    feed: Reposition, zone: str, books: Books, pushed: Microdata, until: int | None
) -> Found | None:
    """each of them published, waiting, left out, dropped or refused, snapshot by snapshot

    Snapshots are looked at up to ``until``: the table may end there, and begin later than the
    feed. Without it, the table has all that was pushed.
    """
    try:
        counted = counted_again(feed, zone, books, pushed, until)
    except (
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        OSError,
        pa.ArrowException,
    ) as error:
        raise_if_of_the_machine(error, "Counting the records again")
        return Found({MALFORMED: True})
    if counted is None:
        return None
    return Found(counted.wrong, counted.sums, where=counted.where)
