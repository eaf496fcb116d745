"""What testers from outside once broke of releases and ledgers: see ``test_defects``."""

from __future__ import annotations

import resource
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.fire.defects import (
    REGISTER,
    ROWS,
    can_mount,
    command,
    described,
    described_as_it_is,
    events,
    long,
    mounted,
    published,
    refused,
    resource_of,
)


@long
@pytest.mark.parametrize("place", ["data", "more"])
def test_a_table_that_nobody_needs_is_refused(tmp_path: Path, place: str) -> None:
    if place == "data":
        rows = "".join(f"p{i},{20 + i},n{i % 2}\n" for i in range(40))
        (tmp_path / "people.csv").write_text("who,age,note\n" + rows)
        (tmp_path / "plan.toml").write_text(REGISTER)
    else:
        events(tmp_path)
    release = published(tmp_path)
    pq.write_table(pa.table({"who": ["Ann"], "note": ["asthma"]}), release / "evil.parquet")
    at = 0 if place == "data" else 9

    def add(about: dict[str, Any]) -> None:
        resources = about["resources"]
        resources.insert(at, resource_of(release / "evil.parquet", resources[0], place))

    described(release, add)
    assert refused(command(tmp_path, "audit", str(release)))


@long
def test_text_before_the_footer_is_refused(tmp_path: Path) -> None:
    events(tmp_path)
    release = published(tmp_path)
    file = release / "data.parquet"
    content = file.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    file.write_bytes(content[:footer] + b"Ann,asthma\n" + content[footer:])
    described_as_it_is(release)
    assert refused(command(tmp_path, "audit", str(release)))


@long
def test_words_that_no_release_has_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"p{i},{20 + i},n{i % 2}\n" for i in range(40))
    (tmp_path / "people.csv").write_text("who,age,note\n" + rows)
    (tmp_path / "plan.toml").write_text(REGISTER)
    release = published(tmp_path)
    described(release, lambda about: about.update(remark="Ann has asthma"))
    assert refused(command(tmp_path, "audit", str(release)))


@long
def test_charts_without_room_do_not_end_the_process(tmp_path: Path) -> None:
    events(tmp_path)
    release = published(tmp_path)
    room = (8 << 30, 8 << 30)
    ended = command(tmp_path, "report", str(release), "-o", "certificate.html",
                    within=lambda: resource.setrlimit(resource.RLIMIT_AS, room))  # fmt: skip
    assert ended.code == 0 or refused(ended)


@long
def test_equal_rows_without_end_are_not_unpacked(tmp_path: Path) -> None:
    events(tmp_path)
    release = published(tmp_path)
    file = release / "data.parquet"
    row = pq.read_table(file).slice(0, 1)
    part = row.take(pa.array(np.zeros(1 << 17, np.int8)))
    with pq.ParquetWriter(file, row.schema, compression="zstd") as writer:
        for _ in range(230):
            writer.write_table(part)
    described_as_it_is(release)
    ended = command(tmp_path, "ask", str(release), "SELECT COUNT(*)")
    assert refused(ended)
    assert ended.memory < 1 << 30


@long
def test_another_release_in_the_folder_is_noticed(tmp_path: Path) -> None:
    events(tmp_path)
    published(tmp_path)
    events(tmp_path, ROWS.replace("2024", "2025"))
    second = published(tmp_path)
    shutil.rmtree(second)
    shutil.copytree(tmp_path / "releases" / "0001", second)
    assert refused(command(tmp_path, "audit", str(second), "--ledger", "ledger"))


@can_mount
def test_a_ledger_that_can_only_be_read_is_audited(tmp_path: Path) -> None:
    events(tmp_path)
    release = published(tmp_path)
    ended = mounted(
        tmp_path, f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path} && "
        f"cd {tmp_path} && exec $PYTHON -m anachron audit {release} --ledger ledger",
    )  # fmt: skip
    assert ended.code == 0, ended


def test_questions_about_other_tables_are_refused(tmp_path: Path) -> None:
    events(tmp_path)
    release = published(tmp_path)
    asked = "SELECT COUNT(*) FROM read_csv('/etc/passwd')"
    assert refused(command(tmp_path, "ask", str(release), asked))


@long
def test_an_older_ledger_is_noticed_although_releases_were_handed_out(tmp_path: Path) -> None:
    events(tmp_path)
    witness = {"ANACHRON_WITNESS": str(tmp_path / "witness")}
    assert command(tmp_path, "publish", "plan.toml", settings=witness).code == 0
    shutil.copytree(tmp_path / "ledger", tmp_path / "backup")
    events(tmp_path, ROWS.replace("2024", "2025"))
    assert command(tmp_path, "publish", "plan.toml", settings=witness).code == 0
    (tmp_path / "releases").rename(tmp_path / "handed out")
    shutil.rmtree(tmp_path / "ledger")
    (tmp_path / "backup").rename(tmp_path / "ledger")
    events(tmp_path, ROWS.replace("2024", "2026"))
    assert refused(command(tmp_path, "publish", "plan.toml", settings=witness))
