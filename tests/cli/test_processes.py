"""The command as a process: exit codes, streams, pipes and what it loads."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron
from tests.daily import daily

COMMAND = [sys.executable, "-m", "anachron"]


def call(*words: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("again_too", daily([False, True], False))
def test_the_demo_from_nothing_to_the_certificate(tmp_path, monkeypatch, again_too):
    first = call("demo", "d", folder=tmp_path)
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""
    commands = [line[2:] for line in first.stdout.splitlines() if line.startswith("$ ")]
    assert [command.split()[1] for command in commands] == [
        *("publish", "ask", "audit", "report"),
        *("publish", "publish", "publish", "publish", "ask", "audit", "report"),
        *("publish", "ask", "audit", "report"),
        *("publish", "ask", "audit", "report"),
    ]
    for job in ("", "register-", "admissions-", "loads-"):
        page = f"d/{job}certificate.html"
        assert first.stdout.rstrip().splitlines()[-4:].count((tmp_path / page).as_uri()) == 1
        assert (tmp_path / page).stat().st_size > 1_000
    package = tmp_path / "d" / "releases" / "0001" / "datapackage.json"
    before = package.read_bytes()
    # What it showed can be typed, and gives the same; so does the demo once more.
    monkeypatch.chdir(tmp_path)
    demo = ["anachron demo d"] if again_too else []
    for command in (*commands[:3], *commands[-8:-6], commands[-4], *demo, *commands[2:3]):
        again = CliRunner().invoke(anachron, [*shlex.split(command)[1:], "--json"])
        assert again.exit_code == 0, again.stderr
        told = json.loads(again.stdout)
    assert told["holds"] is True
    assert package.read_bytes() == before
    assert sorted(p.name for p in (tmp_path / "d" / "releases").iterdir()) == ["0001"]
    of_register = sorted(p.name for p in (tmp_path / "d" / "register-releases").iterdir())
    assert of_register == ["0001", "0002", "0003", "0004"]
    refused = _with_another_k(tmp_path)
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"]["kind"] == "AlreadyPublished"


def _with_another_k(folder: Path) -> subprocess.CompletedProcess[str]:
    plan = folder / "d" / "plan.toml"
    plan.write_text(plan.read_text().replace("k = 5", "k = 6"))
    return call("publish", "d/plan.toml", "--json", folder=folder)


def test_a_proposed_plan_is_a_plan(tmp_path):
    from anachron.demo import prepare

    prepare(tmp_path / "d")
    made = call("init", "d/visits.parquet", "--json", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["schema"]["subject"] == "patient"
    text = (tmp_path / "plan.toml").read_text()
    assert "# patient: 2,000 people, 6 rows each: the name says that it is the person" in text
    again = call("init", "d/visits.parquet", folder=tmp_path)
    assert again.returncode == 2
    assert (tmp_path / "plan.toml").read_text() == text
    done = call("publish", "plan.toml", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_usage_goes_to_stderr(tmp_path):
    done = call("publish", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument" in done.stderr


def test_errors_as_json_go_to_stdout(tmp_path):
    done = call("publish", "none.toml", "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, "")
    assert json.loads(done.stdout)["error"]["problems"][0]["file"] == "none.toml"


@pytest.mark.parametrize(
    "shout", ["print('stray')", "os.write(1, b'stray')", "os.system('echo stray')"]
)
def test_stray_prints_do_not_reach_stdout(tmp_path, shout):
    code = (
        "import os, click\n"
        "from anachron.cli.main import anachron\n"
        "import anachron.cli.completion as c\n"
        "from anachron.cli.answer import Answer\n"
        f"c.completion.callback = lambda shell: ({shout}, Answer(dict(ok=True), 'ok'))[1]\n"
        "anachron(['completion', 'bash', '--json'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"ok": True}
    assert "stray" in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path):
    script = f"{' '.join(COMMAND)} completion bash | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""


def test_a_terminal_without_unicode_is_no_error(tmp_path):
    done = call("audit", "é…", folder=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_help_loads_nothing_heavy(tmp_path):
    code = (
        "import sys\n"
        "from anachron.cli.main import anachron\n"
        "try:\n    anachron(['--help'])\n"
        "except SystemExit:\n"
        "    print(*sorted(m.split('.')[0] for m in sys.modules), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    heavy = {"duckdb", "numpy", "pyarrow", "pydantic", "pandas", "polars", "vl_convert", "rich"}
    assert "Commands:" in done.stdout
    assert not heavy & set(done.stderr.split())
