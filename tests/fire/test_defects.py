"""What testers from outside once broke, each by the command line alone, as they did it.

A test that needs a word of today's program could not have failed yesterday: these need none, and
all of them fail on version 1412ffb, with ``PYTHONPATH`` set to its source.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.fire.defects import (
    MEMORY,
    PLAN,
    REGISTER,
    ROWS,
    can_mount,
    command,
    events,
    long,
    long_notes,
    mounted,
    refused,
)


@long
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_rows_put_aside_do_not_stay(tmp_path: Path, how: signal.Signals) -> None:
    long_notes(tmp_path)
    (tmp_path / "aside").mkdir()
    settings = {**os.environ, "ANACHRON_MEMORY": MEMORY, "TMPDIR": str(tmp_path / "aside"),
                "ANACHRON_TMP": str(tmp_path / "aside")}  # fmt: skip
    process = subprocess.Popen([sys.executable, "-m", "anachron", "publish", "plan.toml"],
                               cwd=tmp_path, env=settings, stderr=subprocess.DEVNULL)  # fmt: skip
    while not any("duckdb_temp" in file.name for file in (tmp_path / "aside").rglob("*")):
        assert process.poll() is None, "nothing was put aside"
        time.sleep(0.005)
    process.send_signal(how)
    process.wait(60)
    if how is signal.SIGKILL and (tmp_path / "ledger").exists():
        settings = {"ANACHRON_TMP": str(tmp_path / "aside")}
        command(tmp_path, "ledger", "recover", "ledger", settings=settings)
    assert [*(tmp_path / "aside").rglob("duckdb_temp*")] == []


@long
@can_mount
def test_no_room_to_put_rows_aside_is_no_mistake_of_ours(tmp_path: Path) -> None:
    long_notes(tmp_path)
    aside = str(tmp_path / "aside")
    ended = mounted(
        tmp_path, "mkdir aside && mount -t tmpfs -o size=64k none aside && "
        "exec $PYTHON -m anachron publish plan.toml",
        TMPDIR=aside, ANACHRON_TMP=aside, ANACHRON_MEMORY=MEMORY,
    )  # fmt: skip
    assert refused(ended), ended
    assert not [*tmp_path.glob("releases/0*")]


def test_no_row_vanishes(tmp_path: Path) -> None:
    long = f"p9,2024-01-01,w,{'x' * 33_000_000}\n"
    events(tmp_path, ROWS + long + ROWS.replace("p", "q"))
    ended = command(tmp_path, "publish", "plan.toml", "--json")
    assert refused(ended) or json.loads(ended.said)["rows"] == 81


def test_codes_beyond_the_dictionary_do_not_end_the_process(tmp_path: Path) -> None:
    events(tmp_path, table="visits.arrow")
    codes = pa.array(np.arange(40, dtype=np.int32) * 1_000_000)
    table = pa.table({
        "who": [f"p{i}" for i in range(40)], "day": ["2024-01-01"] * 40, "ward": ["w"] * 40,
        "note": pa.DictionaryArray.from_arrays(codes, ["a", "b"], safe=False),
    })  # fmt: skip
    with pa.OSFile(str(tmp_path / "visits.arrow"), "wb") as out, pa.ipc.new_file(
        out, table.schema) as writer:  # fmt: skip
        writer.write_table(table)
    assert refused(command(tmp_path, "publish", "plan.toml"))
    assert refused(command(tmp_path, "init", "visits.arrow", "-o", "new.toml"))


@long
def test_memory_is_a_bound_for_all(tmp_path: Path) -> None:
    events(tmp_path, "".join(f"p{i},2024-01-01,w,n{i % 2}\n" for i in range(200_000)))
    ended = command(tmp_path, "publish", "plan.toml", settings={"ANACHRON_MEMORY": "60MB"})
    assert refused(ended)
    assert "ANACHRON_MEMORY" in ended.said


@long
def test_ctrl_c_is_told_as_such(tmp_path: Path) -> None:
    events(tmp_path, "".join(f"p{i},2024-01-01,w,n{i}\n" for i in range(1_000_000)))
    process = subprocess.Popen([sys.executable, "-m", "anachron", "publish", "plan.toml"],
                               cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True, env={**os.environ, "TMPDIR": str(tmp_path)},
                               preexec_fn=lambda: signal.signal(
                                   signal.SIGINT, signal.default_int_handler))  # fmt: skip
    while not any(path.name not in ("visits.csv", "plan.toml") for path in tmp_path.iterdir()):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "mistake of Anachron" not in out + err


@pytest.mark.parametrize("header", ["who,,day", '"",who'])
def test_names_of_columns_that_are_missing_are_no_mistake_of_ours(
    tmp_path: Path, header: str
) -> None:
    (tmp_path / "t.csv").write_text(header + "\n" + "a,b,2024-01-01\n" * 9)
    ended = command(tmp_path, "init", "t.csv", "-o", "new.toml")
    assert ended.code == 0 or refused(ended)


def test_times_that_csv_has_not_are_no_mistake_of_ours(tmp_path: Path) -> None:
    far = np.full(40, np.datetime64("20240-01-01"), "datetime64[s]")
    days = ["2024-01-01"] * 40
    pq.write_table(pa.table({
        "who": [f"p{i}" for i in range(40)], "day": days, "ward": ["w"] * 40, "note": far,
    }), tmp_path / "visits.parquet")  # fmt: skip
    (tmp_path / "plan.toml").write_text(PLAN.format(table="visits.parquet", csv="true"))
    ended = command(tmp_path, "publish", "plan.toml")
    assert refused(ended)
    assert "column 'note'" in ended.said
    assert [*(tmp_path / "releases").iterdir()] == []


def test_a_loop_of_links_as_destination_is_no_mistake_of_ours(tmp_path: Path) -> None:
    events(tmp_path)
    (tmp_path / "releases").symlink_to("releases")
    assert refused(command(tmp_path, "publish", "plan.toml"))


@pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed, which only root can be")
def test_a_table_that_may_not_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    events(tmp_path)
    (tmp_path / "visits.csv").chmod(0)
    # Root may read all; whoever has lost that right, and keeps its name, may not.
    ended = subprocess.run(
        ["setpriv", "--bounding-set=-all", "--inh-caps=-all", sys.executable, "-m", "anachron",
         "publish", "plan.toml"], cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 2, ended
    assert "permission" in ended.stderr.lower() or "may not" in ended.stderr, ended.stderr
    assert "gzip" not in ended.stderr


@pytest.mark.parametrize("what", ["pipe", "order"])
def test_what_has_no_end_is_not_waited_for(tmp_path: Path, what: str) -> None:
    events(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    if what == "order":
        (tmp_path / "people.csv").write_text("who,age,note\n" + "p,20,n\n" * 4)
        (tmp_path / "plan.toml").write_text(
            REGISTER.replace("m = 2", 'm = 2\n[guarantee.orders]\nage = "pipe"')
        )
    assert refused(command(tmp_path, "publish", "pipe" if what == "pipe" else "plan.toml"))
