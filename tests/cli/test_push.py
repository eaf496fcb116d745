"""A live feed from the command line: push, wait, get releases, end."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anachron.cli.summary.reposition import held_back, together

DAYS = ("2024-05-06", "2024-05-07", "2024-05-08", "2024-05-09")
PLAN = """
[source]
table = "feed.parquet"
[schema]
subject = "who"
time = "day"
quasi = ["age"]
sensitive = ["illness"]
[guarantee]
method = "reposition"
l = 2
window = 2
"""
INVARIANCE = PLAN.replace("l = 2\n", "") + '[guarantee.then]\nmethod = "invariance"\nm = 2\n'
USUAL = ("flu", "gout", "asthma", "flu")


def snapshot(day: str, illnesses: tuple[str, ...] = USUAL) -> pa.Table:
    many = len(illnesses)
    return pa.table(
        {
            "who": [f"{day} {i}" for i in range(many)],
            "day": [day] * many,
            "age": [20 + i for i in range(many)],
            "illness": list(illnesses),
        }
    )


@pytest.fixture
def plan(here: Path) -> str:
    (here / "feed.toml").write_text(PLAN)
    for number, day in enumerate(DAYS):
        # The second day is skewed; a day later there is room for one of its records.
        skewed = ("flu", "flu", "flu", "gout") if number == 1 else USUAL
        pq.write_table(snapshot(day, skewed), here / f"{number}.parquet")
    tables = [pq.read_table(here / f"{number}.parquet") for number in range(4)]
    pq.write_table(pa.concat_tables(tables), here / "feed.parquet")
    return "feed.toml"


def test_nothing_is_due_yet_and_when(run, run_json, plan):
    done = run("push", plan, "0.parquet")
    assert done.exit_code == 0, done.stderr
    assert "Nothing is due yet" in done.stdout
    assert "The last snapshot was 2024-05-06; 4 records wait." in done.stdout
    assert "2024-05-06 is due once 2024-05-07 is in." in done.stdout
    assert "Next" not in done.stdout
    code, data = run_json("push", plan, "0.parquet")
    assert (code, data["due"]) == (0, [])
    assert data["feed"] == {
        "waiting": 4, "last": "2024-05-06", "next_out": "2024-05-06", "out_with": "2024-05-07",
        "ended": False, "values_to_come": 0,
        "account": {
            "pushed": 4, "published": 0, "waiting": 4, "left_out": 0, "dropped": 0, "refused": 0,
            "complete": True, "snapshots": [],
        },
    }  # fmt: skip


def test_a_feed_from_the_first_push_to_its_end(run, run_json, here, plan):
    run("push", plan, "0.parquet")
    done = run("push", plan, "1.parquet")
    assert "Published 1 release\n" in done.stdout
    assert "releases/0001  2024-05-06  4 records, 0 of them later" in done.stdout
    assert "Next: anachron report releases/0001 --ledger ledger" in done.stdout
    code, data = run_json("push", plan, "2.parquet")
    assert (code, [one["number"] for one in data["due"]]) == (0, [2])
    assert data["due"][0]["new"] is True
    again = run("push", plan, "2.parquet")
    assert "Done before, and the same now: 1 release" in again.stdout
    run("push", plan, "3.parquet")
    ended = run("push", plan, "--end")
    assert ended.exit_code == 0, ended.stderr
    assert "The feed ended with 2024-05-09; nothing waits." in ended.stdout
    assert sorted(p.name for p in (here / "releases").iterdir()) == ["0001", "0002", "0003", "0004"]
    refused = run("push", plan, str(_later(here)))
    assert refused.exit_code == 1
    assert "this feed has ended" in refused.stderr
    evidence = ("--ledger", "ledger", "--table", "feed.parquet")
    assert run("audit", "releases/0002", *evidence).exit_code == 0
    assert run("report", "releases/0002", *evidence).exit_code == 0
    assert "The promise is kept." in (here / "certificate.html").read_text()


def _later(here: Path) -> Path:
    pq.write_table(snapshot("2024-05-10"), here / "4.parquet")
    return here / "4.parquet"


def test_without_a_table_the_one_of_the_plan_is_pushed(run, here, plan):
    run("push", plan, "0.parquet")
    done = run("push", plan)
    assert "Published 1 release\n" in done.stdout
    assert "2024-05-06 to 2024-05-08" in done.stdout
    assert "Next: anachron report releases/0001 --plan feed.toml" in done.stdout
    assert run("report", "releases/0001", "--plan", plan).exit_code == 0
    # A table that grows may be pushed again and again: what is known is recognised.
    pq.write_table(
        pa.concat_tables([pq.read_table("feed.parquet"), snapshot("2024-05-10")]), "feed.parquet"
    )
    grown = run("push", plan)
    assert "Published 2 releases, 1 of them from before" in grown.stdout


def test_the_last_push_and_the_end_together(run_json, plan):
    code, data = run_json("push", plan, "feed.parquet", "--end")
    assert (code, data["feed"]["ended"], data["feed"]["waiting"]) == (0, True, 0)
    assert [one["number"] for one in data["due"]] == [1, 2]


def test_what_cannot_be_accepted_changes_nothing(run, run_json, here, plan):
    run("push", plan, "1.parquet")
    late = run("push", plan, "0.parquet")
    assert late.exit_code == 2
    assert "lies before the last snapshot" in late.stderr
    pq.write_table(snapshot(DAYS[1], ("gout", "burn")), here / "other.parquet")
    other = run_json("push", plan, "other.parquet")
    assert (other[0], other[1]["error"]["kind"]) == (1, "AlreadyPublished")
    code, shown = run_json("ledger", "show", "ledger")
    assert (code, shown["feed"]["waiting"], shown["releases"]) == (0, 4, [])


def test_only_feeds_are_pushed_and_only_begun_ones_ended(run, here, plan):
    (here / "events.toml").write_text(
        PLAN.replace('"reposition"', '"granularity"').replace("l = 2\nwindow = 2", "k = 2")
    )
    other = run("push", "events.toml")
    assert other.exit_code == 2
    assert "only feeds are opened" in other.stderr
    assert run("push", plan, "--end").exit_code == 2


def test_the_ledger_shows_where_a_feed_stands(run, run_json, plan):
    run("push", plan, "0.parquet")
    run("push", plan, "1.parquet")
    text = run("ledger", "show", "ledger").stdout
    assert "reposition, l = 2" in text
    assert "The last snapshot was 2024-05-07; 4 records wait." in text
    assert "2024-05-07 is due once 2024-05-08 is in." in text
    run("push", plan, "--end")
    assert (
        "The feed ended with 2024-05-07; nothing waits." in run("ledger", "show", "ledger").stdout
    )
    assert run_json("ledger", "show", "ledger")[1]["feed"]["ended"] is True


def test_a_ledger_without_a_feed_says_nothing_of_one(run, run_json, here):
    from anachron import Ledger

    Ledger.open(here / "ledger")
    assert "snapshot" not in run("ledger", "show", "ledger").stdout
    assert run_json("ledger", "show", "ledger")[1]["feed"] is None


def test_publish_takes_the_whole_table_and_ends_the_feed(run, run_json, plan):
    done = run("publish", plan)
    assert done.exit_code == 0, done.stderr
    for part in (
        "Published release 1 in releases/0001",
        "4, 2024-05-06 to 2024-05-09",
        "16 arrived",
        "as they arrived: 75.00 %",
        "promised: 50.00 %",
        "Next: anachron report releases/0001 --plan feed.toml",
    ):
        assert part in done.stdout
    code, data = run_json("publish", plan)
    assert (code, data["new"]) == (0, False)
    assert data["published"] + data["suppressed"] == data["rows"] == 16
    assert len(data["snapshots"]) == 4
    assert run("push", plan, "feed.parquet").exit_code == 0, "the same rows are recognised"


def test_a_value_too_frequent_for_any_plan_is_told_in_figures_only(run, run_json, here, plan):
    rows = [snapshot(day, ("theft", "theft", "theft", "arson", "fraud")) for day in DAYS]
    pq.write_table(pa.concat_tables(rows), here / "feed.parquet")
    done = run("publish", plan)
    assert done.exit_code == 0, done.stderr
    for part in (
        "Note: one value has 60.00 % of all 20 records, more than the 50.00 % that l = 2 allows.",
        "No plan and no window can publish everything: at least 4 records (20.00 %) are left out.",
        "For all to be published l can be at most 1.66",
    ):
        assert part in done.stdout
    assert "theft" not in done.stdout
    _, data = run_json("publish", plan)
    assert "theft" not in json.dumps(data)
    assert data["too_frequent"] == {
        "records": 20, "share": 0.6, "left_out_at_least": 4, "largest_l": "1.66",
    }  # fmt: skip
    assert data["suppressed"] >= 4


def test_while_a_feed_lives_the_note_speaks_of_what_came_so_far(run, here, plan):
    for number in (0, 1):
        table = snapshot(DAYS[number], ("theft", "theft", "theft", "arson", "fraud"))
        pq.write_table(table, here / f"{number}.parquet")
    run("push", plan, "0.parquet")
    done = run("push", plan, "1.parquet")
    assert "60.00 % of all 10 records so far" in done.stdout
    assert "If that stays so, no plan" in done.stdout


def test_an_m_invariant_feed_has_a_release_for_each_snapshot(run, run_json, here, plan):
    (here / plan).write_text(INVARIANCE)
    done = run("publish", plan)
    assert done.exit_code == 0, done.stderr
    assert "4, one for each snapshot with records" in done.stdout
    assert "2 or more for everyone (promised: 2)" in done.stdout
    assert "16 arrived" in done.stdout
    assert run("report", "releases/0004", "--plan", plan).exit_code == 0
    assert run_json("publish", plan)[1]["releases"] == 4


def test_people_whom_an_m_invariant_feed_holds_back_are_told(run, run_json, here, plan):
    (here / plan).write_text(INVARIANCE)
    told = run("publish", plan).stdout
    held = run_json("publish", plan)[1]["held"]
    assert f"Held back        {held:,} people whose value too many share" in told
    (here / plan).write_text(INVARIANCE.replace("window = 2", "window = 1"))
    plan_of_pushes = (here / plan).read_text() + '[destination]\nreleases = "r"\nledger = "l"\n'
    (here / plan).write_text(plan_of_pushes)
    pushed = run("push", plan, "1.parquet").stdout
    assert "people held back)" in pushed


@pytest.mark.parametrize("held", [0, 3])
def test_figures_of_many_releases_count_them_together(held):
    one = {"invariance": {"held": held}, "loss": "0", "distances": [1], "snapshots": []}
    assert held_back(together([one, one])) == 2 * held
    assert held_back(one) == held
    assert held_back({}) is None


def test_stopping_a_push_says_what_to_do(run, flow, plan):
    def stop(*_args: object, **_more: object) -> None:
        raise KeyboardInterrupt

    flow("open", stop)
    done = run("push", plan, "0.parquet")
    assert done.exit_code == 130
    assert "Push the same again" in done.stderr


def test_a_push_that_leaves_everything_out_says_so(run, run_json, here, plan):
    (here / "feed.toml").write_text(PLAN.replace("window = 2", 'window = 1\nlate = "drop"'))
    pq.write_table(snapshot(DAYS[1], ("flu", "flu")), here / "alike.parquet")
    pq.write_table(snapshot(DAYS[0], ("gout",)), here / "late.parquet")
    run("push", plan, "0.parquet")
    done = run("push", plan, "alike.parquet")
    assert done.exit_code == 0, done.stderr
    assert "Nothing is published" in done.stdout
    assert "Nothing is due yet" not in done.stdout
    assert "With this push, 2 records were left out." in done.stdout
    books = "Account: 6 pushed = 4 published + 0 waiting + 2 left out + 0 dropped + 0 refused."
    assert books in done.stdout
    # The same again changes nothing, and says nothing new.
    again = run("push", plan, "alike.parquet")
    assert "With this push" not in again.stdout
    assert books in again.stdout
    code, data = run_json("push", plan, "late.parquet")
    assert (code, data["due"]) == (0, [])
    account = data["feed"]["account"]
    assert (account["pushed"], account["dropped"], account["complete"]) == (7, 1, True)
    assert account["snapshots"] == [
        {"snapshot": DAYS[0], "pushed": 5, "published": 4, "waiting": 0, "left_out": 0,
         "dropped": 1, "refused": 0}
    ]  # fmt: skip
    ended = run("push", plan, "--end")
    assert "Account: 7 pushed = 4 published + 0 waiting + 2 left out + 1 dropped" in ended.stdout
    code, shown = run_json("ledger", "show", "ledger")
    assert [one["left_out"] for one in shown["feed"]["account"]["snapshots"]] == [0, 2]
    assert "2 left out + 1 dropped" in run("ledger", "show", "ledger").stdout


def test_publishing_a_whole_feed_accounts_for_every_record(run, run_json, here, plan):
    (here / "feed.toml").write_text(INVARIANCE.replace("window = 2", "window = 1"))
    alike = snapshot("2024-05-10", ("flu", "flu"))
    tables = [pq.read_table(here / "feed.parquet"), alike]
    pq.write_table(pa.concat_tables(tables), here / "feed.parquet")
    code, data = run_json("publish", plan)
    assert code == 0
    account = data["account"]
    assert account["pushed"] == data["rows"] == 18
    # The second day publishes one flu and the gout, and of the last day nothing is published.
    assert account["left_out"] == data["suppressed"] == 4
    assert data["published"] == account["published"] == 14
    assert len(account["snapshots"]) == 5
    said = run("publish", plan).stdout
    assert "Account: 18 pushed = 14 published + 0 waiting + 4 left out" in said
    assert "18 arrived, 14 published" in said


@pytest.mark.parametrize("text", [PLAN, INVARIANCE], ids=["anatomy", "m-invariant"])
def test_late_records_and_the_end_may_be_repeated(run, run_json, here, plan, text):
    (here / plan).write_text(text.replace("window = 2", 'window = 3\nlate = "recycle"'))
    run("push", plan, "0.parquet")
    late = snapshot(DAYS[0], ("asthma", "gout"))
    late = late.set_column(0, "who", pa.array(["late 1", "late 2"]))
    pq.write_table(pa.concat_tables([late, pq.read_table("2.parquet")]), here / "late.parquet")
    first = run_json("push", plan, "late.parquet")
    assert first[0] == 0
    again = run_json("push", plan, "late.parquet")
    numbers = [one["number"] for one in first[1]["due"]]
    assert [one["number"] for one in again[1]["due"]] == numbers != []
    changed = (
        first[1]["feed"]["account"].pop("snapshots"),
        again[1]["feed"]["account"].pop("snapshots"),
    )
    assert (bool(changed[0]), changed[1]) == (True, []), "what is repeated changes no account"
    assert again[1]["feed"] == first[1]["feed"]
    ended = run_json("push", plan, "--end")
    assert [one["number"] for one in ended[1]["due"]]
    once_more = run("push", plan, "--end")
    assert once_more.exit_code == 0
    assert "Done before, and the same now" in once_more.stdout


def test_a_young_feed_says_what_it_waits_for(run, run_json, here, plan):
    (here / plan).write_text(PLAN.replace("l = 2", 'l = 4\nsolver = "recycle"'))
    for number in (0, 1):
        done = run("push", plan, f"{number}.parquet")
        assert done.exit_code == 0, done.stderr
    assert "With this push, 4 records were left out" in done.stdout
    assert "nothing can be published before 1 more came" in done.stdout
    assert run_json("push", plan, "1.parquet")[1]["feed"]["values_to_come"] == 1
    refused = run("push", plan, "--end")
    assert refused.exit_code == 1
    assert "Push more of the feed" in refused.stderr
    assert run("push", plan, "2.parquet").exit_code == 0
