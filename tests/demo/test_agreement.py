"""A figure has one value, wherever it is told: by ``publish``, by ``audit``, on the certificate."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from anachron.cli.main import anachron
from anachron.demo import JOBS, Job, prepare


def run(*words: str | Path) -> dict[str, Any]:
    done = CliRunner().invoke(anachron, [*map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def published(job: Job, folder: Path) -> dict[str, Any]:
    prepare(folder)
    for table in job.tables:
        told = run("publish", folder / job.plan, "--table", folder / table)
    return told


def number(figure: object) -> Fraction:
    """Figures of the audit are texts where they are fractions, with a percentage in brackets."""
    return Fraction(str(figure).split(" ")[0])


def counted(release: Path) -> dict[str, int]:
    """How many groups there are, and patterns of series in them: the rows themselves say it."""
    rows = pq.read_table(release / "data.parquet")
    shapes = {"level", "pattern"} & set(rows.column_names)
    found = {"groups": len(set(rows["group"].to_pylist()))}
    if shapes:
        columns = (rows[name].to_pylist() for name in ("group", "level", "pattern"))
        found["subgroups"] = len(set(zip(*columns, strict=True)))
    return found


@pytest.mark.parametrize("job", JOBS, ids=[job.guarantee.method for job in JOBS])
def test_publish_audit_and_certificate_agree(job: Job, tmp_path: Path) -> None:
    told = published(job, tmp_path)
    last = tmp_path / job.tables[-1]
    release = tmp_path / job.releases / f"{len(job.tables):04d}"
    audited = run("audit", release, "--plan", tmp_path / job.plan, "--table", last)["figures"]
    # ``publish`` counts the rows of the table, ``audit`` those of the release.
    both = (told.keys() & audited.keys()) - {"rows"}
    same = [key for key in both if isinstance(told[key], (str, int, float))]
    assert same or job.guarantee.method == "granularity", "some figures are told by both"
    assert {k: number(told[k]) for k in same} == {k: number(audited[k]) for k in same}
    page = tmp_path / "page.html"
    run("report", release, "--plan", tmp_path / job.plan, "--table", last, "-o", page)
    words = re.sub(r"<[^>]+>", " ", unescape(page.read_text(encoding="utf-8")))
    told |= told.get("chosen", {})
    for key, many in counted(release).items():
        # Regression: 165 patterns were told where 155 were published.
        assert (told[key], number(audited[key])) == (many, many), key
        assert f" {key} {many:,} " in " ".join(words.split()), key
    for key in ("groups", "subgroups"):
        if key in same:
            noun = {"groups": "groups?", "subgroups": "patterns?"}[key]
            tolds = set(re.findall(rf"([\d,]+) {noun}(?: with| in all|, )", words))
            assert {int(one.replace(",", "")) for one in tolds} <= {told[key]}, (key, tolds)
