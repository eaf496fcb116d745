"""The section [certificate]: who publishes what, for whom; optional, and apart from all else."""

from __future__ import annotations

from pathlib import Path

import pytest

import anachron as an
from anachron.identity import Identity


def plan(**more: object) -> an.Plan:
    schema = an.Schema(subject="who", time="when")
    return an.Plan("t.parquet", schema, an.TimeGranularity(k=2), **more)  # type: ignore[arg-type]


def test_it_is_written_only_if_something_is_stated_and_read_back(tmp_path: Path) -> None:
    assert "[certificate]" not in plan().to_toml(tmp_path)
    stated = {"title": 'The "best" table', "recipient": "Everybody"}
    written = plan(certificate=stated)
    file = written.write(tmp_path / "plan.toml")
    assert file.read_text().endswith(
        '\n[certificate]\ntitle = "The \\"best\\" table"\nrecipient = "Everybody"\n'
    )
    assert an.Plan.read(file).certificate == Identity(**stated) == written.certificate
    assert "certificate={'title'" in repr(written)
    assert "certificate" not in repr(plan())


def test_what_is_wrong_with_it_is_told_by_its_key(tmp_path: Path) -> None:
    file = plan(certificate={"title": "A"}).write(tmp_path / "plan.toml")
    text = file.read_text()
    for wrong, told in [
        ('titel = "A"', "Did you mean 'title'"),
        ("title = 7", "certificate.title must be a text"),
        (f'title = "{"long " * 100}"', "longer than 400 characters"),
        ('title = "a\\u0007b"', "cannot be printed"),
    ]:
        file.write_text(text.replace('title = "A"', wrong))
        with pytest.raises(an.AnachronError, match=told):
            an.Plan.read(file)


def test_lines_are_one_line() -> None:
    assert Identity(purpose="  a\n  study ").purpose == "a study"
