"""A thousand canaries go in, and none comes out.

Names, numbers with all their digits, times with microseconds and notes in columns without a role
are put into tables of all four methods. All is published, pushed, audited, attacked, asked and
reported, and tables that must be refused are refused. Then every byte that is left anywhere is
searched.
"""

from __future__ import annotations

import json
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import anachron as an
from anachron import flow
from anachron.cli.main import anachron
from tests.house.canaries import Canary, Search

PEOPLE = 120
FIRST = ("Amalia", "Bertil", "Chiara", "Dagmar", "Emeric", "Fjodor", "Gudrun", "Hakeem")
RNG = np.random.default_rng(20240506)


def named(what: str) -> list[str]:
    """Names that nobody has."""
    return [f"{FIRST[i % 8]} {what}{RNG.bytes(5).hex()}" for i in range(PEOPLE)]


def numbers() -> list[float]:
    return [float(x) for x in RNG.uniform(20, 90, PEOPLE)]


def times(days: int) -> list[datetime]:
    """Whole days, but for the time of day, which is to the microsecond."""
    start = datetime(2024, 5, 6)
    of_day = RNG.integers(10**9, 86 * 10**9, PEOPLE).tolist()
    return [start + timedelta(i % days, microseconds=t) for i, t in enumerate(of_day)]


def table(**columns: list[object]) -> pa.Table:
    ill = [f"ill {i % 7}" for i in range(PEOPLE)]
    return pa.table({"who": named("van "), "note": named("note "), "ill": ill, **columns})


VISITS = table(pay=numbers(), seen=times(20))
REGISTER = table(pay=numbers())
ANATOMY = table(age=[20 + i % 50 for i in range(PEOPLE)], seen=times(4))
BOXES = table(pay=numbers(), seen=times(4))
SERIES = table(**{f"t{i}": numbers() for i in range(6)})
TABLES = {"visits": VISITS, "register": REGISTER, "anatomy": ANATOMY, "boxes": BOXES,
          "series": SERIES}  # fmt: skip


def canaries() -> list[Canary]:
    found: list[Canary] = []
    for given in TABLES.values():
        for name in set(given.column_names) - {"ill", "age"}:
            found += given[name].to_pylist()
    return found


SCHEMA = '[schema]\nsubject = "who"\nsensitive = ["ill"]\n'
SEEN = SCHEMA + 'time = "seen"\n'
PAY = 'quasi = ["pay"]\n'
PLANS = {
    "visits": SEEN + PAY + '[guarantee]\nmethod = "granularity"\nk = 3\n'
    'granularities = ["day", "week"]\n[guarantee.ladders.pay]\nbins = [20, 40]\n',
    "register": SCHEMA + PAY + '[guarantee]\nmethod = "invariance"\nm = 3\n'
    'mode = "sticky"\n'
    "[guarantee.widths]\npay = 5\n",
    "anatomy": SEEN + 'quasi = ["age"]\n[guarantee]\nmethod = "reposition"\nl = 3\nwindow = 2\n',
    "boxes": SEEN + PAY + '[guarantee]\nmethod = "reposition"\nl = 3\nwindow = 2\n'
    'then = "generalize"\n[guarantee.widths]\npay = 5\n',
    "series": SCHEMA + f"series = {[f't{i}' for i in range(6)]}\n"
    '[guarantee]\nmethod = "patterns"\nk = 6\nP = 2\nprecision = 5\n',
}  # fmt: skip


class House:
    """A folder with tables and plans, one with all that came of them, and all that was said."""

    def __init__(self, root: Path) -> None:
        self.tables, self.out = root / "tables", root / "out"
        self.tables.mkdir()
        self.out.mkdir()
        self.said: list[str] = []
        for name, given in TABLES.items():
            pq.write_table(given, self.tables / f"{name}.parquet")
            self.plan(name, f"{name}.parquet", PLANS[name])

    def plan(self, name: str, source: str, text: str, ledger: str = "") -> str:
        where = f'releases = "../out/{name}"\nledger = "../out/{ledger or name}-ledger"\n'
        plan = f'[source]\ntable = "{source}"\n{text}[destination]\n{where}csv = true\n'
        (self.tables / f"{name}.toml").write_text(plan)
        return str(self.tables / f"{name}.toml")

    def run(self, *words: object, fails: bool = False) -> str:
        done = CliRunner().invoke(anachron, [str(word) for word in words])
        self.said += [done.output, done.stderr]
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            self.said += traceback.format_exception(done.exception)
        assert (done.exit_code != 0) is fails, done.output
        return done.output

    def fail(self, call: Callable[[], object]) -> None:
        """What a person sees who calls a function and lets the error through."""
        with pytest.raises(an.AnachronError) as error:
            call()
        self.said += traceback.format_exception(error.value)


def live(house: House, name: str) -> None:
    """Publish, and everything one can do with a release."""
    plan = house.tables / f"{name}.toml"
    if name == "anatomy":
        for day in sorted({t.date() for t in TABLES[name]["seen"].to_pylist()}):
            rows = [r for r in TABLES[name].to_pylist() if r["seen"].date() == day]
            pq.write_table(pa.Table.from_pylist(rows), house.tables / f"{day}.parquet")
            house.run("push", plan, house.tables / f"{day}.parquet")
        house.run("push", plan, "--end")
    else:
        house.run("publish", plan)
    release = house.out / name / "0001"
    assert release.is_dir()
    house.run("audit", release, "--plan", plan)
    if name != "boxes":  # the same certificate as that of the other feed
        house.run("report", release, "--plan", plan, "-o", house.out / f"{name}.html")
    house.run("ledger", "show", house.out / f"{name}-ledger")
    if find_spec("anachron.cli.attack") is not None:
        house.run("attack", release, "--plan", plan, "--json")
    if hasattr(flow, "askable"):
        house.run("ask", release)
        house.run("ask", release, "SELECT COUNT(*)")


def broken() -> Iterator[tuple[str, str, pa.Table]]:
    """Tables that must be refused, with canaries where it hurts."""
    who, note = VISITS["who"], VISITS["note"]
    yield "time", "visits", VISITS.set_column(4, "seen", note)
    yield "number", "register", REGISTER.set_column(3, "pay", note.cast(pa.string()))
    again = pa.concat_arrays([who.combine_chunks().slice(0, 119), who.combine_chunks().slice(0, 1)])
    yield "twice", "register", VISITS.drop_columns(["seen"]).set_column(0, "who", again)
    yield "nobody", "boxes", BOXES.set_column(0, "who", pa.array([*who.to_pylist()[:-1], None]))
    yield "frequent", "register", REGISTER.set_column(2, "ill", pa.array([note[0]] * PEOPLE))
    gap = pa.array([None, *SERIES["t0"].to_pylist()[1:]])
    yield "gap", "series", SERIES.set_column(3, "t0", gap)
    yield "kind", "series", SERIES.set_column(3, "t0", note)


def refused(house: House) -> None:
    for name, like, given in broken():
        pq.write_table(given, house.tables / f"bad-{name}.parquet")
        plan = house.plan(f"bad-{name}", f"bad-{name}.parquet", PLANS[like])
        house.run("publish", plan, fails=True)
        schema = an.Plan.read(plan).schema
        house.fail(
            lambda given=given, plan=plan, schema=schema: an.publish(
                given, schema, an.Plan.read(plan).guarantee,
                ledger=house.out / "bad-ledger", to=house.out / "bad"
            )
        )  # fmt: skip
    text = house.tables / "ragged.csv"
    pa.csv.write_csv(VISITS, text)
    lines = text.read_text().splitlines()
    text.write_text("\n".join([*lines[:50], lines[50] + ',"' + lines[51], *lines[52:]]))
    house.run("publish", house.plan("ragged", "ragged.csv", PLANS["visits"]), fails=True)
    (house.tables / "torn.parquet").write_bytes((house.tables / "visits.parquet").read_bytes()[:-9])
    house.run("publish", house.plan("torn", "torn.parquet", PLANS["visits"]), fails=True)
    wrong = PLANS["visits"].replace("k = 3", "k = 300\nand_so = 4")
    house.run("publish", house.plan("wrong", "visits.parquet", wrong), fails=True)
    many = PLANS["visits"].replace("k = 3", "k = 119")
    house.run("publish", house.plan("many", "visits.parquet", many), fails=True)
    # The same people once more, in another way: the ledger refuses.
    other = PLANS["visits"].replace("k = 3", "k = 4")
    house.run("publish", house.plan("again", "visits.parquet", other, "visits"), fails=True)


def unlocked(house: House, name: str) -> None:
    """Write beside a ledger what its owner can read in it, but for records that wait."""
    ledger = an.Ledger.open(house.out / f"{name}-ledger")
    folder = house.out / f"{name}-unlocked"
    folder.mkdir()
    for entry in ledger.entries():
        told = {"plan": entry.plan, "explanation": entry.explanation}
        (folder / f"{entry.number}.json").write_text(json.dumps(told))
        pq.write_table(ledger.state(entry).table(), folder / f"{entry.number}.parquet")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    root = tmp_path_factory.mktemp("house")
    with pytest.MonkeyPatch.context() as patch:
        spilled = root / "temporary"
        spilled.mkdir()
        patch.setenv("ANACHRON_TMP", str(spilled))
        made = House(root)
        for name in TABLES:
            live(made, name)
        refused(made)
        for name in TABLES:
            unlocked(made, name)
        (made.out / "said").write_text("\n".join(made.said))
        spilled.rename(made.out / "temporary")
        spilled.mkdir()
        yield made


def test_a_thousand_canaries_go_in_and_none_comes_out(house: House) -> None:
    planted = canaries()
    assert len(set(planted)) >= 1000
    found = Search(planted).below(house.out)
    assert found == {}
    assert len(list(house.out.rglob("*.parquet"))) > 15
    assert len("".join(house.said)) > 5_000


def test_the_ledger_knows_people_by_keyed_digests(house: House) -> None:
    for name in ("visits", "register", "series"):
        ledger = an.Ledger.open(house.out / f"{name}-ledger")
        state = ledger.state(ledger.entries()[0]).table()
        known = set(state["subject"].to_pylist())
        own = ledger.pseudonyms(TABLES[name]["who"].combine_chunks()).to_pylist()
        assert known
        assert known <= set(own)


def test_a_canary_that_comes_out_is_found(house: House, tmp_path: Path) -> None:
    """Without this, finding nothing would mean nothing."""
    search = Search(canaries())
    who, pay, seen = (VISITS[name][7].as_py() for name in ("who", "pay", "seen"))
    plain = pq.read_table(house.out / "visits" / "0001" / "data.parquet")
    column = [None] * len(plain)
    for value in (who, pay, seen):
        column[3] = value
        pq.write_table(plain.append_column("more", pa.array(column)), tmp_path / "data.parquet")
        assert search.below(tmp_path) == {"data.parquet": {value}}
    (tmp_path / "data.parquet").unlink()
    coded = b64encode(b"name: " + who.encode() + b"; ")
    for content in (f"… {who} …".encode(), who.encode("utf-16-le"), who.encode().hex().encode(),
                    coded, f"<td>{pay!r}</td>".encode(), str(seen).encode()):  # fmt: skip
        (tmp_path / "file").write_bytes(content)
        (held,) = search.below(tmp_path).values()
        assert len(held) == 1, content
    (tmp_path / "file").write_bytes(b"nothing to see")
    assert search.below(tmp_path) == {}


def test_every_command_was_tried(house: House) -> None:
    text = "\n".join(house.said)
    for word in ("holds", "refused", "Nothing was published"):
        assert word in text, word
