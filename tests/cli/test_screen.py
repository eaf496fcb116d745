"""One screen for what is looked at, and nothing at all for what is quiet."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from anachron import progress
from anachron.auditing.verdict import Check, Verdict
from anachron.cli.screen import LINES, columns, cut, fitted, wrapped
from anachron.progress import silent

LONG = "at least five people in each of many groups, of which none may be smaller, " * 3


def check(number: int, holds: bool = True, witnesses: tuple[str, ...] = ()) -> Check:
    return Check(f"c{number}", holds, LONG, "as found", f"check {number} {LONG}", witnesses)


def verdict(good: int, bad: int, scope: str = "with microdata") -> Verdict:
    seen = ("release 0001, group 7", "release 0001, group 9")
    checks = [check(n) for n in range(good)] + [check(n, False, seen) for n in range(bad)]
    return Verdict("0001", f"granularity({LONG})", scope, tuple(checks))


def fits(text: str) -> None:
    lines = text.splitlines()
    assert len(lines) <= 24, text
    assert max(map(len, lines)) <= 80, text


@pytest.mark.parametrize(("good", "bad"), [(0, 1), (3, 0), (40, 0), (40, 2), (40, 12)])
def test_an_audit_fits_a_screen(run, flow, monkeypatch, good, bad):
    """Regression: an audit was thirty lines of two hundred columns."""
    monkeypatch.setenv("COLUMNS", "80")
    flow("audit", lambda release, **evidence: verdict(good, bad))
    done = run("audit", "r")
    assert done.exit_code == (1 if bad else 0)
    fits(done.stdout)
    words = " ".join(done.stdout.split())
    assert done.stdout.count("FAILS") == (1 + min(bad, 5) if bad else 0)
    if bad > 5:
        assert f"… and {bad - 5} more checks that fail" in words
    if good > 12:
        assert "more checks, of which none fails; --all shows them" in words
    whole = run("audit", "r", "--all").stdout
    assert len(whole.splitlines()) == 1 + good + bad
    assert "release 0001, group 9" in whole or not bad


def test_a_check_that_fails_says_where(run, flow, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    failed = Check("k", False, "at least 5", "4", "people", ("release 0001, group 7",))
    flow("audit", lambda release, **evidence: Verdict("0001", "k", "published", (failed,)))
    assert "see release 0001, group 7" in " ".join(run("audit", "r").stdout.split())


@pytest.mark.parametrize("bad", [0, 1, 9])
def test_a_long_history_fits_a_screen(run, flow, monkeypatch, here, bad):
    monkeypatch.setenv("COLUMNS", "80")
    for number in range(1, 41):
        (here / "releases" / f"{number:04d}").mkdir(parents=True)
    told = [replace(verdict(9, int(n <= bad)), release=f"{n:04d}") for n in range(1, 41)]
    flow("audit_history", lambda folder, **evidence: (*told, verdict(9, bad, "published")))
    done = run("audit", "releases")
    fits(done.stdout)
    assert ("release 0001" in done.stdout) == bool(bad), "what fails is told first"
    assert "more releases, of which" in done.stdout
    assert ("is not refuted" in done.stdout) == (not bad)
    assert run("audit", "releases", "--all").stdout.count("release 00") >= 40


@pytest.mark.parametrize("word", ["audit", "utility", "report", "publish"])
def test_quiet_commands_say_nothing_if_nothing_is_wrong(run, run_json, flow, release, word):
    quiet = SimpleNamespace(explanation={**release.explanation, "notes": []})
    made = SimpleNamespace(**{**vars(release), **vars(quiet)})
    answers = {
        "audit": lambda *a, **k: verdict(3, 0),
        "utility": lambda *a, **k: SimpleNamespace(
            holds=True, measures=(), release="0001", seed=0, notes=(), to_dict=dict
        ),
        "report": lambda release, output, **k: output.absolute(),
    }
    flow("publish_plan", lambda plan, **k: made)
    if word in answers:
        flow(word, answers[word])
    words = {"publish": ("plan.toml",), "utility": ("r", "--plan", "plan.toml")}.get(word, ("r",))
    loud, hushed = run(word, *words), run(word, *words, "--quiet")
    assert loud.exit_code == 0, loud.stderr
    assert loud.stdout
    assert (hushed.exit_code, hushed.stdout, hushed.stderr) == (0, "", "")
    # Who asks for JSON gets it.
    told = json.loads(run(word, *words, "--quiet", "--json").stdout)
    assert told == run_json(word, *words)[1]


def test_quiet_commands_say_what_is_wrong(run, flow):
    flow("audit", lambda release, **evidence: verdict(3, 1))
    done = run("audit", "r", "--quiet")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("The promise of release 0001 FAILS")
    refused = run("publish", "nowhere.toml", "--quiet")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "nowhere.toml" in refused.stderr


def test_quiet_commands_draw_no_bar(run, flow, monkeypatch):
    drawn = []
    terminal = SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(progress, "sys", terminal)

    def publish(plan, *, progress, **_):
        drawn.append(progress is not silent)
        raise KeyboardInterrupt

    flow("publish_plan", publish)
    run("publish", "plan.toml", "--quiet")
    run("publish", "plan.toml")
    assert drawn == [False, True]


def test_texts_are_cut_and_wrapped(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert columns() == 160
    monkeypatch.setenv("COLUMNS", "20")
    assert columns() == 80
    assert LINES < 24
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert len(wrapped(LONG, most=2)) == 2
    assert wrapped(LONG, most=2)[-1].endswith("…")
    [first, second] = fitted([("a", LONG, "end"), ("bb", "short", "end")], gives=1)
    assert (len(first), first[-3:]) == (80, "end")
    assert second.startswith("  bb  short")
    assert fitted([]) == []
