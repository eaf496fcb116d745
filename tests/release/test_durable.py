from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from anachron.errors import AnachronError, ReleaseError
from anachron.release.durable import (
    DurableFile,
    digest_of,
    failures_as,
    make_folder,
    remove,
    write_file,
    write_text,
)


def test_a_file_is_digested_while_it_is_written(tmp_path: Path) -> None:
    content = os.urandom(3_000_001)
    file = DurableFile(tmp_path / "file")
    for start in range(0, len(content), 700_000):
        file.write(content[start : start + 700_000])
    digest = file.finish()
    assert (tmp_path / "file").read_bytes() == content
    assert digest == hashlib.sha256(content).hexdigest() == digest_of(tmp_path / "file")
    assert file.bytes == len(content)


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    write_file(tmp_path / "file", b"first", 0o600)
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "file", b"second")
    assert (tmp_path / "file").read_bytes() == b"first"


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, data[:3]))
    write_file(tmp_path / "file", b"one two three")
    assert (tmp_path / "file").read_bytes() == b"one two three"


def test_text_for_people_replaces_what_was_there(tmp_path: Path) -> None:
    for text in ("one", "twö"):
        assert write_text(tmp_path / "page.html", text) == tmp_path / "page.html"
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_text_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "page.html", tmp_path / "none" / "page.html", tmp_path):
        with pytest.raises(AnachronError, match=r"^Writing .* failed: "):
            write_text(place, "text")


def test_folders_above_are_made_too(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b" / "c", 0o700)
    assert (tmp_path / "a" / "b" / "c").is_dir()


def test_remove_takes_files_folders_links_and_nothing(tmp_path: Path) -> None:
    (tmp_path / "kept" / "inside").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    for name in ("link", "file", "folder", "nothing"):
        remove(tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "inside"]


def test_failures_name_the_place_and_the_remedy(tmp_path: Path) -> None:
    with (
        pytest.raises(ReleaseError, match=r"Looking failed: No such file .*nowhere\)\. Try again"),
        failures_as(ReleaseError, "Looking"),
    ):
        (tmp_path / "nowhere").stat()
