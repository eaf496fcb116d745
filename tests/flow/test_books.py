"""Rows in are rows out and rows left out, and whoever asks is told: methods other than feeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import anachron as an
from anachron.cli.summary import summary
from tests.flow import registers, series
from tests.flow.tables import published, visits


def test_a_table_of_events_less_what_is_left_out(tmp_path: Path) -> None:
    table = visits()
    schema = an.Schema(subject="person", time="seen", quasi="sex")
    promise = an.TimeGranularity(k=12, granularities=["day", "week"], max_suppressed="9/10")
    release = published(table, schema, promise, tmp_path)
    told = release.explanation or {}
    lost = told["answers"][0]["suppressed_rows"]
    assert 0 < lost == table.num_rows - release.rows
    said = summary(release, "--plan p", is_new=True)
    assert f"{lost:,} of {table.num_rows:,} rows" in said.text
    page = an.report(release, tmp_path / "page.html", ledger=tmp_path / "ledger").read_text()
    assert f"{lost:,} rows of {table.num_rows:,}" in page


def test_a_register_less_who_is_held_back_or_refused(tmp_path: Path) -> None:
    hold = registers.promise(when_ineligible="hold")
    people = registers.clinic(12, ills=3)
    for who in registers.clinic(9, seed=4):
        people[who] = (30, 1.0, "hill", "asthma")
    lost = 0
    for _ in range(3):
        release = registers.released(people, tmp_path, hold, accept="changes")
        told = release.explanation or {}
        missing = told["held"] + told["refused"]
        lost += missing
        assert release.rows - told["counterfeits"] + missing == len(people) == told["subjects"]
        said = summary(release, "--plan p", is_new=True)
        assert (said.data["held"], said.data["refused"]) == (told["held"], told["refused"])
        if told["held"]:
            assert f"{told['held']:,} new people whose value too many share" in said.text
        # Everyone takes the illness of the next one, until nobody knows what was possible.
        ills = [person[3] for person in people.values()]
        people = {
            who: registers.changed(person, ill=ill)
            for (who, person), ill in zip(people.items(), ills[1:] + ills[:1], strict=True)
        }
    assert lost


def test_series_less_those_with_gaps_and_those_alone(tmp_path: Path) -> None:
    walks = series.walks(31)
    walks[3, 2] = walks[9, 0] = np.nan
    asked = series.promise(gaps="drop", granularity="day")
    release = series.released(series.long(walks), tmp_path, asked, series.LONG)
    told = release.explanation or {}
    assert told["dropped"] == 2
    assert release.rows + told["suppressed"] + told["dropped"] == len(walks)
    said = summary(release, "--plan p", is_new=True)
    assert f"31 of {len(series.TIMES)} times, {release.rows} published" in said.text
