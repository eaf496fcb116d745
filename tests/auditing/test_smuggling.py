"""A recipient's audit is a closed world: whatever is hidden in a release, it is refused."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.errors import ReleaseError
from tests.auditing import smuggled_files, smuggled_words  # noqa: F401 (importing them lists them)
from tests.auditing.smuggling import SECRET, SMUGGLERS, Smuggler
from tests.auditing.test_published_bugs import WORK, feed
from tests.release.forging import restate

EVENTS, REGISTER, SERIES, FEED = (WORK[n] for n in ("events", "register", "series", "feed"))
TIMES = [f"t{i}" for i in range(6)]
CUSTOMIZED = an.KPAnonymity(k=6, P=3, precision="0.1", values=TIMES[:4], patterns=TIMES[2:])
WARDS = an.Ladder.hierarchy({str(age): "old" if age > 40 else "young" for age in range(20, 60)})
PUBLISHED: dict[str, tuple[pa.Table, an.Schema, object, bool]] = {
    "granularity": (EVENTS[0][0], EVENTS[1], EVENTS[2], True),
    "a hierarchy": (
        EVENTS[0][0],
        EVENTS[1],
        an.TimeGranularity(k=5, granularities=["week", "month"], ladders={"age": WARDS}),
        False,
    ),
    "invariance": (REGISTER[0][0], REGISTER[1], REGISTER[2], True),
    "anatomy": (feed(), FEED[1], an.Reposition(l="7/3", window=3), True),
    "generalize": (feed(), FEED[1], FEED[2], False),
    "m-invariant": (feed(), FEED[1], an.Reposition(window=3, then=an.MInvariance(m=2)), False),
    "patterns": (SERIES[0][0], SERIES[1], SERIES[2], False),
    "customized": (SERIES[0][0], SERIES[1], CUSTOMIZED, True),
}


@pytest.fixture(scope="module", params=PUBLISHED)
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    table, schema, promise, csv = PUBLISHED[request.param]
    folder = tmp_path_factory.mktemp("published")
    return an.publish(
        table, schema, promise, ledger=folder / "ledger", to=folder / "releases", csv=csv
    ).path


@pytest.fixture
def copied(release: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(release, tmp_path / release.name))


def refusal(folder: Path) -> str:
    """Why the audit refuses a release; nothing if it does not."""
    try:
        verdict = an.audit(folder)
    except ReleaseError as error:
        return str(error)
    return "; ".join(map(str, verdict.failures))


def test_what_was_published_is_not_refused(release: Path) -> None:
    assert refusal(release) == ""


@pytest.mark.parametrize("smuggler", SMUGGLERS, ids=lambda one: one.name)
def test_what_is_smuggled_is_refused(smuggler: Smuggler, copied: Path) -> None:
    if smuggler.csv and not (copied / "data.csv").exists():
        pytest.skip("there is no CSV")
    smuggler.hide(copied)
    why = refusal(copied)
    assert re.search(smuggler.place, why), why or "it passes"
    assert SECRET not in why


READERS: dict[str, Callable[[Path], object]] = {
    "open": an.Release,
    "table": lambda folder: an.Release(folder).table(),
    "ask": lambda folder: an.Release(folder).ask("SELECT COUNT(*)"),
    "report": lambda folder: an.report(folder, folder.parent / "report.html"),
}


@pytest.mark.parametrize("reader", READERS)
def test_no_reader_takes_a_second_table_for_the_first(reader: str, copied: Path) -> None:
    smuggled_words.another_table(0, "data")(copied)
    with pytest.raises(ReleaseError, match="resources: they are not the tables of this method"):
        READERS[reader](copied)


def test_the_command_line_says_where_and_ends_with_1(copied: Path) -> None:
    done = CliRunner().invoke(anachron, ["audit", str(copied)])
    assert (
        done.exit_code,
        f"The promise of release {copied.name} is not refuted" in done.stdout,
    ) == (
        0,
        True,
    )
    restate(copied, lambda said: said["anachron"].update(note=SECRET))
    done = CliRunner().invoke(anachron, ["audit", str(copied)])
    assert done.exit_code == 1
    assert "datapackage.json is not the description of a release" in done.stderr
    assert "anachron: its key number" in done.stderr
    assert SECRET not in done.output


def test_there_are_enough_smugglers() -> None:
    assert len(SMUGGLERS) >= 60
    assert len({one.name for one in SMUGGLERS}) == len(SMUGGLERS)


def test_the_folder_of_one_release_holds_another(tmp_path: Path) -> None:
    """With the ledger at hand, too: it knows both."""
    first, second, *_ = REGISTER[0]
    made = [
        an.publish(
            table, REGISTER[1], REGISTER[2], ledger=tmp_path / "ledger", to=tmp_path / "releases"
        )
        for table in (first, second)
    ]
    assert np.all([an.audit(one.path, ledger=tmp_path / "ledger").holds for one in made])
    shutil.rmtree(made[1].path)
    shutil.copytree(made[0].path, made[1].path)
    verdict = an.audit(made[1].path, ledger=tmp_path / "ledger")
    assert verdict.release == "0001"
    assert [check.name for check in verdict.failures] == ["place"]
    done = CliRunner().invoke(
        anachron, ["audit", str(made[1].path), "--ledger", str(tmp_path / "ledger")]
    )
    assert done.exit_code == 1
    assert "The promise of release 0001 FAILS" in done.stdout
    assert "folder 0002 holds release 0001" in done.stdout
