"""All seeded bugs as scenes: each writes a spoilt release and gives the verdict on it.

A scene that is named ``… without the ledger`` shows the table alone to the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anachron as an
from anachron.auditing.history import FeedPast, History, TablePast, remembered
from anachron.auditing.run import verify
from anachron.auditing.verdict import Verdict
from anachron.behind import read
from anachron.guarantees import KPAnonymity, MInvariance, Reposition
from anachron.methods.invariance.lots import KeyedLots
from anachron.schema import Schema
from anachron.streamed import Streamed
from tests.auditing import (
    draft,
    feed_draft,
    feed_story,
    invariance_draft,
    invariance_story,
    patterns_draft,
    test_account_bugs,
    test_draw,
    test_invariance_sticky,
    test_patterns,
    test_published_bugs,
    test_reposition,
    test_reposition_published,
)
from tests.auditing.account_bugs import LEFT_OUT
from tests.auditing.apart_scenes import APART
from tests.auditing.kinds import KINDS, SEEDED, series
from tests.auditing.seeding import Bug
from tests.flow import test_years
from tests.release.forging import reseal, restate, write_parquet

__all__ = ["SCENES"]

Scene = Callable[[Path], Verdict]
SCENES: dict[str, Scene] = {}


def scene(show: Scene) -> Scene:
    """Keep a scene under the name of its function."""
    SCENES[show.__name__.replace("_", " ")] = show
    return show


def _of(name: str, bug: Bug, ledger: bool, folder: Path) -> Verdict:
    kind = KINDS[name]
    bad = kind.spoilt(bug)
    return kind.judged(bad, kind.write(bad, folder), ledger=ledger)


def _seeded() -> Iterator[tuple[str, Scene]]:
    for name, bug in SEEDED:
        for ledger, how in ((True, ""), (False, " without the ledger")):
            if ledger or name != "events":
                yield f"{name}: {bug.name}{how}", partial(_of, name, bug, ledger)


SCENES |= {name.replace("_", " "): show for name, show in _seeded()} | APART


def _misread(release: an.Release) -> Verdict:
    """As if the reader of releases had overlooked a malformed description."""
    release.description["anachron"]["columns"]["of nobody"] = {"role": "unknown"}
    return verify(release)


@scene
def events_with_a_malformed_description(folder: Path) -> Verdict:
    return _misread(draft.draft().write(folder / "0001"))


@scene
def register_with_a_malformed_description(folder: Path) -> Verdict:
    return _misread(invariance_story.third().write(folder / "0003"))


def _with_a_note(release: an.Release, resource: str) -> Verdict:
    """A column more in one of the files."""
    file = release.path / f"{resource}.parquet"
    table = pq.read_table(file)
    write_parquet(file, table.append_column("note", pa.array(["x"] * len(table))))
    reseal(release.path)
    return verify(an.Release(release.path))


@scene
def register_with_notes_on_counterfeits(folder: Path) -> Verdict:
    return _with_a_note(invariance_story.third().write(folder / "0003"), "counterfeits")


@scene
def feed_with_notes_on_sensitive_values(folder: Path) -> Verdict:
    return _with_a_note(feed_story.second("anatomy").write(folder / "0002"), "sensitive")


@scene
def series_with_notes_on_rows(folder: Path) -> Verdict:
    return _with_a_note(patterns_draft.good().write(folder / "0001"), "data")


def _two_names(release: an.Release, rows: list[dict[str, Any]], schema: Schema) -> Verdict:
    """Somebody stands in the table under two names, which differ in blanks only."""
    exact = Schema.from_dict({**schema.to_dict(), "spelling": "exact"})
    names = [str(row[schema.subject]) for row in rows]
    name = max(names, key=names.count)
    own = [place for place, other in enumerate(names) if other == name]
    if len(own) == 1:
        own.append(len(rows))
        rows = [*rows, rows[own[0]]]
    for place, blanks in zip(own, [" ", *["  "] * len(rows)], strict=False):
        rows[place] = rows[place] | {schema.subject: f"{name[0]}{blanks}{name[1:]}"}
    with closing(read(pa.Table.from_pylist(rows), exact)) as held:
        return verify(release, microdata=held)


@scene
def events_of_somebody_with_two_names(folder: Path) -> Verdict:
    release = draft.draft().write(folder / "0001")
    return _two_names(release, draft.microdata(), draft.SCHEMA)


@scene
def feed_of_somebody_with_two_names(folder: Path) -> Verdict:
    good = feed_story.second("anatomy")
    rows = feed_draft.as_table(good.microdata()).to_pylist()
    return _two_names(good.write(folder / "0002"), rows, feed_draft.SCHEMA)


@scene
def series_of_somebody_with_two_names(folder: Path) -> Verdict:
    good = patterns_draft.good()
    names = good.loaded().subject_values.to_pylist()
    values = dict.fromkeys(patterns_draft.TIMES, 1.0) | {"pay": 1}
    rows = [{"who": name, **values} for name in names]
    return _two_names(good.write(folder / "0001"), rows, patterns_draft.SCHEMA)


def _believed(make: Callable[[pytest.MonkeyPatch], an.Release]) -> an.Release:
    """Publish something bad without being asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anachron.making.conduct.verify", test_years._believing)
        return make(patch)


def _years(promise: Any, folder: Path) -> Verdict:
    """Months of what is recorded by year."""
    half = pa.array(["yes" if i // 4 % 2 else "no" for i in range(4 * test_years.WOMEN)])
    table, schema = test_years.panel().set_column(3, "union", half), test_years.schema()

    def make(patch: pytest.MonkeyPatch) -> an.Release:
        patch.setattr("anachron.methods.recorded.CALENDAR_UNITS", ())
        patch.setattr("anachron.methods.granularity.offer.cutting", lambda *_: None)
        if isinstance(promise, an.TimeGranularity):
            return test_years.published(folder, table, schema, promise)
        opened: Any = test_years.feed(folder, promise)
        return next(iter([*opened.push(table), *opened.flush()]))

    return an.audit(_believed(make), table=table, schema=schema)


@scene
def events_of_years_by_month(folder: Path) -> Verdict:
    return _years(an.TimeGranularity(k=3, granularities=["month"]), folder)


@scene
def feed_of_years_by_month(folder: Path) -> Verdict:
    return _years(Reposition(l=2, window=2, snapshot="month"), folder)


@scene
def register_in_which_the_youngest_go_first(folder: Path) -> Verdict:
    table = test_draw.register()
    ledger = an.Ledger.open(folder / "ledger")
    who = ledger.pseudonyms(table["who"].combine_chunks()).to_pylist()
    ages = dict(zip(who, table["age"].to_pylist(), strict=True))

    def make(patch: pytest.MonkeyPatch) -> an.Release:
        patch.setattr(
            KeyedLots,
            "subjects",
            lambda _self, _purpose, subjects: np.argsort(
                np.argsort([ages[bytes(one)] for one in subjects], kind="stable")
            ),
        )
        places = {"ledger": folder / "ledger", "to": folder / "releases"}
        return an.publish(table, test_draw.SCHEMA, MInvariance(m=3), **places)

    return an.audit(_believed(make), table=table, ledger=folder / "ledger")


@scene
def feed_whose_l_is_a_rounded_number(folder: Path) -> Verdict:
    (table,), schema, promise = test_published_bugs.WORK["feed"]
    places = {"ledger": folder / "ledger", "to": folder / "releases"}
    release = an.publish(table, schema, promise, **places)
    said = test_published_bugs.l_is_a_rounded_number
    restate(release.path, lambda all_: said(all_["anachron"]["guarantee"]))
    made = test_published_bugs.Made(release.path, folder / "ledger", table, schema)
    return made.judged()


@scene
def events_in_other_roles(folder: Path) -> Verdict:
    other = Schema.from_dict(draft.SCHEMA.to_dict() | {"sensitive": ["cost"]})
    return verify(draft.draft().write(folder / "0001"), microdata=draft.loaded(schema=other))


@scene
def register_in_other_roles(folder: Path) -> Verdict:
    good = invariance_story.third()
    past = invariance_draft.history(good, (invariance_story.second().state_table(),), ())
    schema = Schema.from_dict(invariance_draft.SCHEMA.to_dict() | {"quasi": ["age", "region"]})
    held = invariance_draft.loaded(good.register, schema)
    return verify(good.write(folder / "0003"), microdata=held, history=past)


@scene
def register_with_an_earlier_release_of_another_promise(folder: Path) -> Verdict:
    other, good = invariance_story.second(), invariance_story.third()
    other.promise["mode"] = "transparent"
    states = (invariance_story.second().state_table(),)
    past = invariance_draft.history(good, states, (other.write(folder / "0002"),))
    return verify(good.write(folder / "0003"), history=past)


@scene
def register_whose_standing_group_somebody_leaves(folder: Path) -> Verdict:
    bug, _ = test_invariance_sticky.BUGS["who changed inside the set is grouped anew"]
    spoilt = test_invariance_sticky.second()
    bug(spoilt)
    return test_invariance_sticky.judged(spoilt, folder)


@scene
def feed_of_a_waiting_table_without_its_form(folder: Path) -> Verdict:
    good = feed_story.second("anatomy")
    waiting = feed_draft.waiting_table(
        test_reposition.only(feed_story.TUE, feed_story.WED), feed_story.TUE
    )
    past = feed_draft.past(good, waiting=waiting.drop_columns(["key_low"]))
    return verify(good.write(folder / "0002"), history=past)


@scene
def events_of_somebody_whom_the_ledger_forgets(folder: Path) -> Verdict:
    [table], schema, promise = test_published_bugs.WORK["events"]
    release = an.publish(table, schema, promise, ledger=folder / "l", to=folder / "r")
    ledger = an.Ledger.open(folder / "l")
    state = ledger.state(ledger.entries()[0]).table().slice(1)
    with closing(read(table, schema)) as held:
        return verify(
            release, microdata=held, history=TablePast(Streamed.of(state), ledger.pseudonyms)
        )


@scene
def series_that_the_ledger_has_without_times(folder: Path) -> Verdict:
    schema = Schema(subject="who", time="when", series="kwh", sensitive="pay")
    table = test_patterns.long(test_patterns.walks(30), pay=test_patterns.pays(30))
    promise = KPAnonymity(k=5, P=2, precision="0.1", granularity="day")
    release = an.publish(table, schema, promise, ledger=folder / "l", to=folder / "r")
    ledger = an.Ledger.open(folder / "l")
    state = ledger.state(ledger.entries()[0]).table().drop_columns(["first", "until"])
    with closing(read(table, schema)) as held:
        return verify(
            release, microdata=held, history=TablePast(Streamed.of(state), ledger.pseudonyms)
        )


@scene
def series_with_noise_that_was_forgotten(folder: Path) -> Verdict:
    spoilt = patterns_draft.good()
    test_patterns.paper(spoilt, "2")
    spoilt.people["Cid"].pay = spoilt.people["Dan"].pay
    return series(spoilt, folder)


def _composed(folder: Path) -> test_reposition_published.Feed:
    grid = test_reposition_published.GRID
    promise = Reposition(window=3, then=MInvariance(m=2, when_ineligible="hold", **grid))
    return test_reposition_published.pushed(promise, folder, 3)


@scene
def snapshot_published_long_after_it_happened(folder: Path) -> Verdict:
    feed = _composed(folder)
    release = feed.releases[2]
    past = feed.past(release)
    home = release.description["anachron"]["snapshot"]["start"] - 3 * test_reposition_published.DAY
    state = past.state.table()
    there = state["group"].to_pylist()
    homes = pa.array([None if group is None else home for group in there])
    state = state.set_column(state.column_names.index("home"), "home", homes)
    return verify(release, history=replace(past, state=Streamed.of(state)))


@scene
def snapshot_of_records_that_are_not_there(folder: Path) -> Verdict:
    feed = _composed(folder)
    release, schema = feed.releases[2], test_reposition_published.SCHEMA
    with closing(read(feed.table.slice(0, 3), schema)) as held:
        return verify(release, microdata=held, history=feed.past(release))


@scene
def snapshot_of_somebody_who_was_left_out_before(folder: Path) -> Verdict:
    feed = _composed(folder)
    release = feed.releases[2]
    past = feed.past(release)
    listed = pa.table({"subject": past.state.table()["subject"][:1], "barred": [0]})
    spoilt = pa.concat_tables([past.feed, listed], promote_options="default")
    return verify(release, history=replace(past, feed=spoilt))


def _forgotten(end: str, folder: Path) -> Verdict:
    feed = test_account_bugs.made(end, folder)
    entries, spoilt = feed.ledger.entries(), test_account_bugs.drafted(feed)
    spoilt.said["account"]["lines"].remove(spoilt.line(LEFT_OUT))
    past = remembered(feed.ledger, entries)
    assert isinstance(past, FeedPast | History)
    past = replace(past, books=test_account_bugs.books_with(feed, spoilt))
    with test_account_bugs.table(feed.rows) as held:
        return verify(an.Release(entries[-1].path), microdata=held, history=past)


@scene
def feed_whose_account_forgets_who_was_left_out(folder: Path) -> Verdict:
    return _forgotten("anatomy", folder)


@scene
def snapshot_whose_account_forgets_who_was_left_out(folder: Path) -> Verdict:
    return _forgotten("invariance", folder)


@scene
def snapshot_under_another_name(folder: Path) -> Verdict:
    release = _composed(folder).releases[0]
    restate(release.path, lambda said: said["anachron"]["snapshot"].update(label="2024-01-01"))
    return verify(an.Release(release.path))


@scene
def snapshot_of_years_by_month(folder: Path) -> Verdict:
    return _years(Reposition(window=2, snapshot="month", then=MInvariance(m=2)), folder)
