"""The certificate as a whole: what stands on it, and what must never stand on it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anachron as an
from anachron.published.ways import Granules
from anachron.reporting.html import html
from tests.reporting.stand_ins import BUILT_IN, release, search, table, verdict, ways_of

TITLES = [
    "What is promised",
    "What was done",
    "What was measured",
    "How the granularity was chosen",
    "What was published",
    "What is not promised",
    "What the columns mean",
    "Check it yourself",
]
LADDERS = {
    "age": ["as it is", "bins of 5", "bins of 10", "left out"],
    "zip": ["as it is", "left out"],
}
PROMISED = {"age": an.Ladder.bins(5, 10), "zip": an.Ladder.drop()}
"""The same, as the release promises it."""


class Outline(HTMLParser):
    """Tags, attributes and text of a page; fails where tags do not close each other."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def page(folder: Path, explanation: dict[str, Any] | None = None, **changes: Any) -> str:
    data = changes.pop("data", None)
    return html(
        release(folder, table() if data is None else data, **changes), verdict(), explanation
    )


def test_every_section_stands_in_order(folder: Path) -> None:
    written = page(folder, search())
    assert re.findall(r"<h2>(.*?)</h2>", written) == TITLES
    Outline(written)


def test_the_promise_is_said_in_plain_words(folder: Path) -> None:
    text = Outline(page(folder)).text
    assert (
        "Whoever knows a person’s age and sex and the week of one event finds at least 5 "
        "different people who fit"
    ) in text


@pytest.mark.parametrize(
    ("holds", "scope", "sentence"),
    [
        (True, "with microdata", "The promise is kept."),
        (True, "published", "Nothing in the release speaks against the promise."),
        (False, "with microdata", "The promise is not kept."),
        (False, "published", "The promise is not kept."),
    ],
)
def test_the_verdict_says_no_more_than_the_audit_saw(
    folder: Path, holds: bool, scope: str, sentence: str
) -> None:
    written = html(release(folder, table()), verdict(holds, scope), None)
    assert re.findall(r"<strong>(.*?)</strong>", written)[0] == sentence
    assert ("verdict failed" in written) is not holds


def test_a_failing_check_is_named(folder: Path) -> None:
    text = Outline(html(release(folder, table()), verdict(False), None)).text
    assert "1 of 3 checks fails: people in a group." in text


def test_without_the_record_the_page_says_where_it_is(folder: Path) -> None:
    written = page(folder)
    assert "is in the owner’s ledger" in Outline(written).text
    assert 'class="order"' not in written


def test_rows_left_out_are_known_from_the_release_alone(folder: Path) -> None:
    text = Outline(page(folder, suppressed_rows=12, max_suppressed="1/100")).text
    assert f"12 rows of {table().num_rows + 12:,}" in text
    assert "The plan allowed up to 1.00 % of the rows to be left out" in text


def test_max_share_is_promised_and_no_longer_a_limit(folder: Path) -> None:
    text = Outline(page(folder, max_share="1/4")).text
    assert "In no group does one person own more than 25.00 % of the rows." in text
    assert "far above one in" not in text


def test_ladders_are_shown_as_a_matrix(folder: Path) -> None:
    written = page(folder, search(ladders=LADDERS), ladders=PROMISED)
    rows = re.search(r'<table class="matrix">(.*?)</table>', written, re.DOTALL)
    assert rows is not None
    assert rows[1].count("<tr") == 1 + 8
    assert rows[1].count('class="cell published"') == 1
    Outline(written)


def test_a_large_product_is_cut_and_says_so(folder: Path) -> None:
    many = {"age": [f"step {i}" for i in range(10)], "zip": [f"step {i}" for i in range(9)]}
    written = page(folder, search(ladders=many), ladders=PROMISED)
    assert "30 of 90 combinations are shown." in written
    assert "more views in the owner’s ledger" in written
    assert len(written) < 1_000_000


def test_ladder_steps_are_told_from_the_release_alone(folder: Path) -> None:
    two_weeks = an.Granularity.every("two_weeks", 2, "week", anchor="2006-01-02")
    ways = [
        replace(way, granularity=two_weeks) if isinstance(way, Granules) else way
        for way in ways_of(table().column_names)
    ]
    text = Outline(page(folder, ways=ways, ladders=PROMISED)).text
    assert "age is published in bins of 10." in text
    assert "zip was left out." in text
    assert "the two weeks of one event" in text


def test_no_sensitive_content_is_printed(folder: Path) -> None:
    written = page(folder, search())
    assert "diagnosis" in written
    assert "secret" not in written


def test_hostile_names_stay_text(folder: Path) -> None:
    evil = '"><script>alert(1)</script><img src=x onerror=y>$style&amp;'
    data = table(3, sensitive=evil).rename_columns(
        ["group", f"{evil}a", f"{evil}b", "sex", evil + "t", evil + "t_start", evil + "t_end", evil]
    )
    record = search(ladders={evil + "a": [evil, evil]})
    record["notes"] = [evil]
    record["order"]["dropped"] = {"hour": evil}
    for node in record["nodes"]:
        node["because"] = evil
    outline = Outline(page(folder, record, data=data, ladders={evil + "a": an.Ladder.drop()}))
    assert not {"script", "img"} & set(outline.tags)
    assert not any(name.startswith("on") for name, _ in outline.attributes)
    assert evil in outline.text


def test_nothing_is_fetched_and_nothing_runs(folder: Path) -> None:
    written = page(folder, search(ladders=LADDERS), ladders=PROMISED)
    outline = Outline(written)
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", written)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(outline.tags)
    links = [value for name, value in outline.attributes if name in ("href", "src")]
    assert links
    assert all(value is not None and value.startswith("#") for value in links)
    assert "url(" not in written.replace("url(#", "")


def test_every_sign_and_name_that_is_used_exists_once(folder: Path) -> None:
    outline = Outline(page(folder, search()))
    ids = [value for name, value in outline.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    used = {value[1:] for name, value in outline.attributes if name == "href" and value}
    assert used <= set(ids)


def test_the_same_arguments_give_the_same_bytes(folder: Path) -> None:
    assert page(folder, search()) == page(folder, search())


def test_many_granules_stay_small(folder: Path) -> None:
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
    written = page(folder, data=data, ways=ways_of(data.column_names, "second"), k=2)
    assert len(written) < 300_000
    assert "100,000 rows in 100,000 seconds. A bar stands for up to 334 seconds." in written


def test_an_empty_release_has_a_page(folder: Path) -> None:
    outline = Outline(page(folder, data=table().slice(0, 0)))
    assert "The release holds no rows." in outline.text


def test_files_are_listed_with_their_digests(folder: Path) -> None:
    text = Outline(page(folder)).text
    assert "0123456789abcdef" * 4 in text
    assert "datapackage.json" in text
    assert "anachron audit 0003" in text


def test_columns_are_explained_as_the_release_does_and_those_that_it_adds_too(folder: Path) -> None:
    given = release(folder, table())
    cells = re.findall(r"<td>([^<]*)</td></tr>", html(given, verdict(), None))
    (resource,) = given.description["resources"]
    stated = [f["description"] for f in resource["schema"]["fields"] if "description" in f]
    assert len(stated) == len(table().column_names) - 1
    assert {unescape(cell) for cell in cells} >= {
        *stated, "Number of the group: rows that agree in all columns but the content.",
    }  # fmt: skip


def test_a_record_that_leaves_views_out_still_says_how_many_there_were(folder: Path) -> None:
    record = search(ladders=LADDERS)
    record["nodes"] = [node for node in record["nodes"] if node["measured"]]
    text = Outline(page(folder, record, ladders=PROMISED)).text
    assert f"Of {14 * 8} views {len(record['nodes'])} had to be counted" in text


def test_the_folder_is_quoted_for_the_shell(folder: Path) -> None:
    odd = release(folder, table(3))
    odd.path = odd.path.rename(folder / "my release; rm")
    assert "anachron audit 'my release; rm'" in Outline(html(odd, verdict(), None)).text


@pytest.mark.parametrize("names", [BUILT_IN, BUILT_IN[5:], ("day", "week", "half_month", "month")])
def test_every_granularity_stands_in_the_picture(folder: Path, names: tuple[str, ...]) -> None:
    written = page(folder, search(names))
    nodes = re.findall(r'class="name">(.*?)</text>', written)
    assert nodes == [name.replace("_", " ") for name in names]
    assert written.count('class="node published') == 1
