"""A notebook in a stock JupyterLab, which has no widgets to draw bars with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from anachron.notebook import framed

CELLS = {
    "imports": """
import anachron as an
import pyarrow as pa
import numpy as np

draw = np.random.default_rng(1)
n = 120
people = [f"p{i}" for i in range(n)]
days = [f"2024-0{1 + i % 3}-{1 + i % 28:02d}" for i in range(n)]
events = pa.table({"who": people, "day": days, "ward": [i % 3 for i in range(n)],
                   "ill": [("flu", "cold", "burn", "asthma")[i % 4] for i in range(n)]})
loads = pa.table({"who": people, **{f"h{t}": draw.integers(0, 40, n) for t in range(6)}})
visit = an.Schema("who", "day", ["ward"], ["ill"])

def to(name):
    return {"ledger": f"{name}/ledger", "to": f"{name}/releases"}
""",
    "visits": """
visits = an.publish(events, visit, an.TimeGranularity(k=3, granularities=["week", "month"]),
                    **to("visits"), progress=True)
visits
""",
    "register": """
register = an.publish(events, an.Schema("who", quasi=["ward"], sensitive="ill"),
                      an.MInvariance(m=2), **to("register"))
register
""",
    "push": """
feed = an.open(an.Plan("none.csv", visit, an.Reposition(l=2, window=2, snapshot="month"),
                       ledger="feed/ledger", releases="feed/releases"))
pushed = [*feed.push(events), *feed.flush()]
pushed[-1]
""",
    "series": """
series = an.publish(loads, an.Schema("who", series=[f"h{t}" for t in range(6)]),
                    an.KPAnonymity(k=6, P=2), **to("series"))
series
""",
    "ask": """
counted = visits.ask("SELECT ward, COUNT(*) AS n WHERE ill = 'flu' GROUP BY ward")
counted
""",
    "frame": "counted.to_pandas()",
    "values": """series.ask("SELECT COUNT(*) WHERE value('h1') >= 20")""",
    "audit": """an.audit(visits, table=events, ledger="visits/ledger", progress=True)""",
    "audits": """
[an.audit(release, ledger=f"{name}/ledger").holds for name, release in
 {"register": register, "feed": pushed[-1], "series": series}.items()]
""",
    "attack": """
found = an.attack(visits, table=events, ledger="visits/ledger", progress=True)
found
""",
    "attacks": """found.to_pandas()[["attack", "exposed", "people", "holds"]]""",
    "utility": """an.utility(visits, table=events, ledger="visits/ledger", questions=50)""",
    "reports": """
[an.report(release, f"{name}.html", ledger=f"{name}/ledger").name for name, release in
 {"visits": visits, "register": register, "feed": pushed[-1], "series": series}.items()]
""",
    "refused": """
try:
    an.publish(events, visit, an.TimeGranularity(k=200), **to("none"), progress=True)
except an.AnachronError as error:
    refused = str(error)
refused[:25]
""",
}
FRAMED = ("visits", "register", "push", "series", "ask", "values", "audit", "attack", "utility")
WITH_BARS = ("visits", "audit", "attack", "refused")
PAGES = ["visits.html", "register.html", "feed.html", "series.html"]


def test_a_whole_day_of_work_in_a_real_notebook(tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import nbformat

    cells = [nbformat.v4.new_code_cell(cell.strip()) for cell in CELLS.values()]
    hidden = "import sys\nsys.modules['ipywidgets'] = None  # as in a stock JupyterLab"
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(hidden), *cells])
    client = nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    nbformat.write(book, tmp_path / "day.ipynb")  # to be looked at
    shown = {name: list(cell.outputs) for name, cell in zip(CELLS, book.cells[1:], strict=True)}
    for name, parts in shown.items():
        # Results and bars, and nothing else: no warning, no stray line, on no stream.
        kinds = [part.output_type for part in parts]
        *bars, result = kinds if name != "imports" else [None]
        assert result == (None if name == "imports" else "execute_result"), name
        assert set(bars) <= {"display_data"}, name
        assert len(bars) == 1 or name not in WITH_BARS, name
        for bar in parts[: len(bars)]:
            assert "<progress " in bar["data"]["text/html"]
            said_last = bar["data"]["text/plain"].partition(",")[0]
            ended = r" 10% stopped: .*" if name == "refused" else r"100% \w+ done"
            assert re.fullmatch(ended, said_last), (name, said_last)

    def said(name: str, kind: str = "text/plain") -> str:
        return str(shown[name][-1]["data"][kind])

    for name in FRAMED:
        assert 'class="anachron"' in said(name, "text/html")
    assert said("frame").split()[:5] == ["ward", "n", "n_low", "n_high", "n_error"]
    assert "homogeneity" in said("attacks")
    assert said("audits") == "[True, True, True]"
    assert "holds" in said("audit")
    assert said("reports") == str(PAGES)
    assert all((tmp_path / page).stat().st_size > 1_000 for page in PAGES)


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
