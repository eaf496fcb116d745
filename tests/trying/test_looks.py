"""How a trial looks: as a table, as text of 80 columns, in a notebook; and that it looks once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

import anachron as an
from anachron.cli.main import anachron
from anachron.engines.local import load as loading
from anachron.methods.granularity.counting import Counting
from anachron.methods.granularity.offer import offer
from anachron.methods.granularity.sizes import Sizing
from anachron.methods.granularity.view import View
from tests.flow.tables import PAPER, PAPER_SCHEMA
from tests.trying import cases

PROMISE = an.TimeGranularity(k=2, granularities=["day", "week", "month"])


@pytest.fixture
def plan(tmp_path: Path) -> an.Plan:
    return cases.planned(PAPER_SCHEMA, PROMISE, tmp_path)


def test_week_and_month_stand_side_by_side(plan: an.Plan) -> None:
    week, month, none = an.trial(plan, {"k": [2, 3]}, table=PAPER).rows
    assert [(row.figures.granularity, row.chosen) for row in (week, month)] == [  # type: ignore[union-attr]
        ("week", True), ("month", False),
    ]  # fmt: skip
    assert week.own
    assert month.own
    assert not none.kept
    assert "no view on offer keeps the promise" in none.reason


def test_tables_have_a_column_for_each_part_and_figure(plan: an.Plan) -> None:
    tried = an.trial(plan, {"k": [2, 3], "max_suppressed": [0, "1/4"]}, table=PAPER)
    table = tried.to_arrow()
    assert table.column_names[:5] == ["k", "max_suppressed", "own", "kept", "chosen"]
    assert table["max_suppressed"].type == pa.float64()
    assert table["k"].to_pylist() == [2, 2, 2, 2, 3, 3]
    assert table["smallest_group"].to_pylist() == [2, 2, 2, 2, None, None]
    frame = tried.to_pandas()
    assert list(frame[frame.chosen].granularity) == ["week", "week"]
    assert tried.to_polars().shape == (6, table.num_columns)
    assert len(tried) == 6


def test_a_table_of_refusals_alone_has_the_same_columns(plan: an.Plan) -> None:
    none = an.trial(plan, {"k": [5]}, table=PAPER.slice(0, 1))
    some = an.trial(plan, {"k": [2]}, table=PAPER)
    assert not none.kept
    assert none.to_arrow().column_names == some.to_arrow().column_names


@pytest.mark.parametrize("kind", ["events", "register", "feed", "series"])
def test_text_fits_80_columns_and_names_no_person(tmp_path: Path, kind: str) -> None:
    schema, promise, over = {
        "events": (cases.EVENTS, *cases.events(1)[1:]),
        "register": (cases.REGISTER, an.MInvariance(m=2),
                     {"m": [2, 3, 30], "mode": ["paper", "sticky"]}),
        "feed": (cases.FEED, an.Reposition(l=2, window=2, repeated="one"),
                 {"l": [2, 3, 30], "then": ["anatomy", an.MInvariance(m=2)]}),
        "series": (cases.SERIES, an.KPAnonymity(k=4, P=2), {"k": [4, 90], "P": [2, 3]}),
    }[kind]  # fmt: skip
    table = cases.events(1)[0] if kind == "events" else getattr(cases, kind)(1)
    tried = an.trial(cases.planned(schema, promise, tmp_path), over, table=table)
    text, page = str(tried), tried._repr_html_()
    assert max(map(len, text.splitlines())) <= 80
    assert repr(tried) == text
    for told in (text, page):
        assert "Nothing was written" in told
        assert "canary" not in told
    assert page.startswith('<div class="anachron">')
    assert page.count("<tr>") == len(tried) + 1
    assert any(not row.kept for row in tried)
    assert json.loads(json.dumps(tried.to_dict()))["kept"] == tried.kept


def test_lots_that_are_an_example_are_called_so(tmp_path: Path) -> None:
    drawn = an.trial(
        cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path), table=cases.register(1)
    )
    assert "Lots were drawn as an example" in drawn.basis[1]
    again = an.trial(
        cases.planned(cases.REGISTER, an.MInvariance(m=2), tmp_path), table=cases.register(1)
    )
    assert drawn.rows == again.rows
    events = an.trial(cases.planned(PAPER_SCHEMA, PROMISE, tmp_path), table=PAPER)
    assert len(events.basis) == 1


def test_the_table_is_read_once_and_each_view_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, promise, over = cases.events(3)
    looked: list[View] = []
    read: list[object] = []
    look, load = Sizing.sizes, loading.load

    def sizes(self: Sizing, view: View) -> Any:
        looked.append(view)
        return look(self, view)

    def loaded(given: object, schema: an.Schema, *more: int) -> Any:
        read.append(given)
        return load(given, schema, *more)

    monkeypatch.setattr(Sizing, "sizes", sizes)
    monkeypatch.setattr(loading, "load", loaded)
    tried = an.trial(cases.planned(cases.EVENTS, promise, tmp_path), over, table=table)
    assert len({row.guarantee for row in tried}) == 49
    assert len(read) == 1
    # Six granularities on four steps of a ladder.
    assert len({id(view) for view in looked}) == len(looked) <= 6 * 4


def test_sizes_say_what_counting_says() -> None:
    for seed in (1, 2):
        given, promise, _ = cases.events(seed)
        table = loading.load(given, cases.EVENTS)
        lattice = offer(table, promise).lattice
        sizing, plain = Sizing(table, shares=True), Sizing(table, shares=False)
        for node in range(len(lattice)):
            view = lattice.view(node)
            sizes, without = sizing.sizes(view), plain.sizes(view)
            for k in (2, 5, 20):
                for share in (None, *(an.TimeGranularity(k=2, max_share=s).max_share
                                      for s in ("1/2", "0.2"))):  # fmt: skip
                    counts = vars(Counting(table, k, share).counts(view)).copy()
                    assert sizing.people(view, share)(k) == counts.pop("failing_people")
                    assert vars(sizes.tally(k, share)) == counts
                    if share is None:
                        assert vars(without.tally(k, None)) == counts
        table.close()


def commanded(*words: str) -> Any:
    return CliRunner().invoke(anachron, ["publish", "plan.toml", *words])


@pytest.fixture
def written(tmp_path: Path) -> Path:
    import pyarrow.csv

    pyarrow.csv.write_csv(PAPER, tmp_path / "table.csv")
    plan = cases.planned(PAPER_SCHEMA, PROMISE, tmp_path)
    plan.write(tmp_path / "plan.toml")
    return tmp_path


def test_the_command_tries_and_writes_nothing(written: Path) -> None:
    before = sorted(written.rglob("*"))
    tried = commanded("--trial", "--with", "k=2,3", "--with", "max_suppressed=0,1/3")
    assert tried.exit_code == 0
    assert ">*  2               0   week" in tried.stdout
    assert max(map(len, tried.stdout.splitlines())) <= 80
    found = json.loads(commanded("--trial", "--with", "k=2,3", "--json").stdout)
    assert [(row["k"], row["kept"]) for row in found["tried"]] == [
        (2, True), (2, True), (3, False),
    ]  # fmt: skip
    assert found["kept"]
    listed = commanded("--trial", "--with", 'granularities=[["day", "month"], ["day"]]', "--json")
    assert [row["granularities"] for row in json.loads(listed.stdout)["tried"]] == [
        "day|week|month", "day|week|month", "day|month", "day",
    ]  # fmt: skip
    assert sorted(written.rglob("*")) == before


def test_the_exit_code_says_whether_the_plan_can_be_kept(written: Path) -> None:
    plan = (written / "plan.toml").read_text()
    (written / "plan.toml").write_text(plan.replace("k = 2", "k = 4"))
    tried = commanded("--trial", "--with", "k=2")
    assert tried.exit_code == 1
    assert "> " in tried.stdout
    assert "cannot be kept" in tried.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--with", "k=2"], "belong to --trial"),
        (["--without-past"], "belong to --trial"),
        (["--trial", "--with", "k"], "a part and its values"),
        (["--trial", "--with", "k=[2,"], "the list is not one"),
        (["--trial", "--with", "k=two"], "k must be a whole number"),
        (["--trial", "--with", "q=2"], "has no part 'q'"),
    ],
)
def test_bad_usage_is_said(written: Path, words: list[str], said: str) -> None:
    tried = commanded(*words)
    assert tried.exit_code == 2
    assert said in tried.output
    assert not (written / "ledger").exists()


def test_the_past_can_be_left_out_of_account(written: Path) -> None:
    assert commanded().exit_code == 0
    refused = commanded("--trial", "--with", "k=3", "--json")
    assert "was published before" in json.loads(refused.stdout)["tried"][-1]["reason"]
    alone = commanded("--trial", "--with", "k=3", "--without-past", "--json")
    assert "no view on offer" in json.loads(alone.stdout)["tried"][-1]["reason"]


def test_a_table_that_cannot_be_read_is_no_row_but_an_error(written: Path) -> None:
    (written / "table.csv").unlink()
    tried = commanded("--trial")
    assert tried.exit_code == 2
    assert "table.csv" in tried.output


def test_progress_is_told(plan: an.Plan) -> None:
    told: list[tuple[str, float]] = []
    an.trial(
        plan, {"k": [2, 3]}, table=PAPER, progress=lambda what, share: told.append((what, share))
    )
    assert [what for what, _ in told] == [
        "reading the table", "trying setting 1 of 2", "trying setting 2 of 2", "trial done",
    ]  # fmt: skip
    assert [share for _, share in told] == sorted(share for _, share in told)
