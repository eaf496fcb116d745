"""How far answers are from the truth, as the certificate shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from anachron.measuring.utility import Utility
from anachron.reporting.charts import errors
from anachron.reporting.html import html
from tests.reporting.pages import Outline
from tests.reporting.proof_stand_ins import measure, utility
from tests.reporting.stand_ins import release, table, verdict

TITLE = "What the data still answer"


def page(folder: Path, shown: Utility | None) -> str:
    return html(release(folder, table(3)), verdict(), None, (), shown)


def cells(written: str) -> list[list[str]]:
    part = written[written.index(TITLE) :]
    found = re.search(r'<table class="answers">.*?<tbody>(.*?)</tbody>', part, re.DOTALL)
    assert found is not None
    return [
        [Outline(cell).text.strip() for cell in re.findall(r"<td.*?</td>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL)
    ]


def test_without_a_measurement_there_is_no_such_section(tmp_path: Path) -> None:
    assert TITLE not in page(tmp_path, None)


def test_the_table_tells_error_width_and_bounds(tmp_path: Path) -> None:
    written = page(tmp_path, utility(notes=("12 rows are not in the release.",)))
    assert cells(written) == [["ranges", "100", "5 %", "9 %", "105 %", "always"]]
    assert "12 rows are not in the release." in written
    assert "100 random questions" in written


def test_precision_has_a_column_where_there_is_one(tmp_path: Path) -> None:
    written = page(tmp_path, utility(measure(), measure("similarity", precision=0.971)))
    assert [row[-1] for row in cells(written)] == ["", "97.1 %"]


@pytest.mark.parametrize(("outside", "said"), [(3, "not of 3"), (None, "not known"), (0, "always")])
def test_bounds_that_leave_out_the_truth_are_called_a_fault(
    tmp_path: Path, outside: int | None, said: str
) -> None:
    written = page(tmp_path, utility(measure(outside=outside)))
    assert cells(written)[0][5] == said
    assert ("a fault of the software" in written) is bool(outside)


def test_shares_of_the_drawing_add_up_to_all_questions() -> None:
    measures = [measure(), measure("wild", off=20.0), measure("exact", off=0.0)]
    records = errors(measures).data
    for one in measures:
        mine = [record for record in records if record["workload"] == one.workload]
        inside = sum(float(record["share"]) for record in mine if "share" in record)
        beyond = [str(record["beyond"]) for record in mine if "beyond" in record]
        outside = float(beyond[0].split()[0]) / 100 if beyond else 0.0
        assert inside + outside == pytest.approx(1)
    # Half of the questions are left of the median.
    (median,) = (r for r in records if r["workload"] == "ranges" and "median" in r)
    assert median["median"] == pytest.approx(0.05)
    assert median["told"] == "median 5 %"


def test_a_share_stands_where_its_errors_are() -> None:
    records = errors([measure(spread=(0.0, 0.0, 0.04, 0.1))]).data
    drawn = [[float(r[key]) for key in ("low", "high", "share")] for r in records if r.get("share")]
    assert [share for _, _, share in drawn] == [0.5, 0.25, 0.25]
    assert drawn[0][0] == 0
    assert drawn[1][0] < 0.04 <= drawn[1][1]
    assert drawn[2][1] == pytest.approx(0.1)


def test_the_drawing_has_its_figures_as_a_table(tmp_path: Path) -> None:
    written = page(tmp_path, utility(measure(), measure("others", off=0.5)))
    part = written[written.index(TITLE) :]
    assert ">kind</th>" in part[part.index("The figures behind this chart") :]
    assert "NaN" not in written
    assert "median 25 %" in part
    assert "others: median 25 %." in part  # for those who cannot see it


def test_questions_that_could_not_be_drawn(tmp_path: Path) -> None:
    none = measure(questions=0, spread=(), width=0.0)
    written = page(tmp_path, utility(none))
    assert "No question could be drawn" in written
    assert 'class="answers"' not in written
