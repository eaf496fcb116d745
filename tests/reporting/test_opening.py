"""The three lights: what they say, and that the page and its twin say the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from anachron.identity import Identity
from anachron.reporting.certificate import Proof
from anachron.reporting.html import page, paper_of
from anachron.reporting.opening import DECISIONS
from anachron.reporting.twin import CONTEXT, twin
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting import stand_ins as events
from tests.reporting.pages import Outline
from tests.reporting.proof_stand_ins import finding

METHODS: dict[str, Any] = {
    "granularity": events, "invariance": register, "reposition": feed, "patterns": series,
}  # fmt: skip
STATED = Identity(
    "Admissions", "Hospital <of> Pisa", "Everybody", "Study & care", "office", "CC BY 4.0"
)


def paper(folder: Path, *findings: Any, of: Any = events, known: bool = False, **proof: Any) -> Any:
    verdict = proof.pop("verdict", None) or of.verdict()
    told = of.record() if known else None
    small = (events.table(3),) if of is events else ()
    return paper_of(of.release(folder, *small), Proof(verdict, told, findings, **proof))


def lights(written: str) -> list[str]:
    return [
        Outline(one).text for one in re.findall(r'<section class="verdict.*?</section>', written)
    ]


def test_the_largest_shares_come_first_and_what_is_promised_is_no_gap(tmp_path: Path) -> None:
    found = [
        finding(None, 5, attack="a", title="Small"),
        finding(None, 900, attack="b", title="Large"),
        finding(None, 0, attack="c", title="Nothing"),
        finding(True, 999, attack="d", title="Promised"),
        finding(None, 40, attack="e", title="Sampled", people=50, sampled="some"),
        finding(None, 30, attack="f", title="Third"),
    ]
    given = paper(tmp_path, *found)
    assert [one.title for one in given.opening.exposures] == ["Large", "Sampled", "Third", "Small"]
    promise, leaves, _ = lights(page(given))
    assert "4 find what it does not cover" in promise
    assert "900 of 1,000 people (90.00 %): Large." in leaves
    assert "40 of 50 people (80.00 %): Sampled, in a sample." in leaves
    assert "1 more attack finds something" in leaves
    assert "Promised" not in leaves
    assert "Nothing" not in leaves


def test_an_attack_that_nobody_knows_shows_by_itself(tmp_path: Path) -> None:
    new = finding(None, 5_796, attack="content", title="Unique by all", people=19_609)
    for code in ("en", "de"):
        _, leaves, _ = lights(page(paper(tmp_path, new), code))
        assert "Unique by all" in leaves
        assert ("5,796" if code == "en" else "5.796") in leaves


@pytest.mark.parametrize(
    ("holds", "scope", "state", "sign"),
    [(True, "with microdata", "kept", "holds"), (True, "published", "not refuted", "open"),
     (False, "with microdata", "not kept", "fails")],
)  # fmt: skip
def test_each_state_has_a_word_and_a_sign_of_its_own(
    tmp_path: Path, holds: bool, scope: str, state: str, sign: str
) -> None:
    given = paper(tmp_path, verdict=events.verdict(holds, scope))
    written = page(given)
    assert given.opening.state == state
    assert f"The promise is {state}." in lights(written)[0]
    first = re.findall(r'<section class="verdict.*?</section>', written)[0]
    assert f'aria-label="{state}"><use href="#mark-{sign}"/>' in first
    assert f"<title>Release 3: promise {state}</title>" in written


def test_what_is_to_decide_follows_from_what_is_known(tmp_path: Path) -> None:
    alone = paper(tmp_path, verdict=events.verdict(True, "published"))
    assert alone.opening.decisions == ("prove", "attack", "state", "law")
    whole = paper(tmp_path, finding(None, 3), known=True, identity=STATED)
    assert whole.opening.decisions == ("weigh", "keep", "law")
    broken = paper(tmp_path, finding(False, 3))
    assert broken.opening.decisions == ("stop",)
    assert "must not go out" in lights(page(broken))[2]
    assert "is not known" in lights(page(alone))[1]


def test_who_is_held_back_is_told_with_the_number(tmp_path: Path) -> None:
    told = {**register.record(), "held": 7, "refused": 2}
    given = paper_of(register.release(tmp_path), Proof(register.verdict(), told))
    assert [(one.what, one.number) for one in given.opening.withheld] == [
        ("people held back", 7), ("people left out", 2),
    ]  # fmt: skip
    assert "7 of" in lights(page(given))[1]
    assert "withheld" in given.opening.decisions


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("code", ["en", "de"])
def test_every_figure_of_the_lights_is_in_the_twin(tmp_path: Path, method: str, code: str) -> None:
    given = paper(
        tmp_path, finding(None, 123, people=4_567), finding(True), of=METHODS[method], known=True
    )
    said = twin(given)
    # An exact share is in the twin as what it is made of.
    text = re.sub(r"\([\d.,]+ %\)", "", " ".join(lights(page(given, code))[:2]))
    numbers = {n.replace(",", "").replace(".", "") for n in re.findall(r"\d[\d.,]*", text)}
    opening = json.loads(said)
    stated = json.dumps([opening["anachron:opening"], opening["dpv:hasResidualRisk"]])
    assert numbers - set(re.findall(r"\d+", stated)) == set()


@pytest.mark.parametrize("method", METHODS)
def test_the_twin_is_json_ld_without_a_personal_value(tmp_path: Path, method: str) -> None:
    there = METHODS[method]
    given = paper(
        tmp_path, finding(None, 3), of=there, identity=STATED, recorded="2024-05-01T10:00:00Z"
    )
    said = json.loads(twin(given))
    prefixes = {key for key, meaning in CONTEXT.items() if isinstance(meaning, str)}
    for key in _keys({k: v for k, v in said.items() if k != "@context"}):
        assert key.startswith("@") or key.split(":")[0] in prefixes, key
    assert said["@id"] == f"urn:sha256:{given.digest}"
    assert said["dcterms:publisher"] == "Hospital <of> Pisa"
    assert said["dpv:hasPurpose"]["dcterms:description"] == "Study & care"
    assert said["dcterms:issued"] == "2024-05-01T10:00:00Z"
    assert [one["anachron:decision"] for one in said["anachron:opening"]["anachron:decisions"]] == [
        *given.opening.decisions
    ]
    assert "secret" not in twin(given)
    assert twin(given) == twin(given)


def _keys(said: Any) -> list[str]:
    """The keys of nodes; what is JSON as such has keys of its own."""
    if isinstance(said, list):
        return [key for one in said for key in _keys(one)]
    if not isinstance(said, dict):
        return []
    plain = ("anachron:frictionless", "anachron:guarantee")
    below = [key for name, value in said.items() if name not in plain for key in _keys(value)]
    return [*said, *below]


def test_identity_is_printed_as_text_and_what_is_missing_as_not_stated(tmp_path: Path) -> None:
    written = page(paper(tmp_path, identity=STATED, recorded="2024-05-01T10:00:00+00:00"))
    assert "Hospital &lt;of&gt; Pisa" in written
    assert "<h1>Admissions</h1>" in written
    said = Outline(written).text
    assert "1 May 2024" in said
    assert "not stated" not in said
    bare = Outline(page(paper(tmp_path))).text
    assert bare.count("not stated") == 7
    assert "01.05.2024" in page(paper(tmp_path, recorded="2024-05-01T10:00:00+00:00"), "de")


def test_there_is_a_place_to_sign(tmp_path: Path) -> None:
    written = page(paper(tmp_path))
    assert written.count('<div class="signer">') == 2
    for line in ("name", "role", "date", "signature"):
        assert written.count(f"<dt>{line}</dt>") == 2


def test_every_decision_has_words(tmp_path: Path) -> None:
    source = (
        Path(__file__).parents[2] / "src/anachron/reporting/templates/opening.html"
    ).read_text()
    assert set(re.findall(r'one == "(\w+)"', source)) == set(DECISIONS)
