"""Two users of one machine: what one publishes the other can read, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import anachron as an
from tests.crash.houses import HOUSES
from tests.crash.small import contents
from tests.environs.users import NOBODY, become, can_run

SOURCE = Path(__file__).parents[2] / "src"
KEEPER, OTHER = NOBODY, NOBODY - 1
HOUSE = HOUSES["granularity"]
DENIED = (
    "ermission denied",
    "belongs to another user",
    "is not readable",
    "may not be",
    "from another ledger",
)

pytestmark = pytest.mark.skipif(
    not (can_run(KEEPER) and can_run(OTHER)),
    reason="other users need root, setpriv and a Python that they may run, which are not here",
)


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder of the keeper that everybody may enter, with a release and the next table."""
    made = Path(tempfile.mkdtemp(prefix="users-"))
    made.chmod(0o755)
    HOUSE.prepare(made / "keeper")
    HOUSE.write(made / "keeper", 2)
    (made / "other").mkdir()
    for place, user in (("keeper", KEEPER), ("other", OTHER)):
        for path in (made / place, *(made / place).rglob("*")):
            os.chown(path, user, user)
    ended = as_user(KEEPER, made / "keeper", HOUSE.publish(1))
    assert ended.returncode == 0, ended
    yield made
    shutil.rmtree(made)


def started(user: int, folder: Path, words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*become(user), "-i", f"PATH={os.environ['PATH']}", f"PYTHONPATH={SOURCE}",
         f"TMPDIR={folder}", sys.executable, "-m", "anachron", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def as_user(user: int, folder: Path, words: list[str]) -> subprocess.CompletedProcess[str]:
    process = started(user, folder, words)
    out, err = process.communicate(timeout=120)
    assert "mistake of Anachron" not in out + err
    assert "Traceback" not in out + err
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@pytest.mark.campaign
def test_a_release_is_for_everybody(root: Path) -> None:
    release = str(root / "keeper" / "releases" / "0001")
    before = contents(root / "keeper")
    for words in (["audit", release], ["ask", release, "SELECT COUNT(*)"], ["report", release,
                  "-o", "certificate.html"]):  # fmt: skip
        ended = as_user(OTHER, root / "other", words)
        assert ended.returncode == 0, ended
    assert contents(root / "keeper") == before


@pytest.mark.parametrize(
    "words",
    [
        ["ledger", "show", "LEDGER"],
        ["ledger", "check", "LEDGER"],
        ["ledger", "recover", "LEDGER"],
        ["ledger", "key", "LEDGER"],
        ["audit", "RELEASE", "--ledger", "LEDGER"],
        ["attack", "RELEASE", "--ledger", "LEDGER"],
    ],
)
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.campaign
def test_a_ledger_is_for_its_keeper_alone(root: Path, words: list[str], opened: bool) -> None:
    ledger, release = root / "keeper" / "ledger", root / "keeper" / "releases" / "0001"
    if opened:  # by somebody who meant to help
        for path in (ledger, *ledger.rglob("*")):
            path.chmod(path.stat().st_mode | 0o077)
    before = contents(ledger)
    named = {"LEDGER": str(ledger), "RELEASE": str(release)}
    ended = as_user(OTHER, root / "other", [named.get(word, word) for word in words])
    assert ended.returncode in (1, 2), ended
    assert any(words in ended.stderr for words in DENIED), ended
    assert contents(ledger) == before


def given(root: Path, ledger: str) -> list[str]:
    """How the other user publishes the next table, with a plan of their own."""
    plan = an.Plan(root / "keeper" / HOUSE.file(2), HOUSE.schema, HOUSE.promise,
                   root / "keeper" / "releases", root / ledger)  # fmt: skip
    (root / "other" / "plan.toml").unlink(missing_ok=True)
    plan.write(root / "other" / "plan.toml")
    os.chown(root / "other" / "plan.toml", OTHER, OTHER)
    return ["publish", "plan.toml", "--accept", "strangers"]


def test_nobody_else_publishes_there(root: Path) -> None:
    before = contents(root / "keeper")
    # Once with the keeper's ledger, once with a ledger of their own and the keeper's releases.
    for ledger in ("keeper/ledger", "other/ledger"):
        words = given(root, ledger)
        ended = as_user(OTHER, root / "other", words)
        assert ended.returncode in (1, 2), ended
        assert any(words in ended.stderr for words in DENIED), ended
    assert contents(root / "keeper") == before


def test_two_users_at_the_same_moment(root: Path) -> None:
    keeper = started(KEEPER, root / "keeper", HOUSE.publish(2))
    other = started(OTHER, root / "other", given(root, "keeper/ledger"))
    assert [process.communicate(timeout=120) and process.returncode for process in
            (keeper, other)] == [0, 1]  # fmt: skip
    assert sorted(p.name for p in (root / "keeper" / "releases").iterdir()) == ["0001", "0002"]
    assert as_user(KEEPER, root / "keeper", ["ledger", "check", "ledger"]).returncode == 0
