"""A container that may only be read, and a service without a home."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from anachron.demo.jobs import JOBS, Job, prepare
from tests.environs.users import NOBODY, can_run

SOURCE = Path(__file__).parents[2] / "src"
USER = NOBODY if can_run(NOBODY) else 0


def can_unshare() -> bool:
    """Whether this machine lets us see a file system as a reader does."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        return False
    mount = "mount --make-rprivate / && mount -o remount,bind,ro /"
    return not subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode


pytestmark = pytest.mark.skipif(
    not can_unshare(), reason="mounts for one process need root and unshare, which are not here"
)


@pytest.fixture(scope="module")
def work() -> Iterator[Path]:
    """The one place that can be written: tables, plans, and what is put aside."""
    root = Path(tempfile.mkdtemp(prefix="read-only-"))
    prepare(root / "d")
    (root / "aside").mkdir()
    for path in (root, *root.rglob("*")):
        os.chown(path, USER, USER)
    yield root
    shutil.rmtree(root)


def contained(work: Path, command: str, aside: str = "aside") -> str:
    """Run a command as somebody without a home, where all but one folder can only be read."""
    script = f"""
set -e
mount --make-rprivate /
mount --bind {work} {work}
mount -o remount,bind,ro /
cd {work}
for place in {SOURCE}/anachron {sys.prefix} /tmp ~; do
    if touch $place/written 2>/dev/null; then echo "$place can be written"; exit 99; fi
done
exec setpriv --reuid={USER} --regid={USER} --clear-groups env -i PATH=$PATH \
  ANACHRON_TMP={work / aside} PYTHONPATH={SOURCE} {sys.executable} -m anachron {command}
"""
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
    assert "Warning" not in done.stderr
    return done.stdout


# Without a place to keep it, code is compiled again and again: for series, half a minute each time.
LONG = pytest.mark.campaign
METHODS = [JOBS[0], *(pytest.param(job, marks=LONG) for job in JOBS[1:])]


@pytest.mark.parametrize("job", METHODS, ids=lambda job: job.guarantee.method)
def test_from_the_table_to_the_certificate(work: Path, job: Job) -> None:
    ends = f"d/{job.releases}/0001"
    assert "published" in contained(work, f"publish d/{job.plan}").lower()
    assert contained(work, f"ask {ends} {shlex.quote(job.question)}")
    assert "holds" in contained(work, f"audit {ends} --plan d/{job.plan}")
    contained(work, f"report {ends} --plan d/{job.plan} -o d/{job.certificate}")
    assert (work / "d" / job.certificate).stat().st_size > 1_000
    assert [*(work / "aside").rglob("*")] == []


@LONG
def test_a_feed_push_by_push(work: Path) -> None:
    [feed] = [job for job in JOBS if job.plan.startswith("admissions")]
    plan = work / "d" / feed.plan
    text = plan.read_text().replace(f'"{feed.ledger}"', '"l"').replace(f'"{feed.releases}"', '"r"')
    (work / "d" / "push.toml").write_text(text)
    assert "Published" in contained(work, "push d/push.toml")
    assert "Published" in contained(work, "push d/push.toml --end")
    assert "holds" in contained(work, "audit d/r --plan d/push.toml")


def test_where_nothing_can_be_put_aside_the_way_out_is_told(work: Path) -> None:
    with pytest.raises(AssertionError, match="Set ANACHRON_TMP to a folder"):
        contained(work, f"publish d/{JOBS[0].plan}", aside="/var/tmp")


@pytest.mark.campaign  # failed once in a clone below /tmp, cause not known yet
def test_a_ledger_on_a_medium_that_can_only_be_read_is_audited(work: Path) -> None:
    job = JOBS[0]
    contained(work, f"publish d/{job.plan}")
    with tempfile.TemporaryDirectory(prefix="sealed-") as folder:
        sealed = Path(folder) / "d"
        shutil.copytree(work / "d", sealed)
        for path in (Path(folder), sealed, *sealed.rglob("*")):
            os.chown(path, USER, USER)
        plan = f"--plan {sealed / job.plan}"
        assert "holds" in contained(work, f"audit {sealed / job.releases / '0001'} {plan}")
        assert "are whole" in contained(work, f"ledger check {sealed / job.ledger}")
        with pytest.raises(AssertionError, match="a place that can be written"):
            contained(work, f"publish {sealed / job.plan}")
