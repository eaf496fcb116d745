"""A notebook in a stock JupyterLab, which has no widgets to draw bars with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from anachron.notebook import framed

CELLS = [
    """
import anachron as an
import pyarrow as pa
import numpy as np

draw = np.random.default_rng(1)
n = 300
people = [f"p{i}" for i in range(n)]
days = [f"2024-0{1 + i % 3}-{1 + i % 28:02d}" for i in range(n)]
events = pa.table({"who": people, "day": days, "ward": [i % 3 for i in range(n)],
                   "ill": [("flu", "cold", "burn", "asthma")[i % 4] for i in range(n)]})
loads = pa.table({"who": people, **{f"h{t}": draw.integers(0, 40, n) for t in range(6)}})

def to(name):
    return {"ledger": f"{name}/ledger", "to": f"{name}/releases"}
""",
    """
visits = an.publish(events, an.Schema("who", "day", ["ward"], ["ill"]),
                    an.TimeGranularity(k=3, granularities=["week", "month"]), **to("visits"))
visits
""",
    """
register = an.publish(events, an.Schema("who", quasi=["ward"], sensitive="ill"),
                      an.MInvariance(m=2), **to("register"))
register
""",
    """
feed = an.publish(events, an.Schema("who", "day", ["ward"], ["ill"]),
                  an.Reposition(l=2, window=2, snapshot="month"), **to("feed"))
feed
""",
    """
series = an.publish(loads, an.Schema("who", series=[f"h{t}" for t in range(6)]),
                    an.KPAnonymity(k=6, P=2), **to("series"))
series
""",
    """visits.ask("SELECT ward, COUNT(*) WHERE ill = 'flu' GROUP BY ward")""",
    """series.ask("SELECT COUNT(*) WHERE value('h1') >= 20")""",
    """an.audit(visits, table=events, ledger="visits/ledger")""",
    """
audits = [an.audit(release, ledger=f"{name}/ledger").holds for name, release in
          {"register": register, "feed": feed, "series": series}.items()]
audits
""",
    """
pages = [an.report(release, f"{name}.html", ledger=f"{name}/ledger").name for name, release in
         {"visits": visits, "register": register, "feed": feed, "series": series}.items()]
pages
""",
]


def test_all_four_methods_in_a_real_notebook(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    hidden = "import sys\nsys.modules['ipywidgets'] = None  # as in a stock JupyterLab"
    book.cells.insert(0, nbformat.v4.new_code_cell(hidden))
    client = nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [list(cell.outputs) for cell in book.cells]
    # Nothing but results: no bar, no warning, no stray line.
    assert {part.output_type for parts in shown for part in parts} == {"execute_result"}
    for parts in shown[2:9]:
        assert 'class="anachron"' in parts[0]["data"]["text/html"]
    assert shown[9][0]["data"]["text/plain"] == "[True, True, True]"
    pages = ["visits.html", "register.html", "feed.html", "series.html"]
    assert shown[10][0]["data"]["text/plain"] == str(pages)
    assert all((tmp_path / page).stat().st_size > 1_000 for page in pages)


def test_where_a_notebook_is_and_widgets_are_not() -> None:
    """DuckDB asks IPython where it is, and then for widgets: here, as in a stock JupyterLab."""
    script = """
import sys
from types import ModuleType
class ZMQInteractiveShell: config = {"IPKernelApp": {}}
IPython = ModuleType("IPython")
IPython.get_ipython = lambda: ZMQInteractiveShell()
sys.modules["IPython"] = IPython
sys.modules["ipywidgets"] = None
import __main__
del __main__.__file__
import duckdb
try:
    duckdb.connect().execute("SET enable_progress_bar = false")
except duckdb.InvalidInputException:
    print("as in a notebook without widgets")
import anachron as an, pyarrow as pa
table = pa.table({"who": ["a", "b"], "day": ["2024-05-06"] * 2})
print(an.publish(table, an.Schema("who", "day"), an.TimeGranularity(k=2)).rows)
"""
    done = subprocess.run(
        [sys.executable], input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["as in a notebook without widgets", "2"]


def test_every_rule_weighs_more_than_those_of_the_page() -> None:
    style = framed("").partition("<style>")[2].partition("</style>")[0]
    selectors = [one for rule in style.split("}")[:-1] for one in rule.partition("{")[0].split(",")]
    assert len(selectors) > 8
    assert all(one.strip().startswith(".anachron.anachron") for one in selectors)
