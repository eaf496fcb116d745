"""Plans for registers that are released again and again."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anachron import Plan, Schema, TimeGranularity
from anachron.errors import PlanError
from anachron.guarantees import MInvariance
from anachron.guarantees.lasting import lasts

GOOD = """
[source]
table = "register.parquet"
[schema]
subject = "patient"
quasi = ["age", "region", "income"]
sensitive = ["diagnosis"]
[guarantee]
method = "invariance"
m = 3
mode = "sticky"
balance = "paper"
when_ineligible = "hold"
values = ["healed", "chronic", "acute"]
margins = 50
[guarantee.widths]
age = 5
income = "0.5"
[guarantee.domains]
age = [0, 120]
[guarantee.orders]
region = "regions.csv"
[guarantee.changes]
acute = ["chronic", "healed"]
"""


def test_everything_is_read(read, tmp_path):
    assert read(GOOD) == Plan(
        tmp_path / "register.parquet",
        Schema("patient", None, ["age", "region", "income"], "diagnosis"),
        MInvariance(
            m=3,
            mode="sticky",
            balance="paper",
            when_ineligible="hold",
            widths={"age": 5, "income": "0.5"},
            domains={"age": [0, 120]},
            orders={"region": ["Milan", "Rome", "Bari"]},
            changes={"acute": ["chronic", "healed"]},
            values=["acute", "chronic", "healed"],
            margins=50,
        ),
        tmp_path / "releases",
        tmp_path / "ledger",
    )


def test_defaults(read):
    text = GOOD.partition("[guarantee]")[0] + "[guarantee]\nmethod='invariance'\nm=2\n"
    assert read(text).guarantee == MInvariance(m=2)


@pytest.mark.parametrize("text", ["Milan\nRome\nBari\n", "Milan;x\r\nRome;y\r\nBari;y\r\n"])
def test_an_order_is_a_value_in_each_line_or_the_leaves_of_a_hierarchy(read, tmp_path, text):
    (tmp_path / "regions.csv").write_text(text)
    assert read(GOOD).guarantee.orders == (("region", ("Milan", "Rome", "Bari")),)


BAD = {
    "no m": (GOOD.replace("m = 3\n", ""), "'guarantee.m' is missing"),
    "m too small": (GOOD.replace("m = 3", "m = 1"), "guarantee.m must be a whole number"),
    "a key of the other method": (GOOD.replace("m = 3", "m = 3\nk = 3"), "key 'guarantee.k'",
                                  "Known: method, m, mode"),
    "misspelt": (GOOD.replace("balance", "ballance"), "Did you mean 'balance'?"),
    "misspelt table": (GOOD.replace("guarantee.orders", "guarantee.order"), "mean 'orders'?"),
    "misspelt method": (GOOD.replace('"invariance"', '"invariant"'), "guarantee.method must be "
                        '"granularity", "invariance", "reposition" or "patterns". Did you mean '
                        "'invariance'?"),
    "no method": (GOOD.replace('method = "invariance"\n', ""), "'guarantee.method' is missing"),
    "no method at all": (GOOD.replace('"invariance"', "[1]"), "guarantee.method must be"),
    "mode": (GOOD.replace('"sticky"', '"loose"'), "guarantee.mode must be one of paper, trans"),
    "balance": (GOOD.replace('balance = "paper"', 'balance = "best"'), "guarantee.balance must be"),
    "pooled": (GOOD.replace('balance = "paper"', 'balance = "pooled"'), 'balance = "pooled" is '
               'not for mode "sticky"', 'or mode to "transparent"'),
    "when": (GOOD.replace('"hold"', '"wait"'), "guarantee.when_ineligible must be one of"),
    "a width that is none": (GOOD.replace("age = 5", "age = [5]"), "guarantee.widths.age must be "
                             "a number above 0; found a list."),
    "a width in words": (GOOD.replace("age = 5", 'age = "five"'), "guarantee.widths.age: a width"),
    "no width": (GOOD.replace("age = 5", "age = 0"), "guarantee.widths.age: widths must be pos"),
    "half a domain": (GOOD.replace("[0, 120]", "[0]"), "guarantee.domains.age must be a list of "
                      "two numbers"),
    "wrong end": (GOOD.replace("[0, 120]", "[0, true]"), "guarantee.domains.age", "item 2 is true"),
    "domain backwards": (GOOD.replace("[0, 120]", "[120, 0]"), "guarantee.domains.age: a domain"),
    "no order file": (GOOD.replace("regions.csv", "no.csv"), "no.csv", "order cannot be read"),
    "an order of numbers": (GOOD.replace('"regions.csv"', "[1, 2]"), "guarantee.orders.region must "
                            "be a list of texts, or the path of a file; item 1 is a whole"),
    "a value twice": (GOOD.replace('"regions.csv"', '["a", "a"]'), "guarantee.orders.region: the"),
    "an empty order": (GOOD.replace('"regions.csv"', "[]"), "guarantee.orders.region: the order"),
    "changes": (GOOD.replace('["chronic", "healed"]', '"chronic"'), "guarantee.changes.acute must"),
    "no table": (GOOD.replace("[guarantee.changes]\nacute", "[guarantee]\nchanges"), "TOML"),
    "tables as values": (GOOD.replace("m = 3", "m = 3\nchanges = 1").partition("[guarantee.ch")[0],
                         "guarantee.changes must be a table with", "found a whole number"),
    "a width of no quasi column": (GOOD.replace('"age", ', ""), "guarantee.widths.age is for a",
                                   "guarantee.domains.age is for a column that is not quasi"),
    "two contents": (GOOD.replace('["diagnosis"]', '["a", "b"]'), "schema.sensitive names 2 col"),
    "no content": (GOOD.replace('["diagnosis"]', "[]"), "schema.sensitive names 0 columns"),
    "a time": (GOOD.replace('"patient"', '"patient"\ntime = "t"'), "schema.time has no meaning"),
    "a calendar": (GOOD + "[calendar.term]\nevery = 2\n", "[calendar] has no meaning"),
}  # fmt: skip
MANY = [
    (
        GOOD,
        {
            "m = 3": "m = 1",
            '"sticky"': '"loose"',
            "age = 5": "age = 0",
            '"0.5"': '"half"',
            "regions.csv": "no.csv",
            "[0, 120]": "[120, 0]",
        },
        6,
    ),
    (GOOD, {"age = 5": "age = [5]", '"0.5"': "true"}, 2),  # one for each entry of a table
]
SECRET = (GOOD, ['"0.5"', "[0, 120]", '"sticky"', '"invariance"'])


def test_no_quasi_column_is_refused():
    with pytest.raises(PlanError, match=r"schema\.quasi names no column"):
        Plan("t.csv", Schema("p", sensitive="s"), MInvariance(m=2))


def test_event_tables_still_need_a_time():
    with pytest.raises(PlanError, match=r"'schema\.time' is missing"):
        Plan("t.csv", Schema("p"), TimeGranularity(k=2))


def test_round_trip(read, tmp_path):
    plan = read(GOOD)
    (tmp_path / "plan.toml").unlink()
    path = plan.write(tmp_path / "plan.toml", notes={"guarantee.m": "three"})
    assert Plan.read(path) == plan
    data = tomllib.loads(path.read_text())
    assert data["schema"].keys() == {"subject", "quasi", "sensitive"}, "no clock without times"
    assert data["guarantee"]["widths"] == {"age": 5, "income": "0.5"}
    assert "# three\nm = 3" in path.read_text()


def test_tables_that_say_nothing_are_not_written():
    text = Plan("t.csv", Schema("p", quasi="q", sensitive="s"), MInvariance(m=2)).to_toml()
    assert tomllib.loads(text)["guarantee"] == {
        "method": "invariance",
        "m": 2,
        "mode": "paper",
        "balance": "exact",
        "when_ineligible": "refuse",
        "margins": 25,
        "then": "generalize",
    }


def test_by_anatomy_there_are_no_margins_and_no_grid(read):
    """Not said, there are none; said, they are refused; and what is written is read again."""
    promise = MInvariance(m=2, then="anatomy")
    assert promise.margins is None
    assert MInvariance.from_dict(promise.to_dict()) == promise
    assert MInvariance(m=2, then="anatomy", margins="none") == promise
    text = Plan("t.csv", Schema("p", quasi="q", sensitive="s"), promise).to_toml()
    written = tomllib.loads(text)["guarantee"]
    assert written["then"] == "anatomy"
    assert "margins" not in written
    for more in ({"margins": 25}, {"widths": {"q": 1}}, {"orders": {"q": ["a"]}},
                  {"domains": {"q": (0, 1)}}):  # fmt: skip
        with pytest.raises(PlanError, match=r"has no meaning with then = 'anatomy'. Remove it"):
            MInvariance(m=2, then="anatomy", **more)
    with pytest.raises(PlanError, match="generalize, anatomy"):
        MInvariance(m=2, then="boxes")


def test_how_groups_are_published_stays(read):
    """Ledgers of before do not mention it, and mean intervals."""
    boxes, exact = (MInvariance(m=2, then=then).to_dict() for then in ("generalize", "anatomy"))
    assert "then" not in boxes
    assert not lasts(boxes, exact)
    assert not lasts(exact, boxes)
    assert lasts(exact, exact)


def test_margins_are_there_unless_a_plan_says_none(read):
    """Those that are written say it, either way."""
    for said, margins in (('"none"', None), ("75", 75)):
        plan = read(GOOD.replace("margins = 50", f"margins = {said}"))
        assert plan.guarantee.margins == margins
        assert f"margins = {said}" in plan.to_toml()
    assert MInvariance(m=2).margins == 25
    assert MInvariance(m=2, margins="none") == MInvariance(m=2, margins=None)


def test_old_ledgers_mean_no_margins():
    told = MInvariance(m=2, margins=None).to_dict()
    assert "margins" not in told
    assert MInvariance.from_dict(told).margins is None


@pytest.mark.parametrize("said", ["0", "4", "-25", "2.5", "true", '"all"', "[25]"])
def test_steps_that_are_none_are_refused(read, said):
    with pytest.raises(PlanError, match="margins"):
        read(GOOD.replace("margins = 50", f"margins = {said}"))


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(names, min_size=4, max_size=4, unique=True),
    st.lists(names, min_size=1, max_size=4, unique=True),
    st.decimals(-1000, 1000, places=3),
    st.decimals("0.001", 1000, places=3),
)
def test_any_names_and_numbers_survive(tmp_path_factory, columns, values, low, width):
    folder = tmp_path_factory.mktemp("plan")
    subject, number, text, content = columns
    plan = Plan(
        folder / "t.csv",
        Schema(subject, quasi=[number, text], sensitive=content, time_zone="Europe/Rome"),
        MInvariance(
            m=2,
            widths={number: width},
            domains={number: [low, low + width]},
            orders={text: values},
            changes=dict.fromkeys(values, values),
        ),
        folder / "r",
        folder / "l",
    )
    (folder / "p.toml").write_bytes(plan.to_toml(folder).encode())
    assert Plan.read(folder / "p.toml") == plan
