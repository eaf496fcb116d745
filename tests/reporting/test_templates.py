"""Templates: text stays text, whatever it holds, and no name is left open."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from jinja2 import UndefinedError, nodes

import anachron as an
from anachron.reporting import html as module
from anachron.reporting.html import html
from tests.reporting import feed_stand_ins as feed
from tests.reporting import register_stand_ins as register
from tests.reporting import series_stand_ins as series
from tests.reporting import stand_ins as events
from tests.reporting.pages import Outline
from tests.reporting.proof_stand_ins import finding, measure, utility

SCRIPT = "<script>alert('&')</script>"
SUM = "{{ 8191*8191 }}{% raw %}{# note #}"
EVIL = f"{SCRIPT}\"'>{SUM}"


def _events(folder: Path) -> tuple[Any, Any, Any]:
    time = [EVIL, f"{EVIL}_start", f"{EVIL}_end"]
    data = events.table(3).rename_columns(
        ["group", f"{EVIL}1", f"{EVIL}2", "sex", *time, f"{EVIL}3"]
    )
    data = data.set_column(4, EVIL, pa.array([f"{EVIL} {n}" for n in range(len(data))]))
    told = events.search(ladders={f"{EVIL}1": [EVIL, EVIL]})
    told["order"]["dropped"] = {"hour": EVIL}
    told["nodes"] = [{**node, "because": EVIL} for node in told["nodes"]]
    given = events.release(folder, data, ladders={f"{EVIL}1": an.Ladder.drop()})
    return given, events.verdict(), told


def _register(folder: Path) -> tuple[Any, Any, Any]:
    given = register.release(folder, register.rows(sensitive=EVIL), as_of=EVIL)
    return given, register.verdict(), register.record()


def _feed(folder: Path) -> tuple[Any, Any, Any]:
    told = feed.record()
    told["snapshots"] = [{**one, "snapshot": EVIL} for one in told["snapshots"]]
    tables = feed.anatomy(sensitive=EVIL)
    tables["data"] = tables["data"].set_column(
        1, "seen", pa.array([EVIL] * tables["data"].num_rows)
    )
    return feed.release(folder, tables), feed.verdict(), told


def _series(folder: Path) -> tuple[Any, Any, Any]:
    times = {"values": [EVIL, f"{EVIL}2"], "patterns": list(series.TIMES)}
    bounds = series.envelopes(times=tuple(times["values"]))
    given = series.release(folder, series.rows(f"{EVIL}3"), bounds, times)
    return given, series.verdict(), series.record()


@pytest.mark.parametrize("of", [_events, _register, _feed, _series])
def test_hostile_names_values_and_notes_are_neither_markup_nor_templates(
    of: Any, tmp_path: Path
) -> None:
    given, verdict, told = of(tmp_path)
    told["notes"] = [EVIL]
    tried = finding(None, 1, title=EVIL, knows=EVIL, promised=EVIL, measured=EVIL, sampled=EVIL,
                    about=EVIL, figures={EVIL: EVIL})  # fmt: skip
    shown = utility(measure(EVIL), notes=(EVIL,))
    for explanation in (told, None):
        written = html(given, verdict, explanation, [tried], shown)
        outline = Outline(written)
        assert "script" not in outline.tags
        assert not any(name.startswith("on") for name, _ in outline.attributes)
        assert SCRIPT in outline.text
        assert SUM in outline.text
        assert "67092481" not in re.sub(r"[.,\s]", "", outline.text)


def test_a_name_that_is_not_known_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        module.templates(module.__package__).from_string("{{ nobody }}").render()


def test_every_template_is_used_and_keeps_what_it_shows_escaped() -> None:
    """Only drawings, which are made of numbers and escaped words, enter as markup."""
    templates = module.templates(module.__package__)
    named, safe = set(), []
    for name in templates.list_templates(extensions=["html", "css"]):
        source = Path(str(templates.get_template(name).filename)).read_text("utf-8")
        tree = templates.parse(source)
        for node in tree.find_all((nodes.Include, nodes.Extends, nodes.Import, nodes.FromImport)):
            named.add(node.template.as_const())
        safe += [name for found in tree.find_all(nodes.Filter) if found.name == "safe"]
        assert "autoescape" not in source
        assert "<script" not in source
    pages = {f"{method}.html" for method in module.METHODS}
    assert set(templates.list_templates()) == named | pages
    assert safe == ["parts.html"]


def test_white_space_is_left_out_only_where_no_reader_sees_it(tmp_path: Path) -> None:
    odd = "a\u00a0\u00a0b \u2003 c"
    given = events.release(tmp_path, events.table(3, sensitive=odd))
    given.path = given.path.rename(tmp_path / "two  spaces")
    written = html(given, events.verdict(), None)
    assert f"<em>{odd}</em>" in written
    assert "anachron audit &#39;two  spaces&#39;" in written
    assert not re.search(
        r"[ \n]{2}", re.sub(r"<(pre|style)>.*?</\1>", "", written, flags=re.DOTALL)
    )
    assert "<em>age</em> and <em>sex</em>, which an outsider may know, are published" in written
