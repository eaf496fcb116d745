"""Promise: questions, answers, and the sentence of the certificate."""

from __future__ import annotations

import html
from dataclasses import replace
from pathlib import Path

import pytest

import anachron as an
from anachron.parts.part import parts_of
from anachron.studio.questions import answered, asked_of
from tests.studio.conftest import Reader

PLAN = "visits/plan.toml"


def test_every_question_is_about_a_part_and_keeps_what_is_answered_already() -> None:
    for promise in (
        an.TimeGranularity(k=5, max_suppressed="1/30", granularities=["day", "week"]),
        an.MInvariance(m=3, mode="sticky"),
        an.Reposition(window=3, then=an.MInvariance(m=3)),
        an.Reposition(l="5/2", window=3),
        an.KPAnonymity(k=6, P=2, precision="0.5"),
    ):  # fmt: skip
        asked = asked_of(promise).questions
        assert {one.part for one in asked} <= parts_of(type(promise)).keys()
        held = {one.part: one.given(promise) for one in asked}
        form = {name: [*now] if isinstance(now, tuple) else [now] for name, now in held.items()}
        assert answered(promise, form.__getitem__) == promise


def test_answers_are_read_as_they_are_meant() -> None:
    promise = an.TimeGranularity(k=5)
    form = {"k": ["7"], "granularities": ["day", "month"], "max_suppressed": ["2,5 %"],
            "max_share": [""], "keep": ["quasi"]}  # fmt: skip
    given = answered(promise, form.__getitem__)
    assert given == an.TimeGranularity(
        k=7, granularities=["day", "month"], max_suppressed="0.025", keep="quasi"
    )
    for bad in ({"k": ["1"]}, {"k": ["many"]}, {"max_suppressed": ["x"]}, {"granularities": []}):
        with pytest.raises(an.AnachronError):
            answered(promise, {**form, **bad}.__getitem__)


def test_answers_are_written_and_the_sentence_follows(planned: Reader, folder: Path) -> None:
    page = planned.get("/promise", plan=PLAN)
    assert "finds at least 5 different people" in " ".join(page.split())
    form = {**planned.form(page), "k": "9", "granularities": "week", "max_suppressed": "0",
            "max_share": ""}  # fmt: skip
    said = " ".join(planned.post("/promise/words", 200, **form).split())
    assert "the week of one event finds at least 9 different people" in said
    wrong = planned.post("/promise/words", 200, **{**form, "k": "1"})
    assert "at least 2" in wrong
    assert planned.post("/promise", **form).startswith("/publish")
    assert an.Plan.read(folder / PLAN).guarantee.k == 9  # type: ignore[attr-defined]
    assert "at least 2" in planned.post("/promise", 422, **{**form, "k": "1"})
    assert an.Plan.read(folder / PLAN).guarantee.k == 9  # type: ignore[attr-defined]


def test_the_sentence_is_that_of_the_certificate(planned: Reader, folder: Path) -> None:
    plan = an.Plan.read(folder / PLAN)
    plan = replace(plan, guarantee=replace(plan.guarantee, granularities=("month",)))  # type: ignore[type-var]
    (folder / PLAN).write_text(plan.to_toml(folder / "visits"))
    page = " ".join(planned.get("/promise", plan=PLAN).split())
    from anachron import flow

    release = flow.publish_plan(plan)
    certificate = an.report(release, folder / "c.html", ledger=plan.ledger).read_text()
    lead = page.split('<p class="lead">')[1].split("</p>")[0]
    assert f'<p class="lead">{lead.strip()}</p>' in " ".join(certificate.split())


def test_another_kind_of_promise_is_proposed_or_told_why_not(planned: Reader, folder: Path) -> None:
    form = planned.form(planned.get("/promise", plan=PLAN))
    told = planned.post("/promise", 422, **{**form, "method": "invariance"})
    assert "several rows" in html.unescape(told)
    planned.post("/promise", **{**form, "method": "reposition"})
    assert an.Plan.read(folder / PLAN).guarantee.method == "reposition"
    assert "One in how many" in planned.get("/promise", plan=PLAN)
