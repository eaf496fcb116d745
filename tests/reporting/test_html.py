"""The certificate as a whole: what stands on it, and what must never stand on it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.published.ways import Granules
from anachron.reporting.html import html
from tests.reporting.pages import Outline, text
from tests.reporting.stand_ins import BUILT_IN, release, search, table, verdict, ways_of

LADDERS = {
    "age": ["as it is", "bins of 5", "bins of 10", "left out"],
    "zip": ["as it is", "left out"],
}
PROMISED = {"age": an.Ladder.bins(5, 10), "zip": an.Ladder.drop()}
"""The same, as the release promises it."""


def page(tmp_path: Path, explanation: dict[str, Any] | None = None, **changes: Any) -> str:
    return html(release(tmp_path, **changes), verdict(), explanation)


def test_the_promise_is_said_in_plain_words(tmp_path: Path) -> None:
    said = text(page(tmp_path))
    assert (
        "Whoever knows a person’s age and sex and the week of one event finds at least 5 "
        "different people who fit"
    ) in said


def test_a_failing_check_is_named(tmp_path: Path) -> None:
    said = text(html(release(tmp_path), verdict(False), None))
    assert "1 of 3 checks fails: people in a group." in said


def test_without_the_record_the_page_says_where_it_is(tmp_path: Path) -> None:
    written = page(tmp_path)
    assert "is in the owner’s ledger" in text(written)
    assert 'class="order"' not in written


def test_rows_left_out_are_known_from_the_release_alone(tmp_path: Path) -> None:
    said = text(page(tmp_path, suppressed_rows=12, max_suppressed="1/100"))
    assert f"12 rows of {table().num_rows + 12:,}" in said
    assert "The plan allowed up to 1.00 % of the rows to be left out" in said


def test_max_share_is_promised_and_no_longer_a_limit(tmp_path: Path) -> None:
    said = text(page(tmp_path, max_share="1/4"))
    assert "In no group does one person own more than 25.00 % of the rows." in said
    assert "far above one in" not in said


def test_ladders_are_shown_as_a_matrix(tmp_path: Path) -> None:
    written = page(tmp_path, search(ladders=LADDERS), ladders=PROMISED)
    rows = re.search(r'<table class="matrix">(.*?)</table>', written, re.DOTALL)
    assert rows is not None
    assert rows[1].count("<tr") == 1 + 8
    assert rows[1].count('class="cell published"') == 1
    Outline(written)


def test_a_large_product_is_cut_and_says_so(tmp_path: Path) -> None:
    many = {"age": [f"step {i}" for i in range(10)], "zip": [f"step {i}" for i in range(9)]}
    written = page(tmp_path, search(ladders=many), ladders=PROMISED)
    assert "30 of 90 combinations are shown." in written
    assert "more views in the owner’s ledger" in written
    assert len(written) < 1_000_000


def test_ladder_steps_are_told_from_the_release_alone(tmp_path: Path) -> None:
    two_weeks = an.Granularity.every("two_weeks", 2, "week", anchor="2006-01-02")
    ways = [
        replace(way, granularity=two_weeks) if isinstance(way, Granules) else way
        for way in ways_of(table().column_names)
    ]
    said = text(page(tmp_path, ways=ways, ladders=PROMISED))
    assert "age is published in bins of 10." in said
    assert "zip was left out." in said
    assert "the two weeks of one event" in said


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script><img src=x onerror=y>$style&amp;'
    data = table(3, sensitive=evil).rename_columns(
        ["group", f"{evil}a", f"{evil}b", "sex", evil + "t", evil + "t_start", evil + "t_end", evil]
    )
    record = search(ladders={evil + "a": [evil, evil]})
    record["notes"] = [evil]
    record["order"]["dropped"] = {"hour": evil}
    for node in record["nodes"]:
        node["because"] = evil
    outline = Outline(page(tmp_path, record, data=data, ladders={evil + "a": an.Ladder.drop()}))
    assert not {"script", "img"} & set(outline.tags)
    assert not any(name.startswith("on") for name, _ in outline.attributes)
    assert evil in outline.text


def test_nothing_is_fetched_and_nothing_runs(tmp_path: Path) -> None:
    written = page(tmp_path, search(ladders=LADDERS), ladders=PROMISED)
    outline = Outline(written)
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", written)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(outline.tags)
    links = [value for name, value in outline.attributes if name in ("href", "src")]
    assert links
    assert all(value is not None and value.startswith("#") for value in links)
    assert "url(" not in written.replace("url(#", "")


def test_every_sign_and_name_that_is_used_exists_once(tmp_path: Path) -> None:
    outline = Outline(page(tmp_path, search()))
    ids = [value for name, value in outline.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    used = {value[1:] for name, value in outline.attributes if name == "href" and value}
    assert used <= set(ids)


def test_many_granules_stay_small(tmp_path: Path) -> None:
    n = 100_000
    second = pa.array(range(n)).cast(pa.timestamp("s", "UTC"))
    data = pa.table(
        {
            "group": pa.array(range(n)),
            "t": pa.array([f"second {i:06d}" for i in range(n)]),
            "t_start": second,
            "t_end": pa.array(range(1, n + 1)).cast(pa.timestamp("s", "UTC")),
        }
    )
    written = page(tmp_path, data=data, ways=ways_of(data.column_names, "second"), k=2)
    assert len(written) < 300_000
    assert "100,000 rows in 100,000 seconds. A bar stands for up to 334 seconds." in written


def test_files_are_listed_with_their_digests(tmp_path: Path) -> None:
    said = text(page(tmp_path))
    assert "0123456789abcdef" * 4 in said
    assert "datapackage.json" in said
    assert "anachron audit 0003" in said


def test_columns_are_explained_as_the_release_does_and_those_that_it_adds_too(
    tmp_path: Path,
) -> None:
    given = release(tmp_path)
    cells = re.findall(r"<td>([^<]*)</td></tr>", html(given, verdict(), None))
    (resource,) = given.description["resources"]
    stated = [f["description"] for f in resource["schema"]["fields"] if "description" in f]
    assert len(stated) == len(table().column_names) - 1
    assert {unescape(cell) for cell in cells} >= {
        *stated, "Number of the group: rows that agree in all columns but the content.",
    }  # fmt: skip


def test_a_record_that_leaves_views_out_still_says_how_many_there_were(tmp_path: Path) -> None:
    record = search(ladders=LADDERS)
    record["nodes"] = [node for node in record["nodes"] if node["measured"]]
    said = text(page(tmp_path, record, ladders=PROMISED))
    assert f"Of {14 * 8} views {len(record['nodes'])} had to be counted" in said


def test_the_folder_is_quoted_for_the_shell(tmp_path: Path) -> None:
    odd = release(tmp_path, table(3))
    odd.path = odd.path.rename(tmp_path / "my release; rm")
    assert "anachron audit 'my release; rm'" in text(html(odd, verdict(), None))


@pytest.mark.parametrize("names", [BUILT_IN, BUILT_IN[5:], ("day", "week", "half_month", "month")])
def test_every_granularity_stands_in_the_picture(tmp_path: Path, names: tuple[str, ...]) -> None:
    written = page(tmp_path, search(names))
    nodes = re.findall(r'class="name">(.*?)</text>', written)
    assert nodes == [name.replace("_", " ") for name in names]
    assert written.count('class="node published') == 1
