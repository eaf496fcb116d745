"""Whatever goes wrong: a reason, an exit code, no traceback, and no cell."""

from __future__ import annotations

import pytest

from anachron import errors
from anachron.errors import Problem

SECRET = "Anna Rossi"


def raising(error):
    def raise_it(*_, **__):
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.PlanError("k is wrong."), 2),
        (errors.CalendarError("no such granularity."), 2),
        (errors.TableError([Problem("is bad.", "t.csv", "age", 7, "Mend it."), Problem("so.")]), 2),
        (errors.GuaranteeError("cannot be kept."), 1),
        (errors.AlreadyPublished("it would intersect."), 1),
        (errors.LedgerBusy("another publisher."), 1),
        (errors.LedgerError("damaged."), 1),
        (errors.ReleaseError("altered."), 1),
        (errors.InternalError("our mistake."), 1),
        (PermissionError(13, "Permission denied", "/x"), 1),
        (OSError(28, "No space left on device"), 1),
        (MemoryError(), 1),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_become_answers(run, run_json, flow, error, code):
    flow("publish_plan", raising(error))
    done = run("publish", "plan.toml")
    assert done.exit_code == code
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for line in str(error).splitlines() if isinstance(error, errors.AnachronError) else []:
        assert f"Error: {line}" in done.stderr
    exit_code, data = run_json("publish", "plan.toml")
    assert exit_code == data["exit"] == code
    assert data["error"]["kind"] == type(error).__name__
    assert set(data["error"]["problems"][0]) == {"what", "file", "column", "row", "remedy"}


def test_problems_are_listed_one_by_one(run_json, flow):
    problems = [Problem("is bad.", "t.csv", "age", 7, "Mend it."), Problem("so.")]
    flow("publish_plan", raising(errors.TableError(problems)))
    found = run_json("publish", "plan.toml")[1]["error"]["problems"]
    assert found[0] == {
        "what": "is bad.",
        "file": "t.csv",
        "column": "age",
        "row": 7,
        "remedy": "Mend it.",
    }
    assert len(found) == 2


@pytest.mark.parametrize("kind", [ValueError, KeyError, ZeroDivisionError, RecursionError, OSError])
def test_our_own_mistakes_do_not_repeat_what_they_met(run, run_json, flow, kind):
    flow("publish_plan", raising(kind(SECRET)))
    done = run("publish", "plan.toml")
    assert done.exit_code == 1
    assert "a mistake of Anachron" in done.stderr
    assert f"{kind.__name__} at publish.py:" in done.stderr
    assert SECRET not in done.stderr + str(run_json("publish", "plan.toml"))


def test_being_stopped(run, run_json, flow):
    flow("publish_plan", raising(KeyboardInterrupt()))
    done = run("publish", "plan.toml")
    assert done.exit_code == 130
    assert "Nothing was published." in done.stderr
    code, data = run_json("publish", "plan.toml")
    assert (code, data["exit"]) == (130, 130)
    assert "Nothing was published." in data["error"]["message"]


def test_being_stopped_too_late(run, flow, monkeypatch):
    from anachron.cli import publish

    counts = iter([0, 1])
    monkeypatch.setattr(publish, "releases_of", lambda plan: next(counts))
    flow("publish_plan", raising(KeyboardInterrupt()))
    done = run("publish", "plan.toml")
    assert done.exit_code == 130
    assert "Nothing was published" not in done.stderr
    assert "anachron ledger recover" in done.stderr


@pytest.mark.parametrize("row", [f'"{SECRET}" ,31,x', f' "{SECRET}",31,x', f'"{SECRET}"y,31,x'])
def test_blanks_and_text_beside_quotes_are_bad_input(run, run_json, here, row):
    """Two readers would not read the same: nothing is published, and no mistake is admitted."""
    (here / "t.csv").write_text(f"who,age,illness\na,30,y\n{row}\nb,30,z\n")
    (here / "plan.toml").write_text(
        '[source]\ntable = "t.csv"\n[schema]\nsubject = "who"\nquasi = ["age"]\n'
        'sensitive = ["illness"]\n'
        '[guarantee]\nmethod = "invariance"\nm = 2\n'
    )
    done = run("publish", "plan.toml")
    assert done.exit_code == 2
    assert "Error: t.csv, row 2: the row has " in done.stderr
    assert SECRET not in done.stderr
    assert run_json("publish", "plan.toml")[1]["error"]["kind"] == "TableError"
    assert not (here / "releases").exists()
