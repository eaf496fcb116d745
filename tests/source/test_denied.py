"""What may not be read, or lies where nothing is looked for, is said as such, by both readers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import anachron as an
from anachron.behind import read
from anachron.engines.local.load import load
from anachron.errors import TableError
from anachron.source.read import SUFFIXES

SCHEMA = an.Schema("who", "day", [], ["note"])
READERS: tuple[Callable[[object, an.Schema], object], ...] = (load, read)
TEXT = "who,day,note\nann,2024-05-06,x\n"


@pytest.fixture
def everybodys() -> Iterator[Path]:
    """A folder that others may enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o777)
        yield Path(made)


def as_nobody(work: Callable[[], None]) -> None:
    """Do something in a process whose user owns nothing."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may be nobody")
def test_permission_denied_is_said_of_every_kind_of_file(
    everybodys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path = everybodys
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch").chmod(0o777)
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path / "scratch"))
    tables = []
    for number, ending in enumerate(SUFFIXES):
        file = tmp_path / f"t{number}{ending}"
        file.write_text(TEXT)
        file.chmod(0)
        tables.append(str(file))
    for name in ("sqlite", "duckdb"):
        (tmp_path / name).write_text(TEXT)
        (tmp_path / name).chmod(0)
        tables.append(f"{name}:{tmp_path / name}#t")

    def tried() -> None:
        for table in tables:
            for reader in READERS:
                with pytest.raises(TableError, match="may not be read: permission denied"):
                    reader(table, SCHEMA)

    as_nobody(tried)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may be nobody")
def test_rows_in_a_folder_that_cannot_be_listed_are_not_left_out(
    everybodys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path = everybodys
    monkeypatch.setenv("ANACHRON_TMP", str(tmp_path))
    for name in ("a", "b"):
        (tmp_path / "many" / name).mkdir(parents=True)
        (tmp_path / "many" / name / "t.csv").write_text(TEXT)
    (tmp_path / "many" / "b").chmod(0)

    def tried() -> None:
        for reader in READERS:
            with pytest.raises(TableError, match=r"many: .*Permission denied|permission denied"):
                reader(tmp_path / "many", SCHEMA)

    as_nobody(tried)


def test_rows_behind_a_link_are_not_left_out(tmp_path: Path) -> None:
    for name in ("many", "elsewhere"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.csv").write_text(TEXT)
    (tmp_path / "many" / "more").symlink_to(tmp_path / "elsewhere")
    for reader in READERS:
        with pytest.raises(TableError, match="many"):
            reader(tmp_path / "many", SCHEMA)


def test_what_is_no_file_in_a_folder_is_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TEXT)
    (tmp_path / "u.csv").symlink_to("nowhere")
    with pytest.raises(TableError, match=r"u\.csv: is not an ordinary file"):
        load(tmp_path, SCHEMA)
