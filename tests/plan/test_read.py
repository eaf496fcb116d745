"""A plan file is read whole, or refused with everything that is wrong with it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from anachron import Granularity, Ladder, Plan, Schema, TimeGranularity
from anachron.errors import PlanError

GOOD = """
[source]
table = "visits.parquet"
[schema]
subject = "patient"
time = "admitted"
quasi = ["age", "sex", "region"]
sensitive = ["diagnosis"]
time_zone = "Europe/Rome"
time_unit = "auto"
[guarantee]
method = "granularity"
k = 5
granularities = ["day", "week", "month", "term"]
metric = "paper"
max_suppressed = "0.01"
max_share = "0.5"
keep = "time"
[guarantee.ladders.age]
bins = [5, 10, 20]
[guarantee.ladders.region]
hierarchy = "regions.csv"
[guarantee.ladders.sex]
[calendar.term]
boundaries = ["2025-09-15", 2026-01-12, "2026-05-04"]
[destination]
releases = "out"
ledger = "ledger"
csv = true
"""


def test_everything_is_read(read, tmp_path):
    plan = read(GOOD)
    assert plan == Plan(
        tmp_path / "visits.parquet",
        Schema("patient", "admitted", ["age", "sex", "region"], "diagnosis", "Europe/Rome"),
        TimeGranularity(
            k=5,
            granularities=[
                "day",
                "week",
                "month",
                Granularity.boundaries("term", ["2025-09-15", "2026-01-12", "2026-05-04"]),
            ],
            max_suppressed=Fraction(1, 100),
            max_share=Fraction(1, 2),
            ladders={
                "age": Ladder.bins(5, 10, 20),
                "sex": Ladder.drop(),
                "region": Ladder.hierarchy(
                    [["Milan", "North"], ["Rome", "Centre"], ["Bari", "South"]]
                ),
            },
        ),
        tmp_path / "out",
        tmp_path / "ledger",
        csv=True,
    )


def test_defaults(read):
    text = GOOD.partition("[guarantee]")[0] + "[guarantee]\nmethod='granularity'\nk=3\n"
    plan = read(text)
    assert plan.guarantee == TimeGranularity(k=3)
    assert plan.releases.name == "releases"
    assert not plan.csv


def test_a_byte_order_mark_is_no_problem(read):
    assert read(b"\xef\xbb\xbf" + GOOD.encode()).csv


def test_all_kinds_of_calendars(read):
    text = (
        GOOD.replace('"term"]', '"fortnight", "pattern", "bweek", "shift"]')
        + """
[calendar.fortnight]
every = 2
of = "week"
anchor = "2025-01-06"
[calendar.pattern]
sizes = [4, 4, 5]
of = "week"
anchor = 2025-01-06
[calendar.bweek]
of = "bday"
within = "week"
[calendar.bday]
business_days = {country = "IT", weekend = [5, 6], holidays = ["2025-12-24"]}
[calendar.shift]
spans = [
  ["2025-01-01 06:00", "2025-01-01 14:00", "early"],
  [2025-01-01 14:00:00, 2025-01-01 22:00:00],
]
"""
    )
    offered = read(text).guarantee.granularities[3:]
    bday = Granularity.business_days("bday", country="IT", holidays=["2025-12-24"])
    assert offered == (
        Granularity.every("fortnight", 2, "week", anchor="2025-01-06"),
        Granularity.group("pattern", "week", sizes=[4, 4, 5], anchor="2025-01-06"),
        Granularity.within("bweek", bday, "week"),
        Granularity.spans(
            "shift",
            [
                ("2025-01-01 06:00", "2025-01-01 14:00", "early"),
                ("2025-01-01 14:00", "2025-01-01 22:00"),
            ],
        ),
    )


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_hierarchy_files_of_other_tools(read, tmp_path, mark):
    rows = [["Rome", "Lazio", "Centre"], ["Milan", "Lombardy", "North"]]
    text = "\r\n".join(mark.join(row) for row in rows) + "\r\n\r\n"
    (tmp_path / "regions.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert dict(read(GOOD).guarantee.ladders)["region"] == Ladder.hierarchy(rows)


BAD = {
    "not toml": ('table = "visits', "is not valid TOML", "line 1"),
    "a key twice": (GOOD + "csv = false", "is not valid TOML", "line"),
    "not text": (b"\xff\xfe\x00", "is not UTF-8 text"),
    "nested too deeply": ("a = " + "[" * 20_000, "nested too deeply"),
    "a number without end": ("a = " + "9" * 5000, "number that is too long"),
    "empty": ("", "[source] is missing", "[schema] is missing", "[guarantee] is missing"),
    "unknown section": (GOOD.replace("[source]", "[sources]"), "[sources]", "mean 'source'?"),
    "unknown key": (GOOD.replace("k = 5", "kk = 5"), "'guarantee.kk'", "'guarantee.k' is missing"),
    "misspelt key": (GOOD.replace("max_share", "max_shares"), "Did you mean 'max_share'?"),
    "far from any key": (GOOD.replace("keep =", "zzz ="), "Known: method, k, "),
    "wrong type": (GOOD.replace("k = 5", 'k = "5"'), "guarantee.k must be a whole number of at "
                   "least 2; found text."),
    "true for a number": (GOOD.replace("k = 5", "k = true"), "guarantee.k", "found true or false"),
    "wrong item": (GOOD.replace('"sex"', "7"), "schema.quasi", "item 2 is a whole number"),
    "empty column": (GOOD.replace('"patient"', '""'), "schema.subject", "found empty"),
    "section is a value": ("source = 1\n" + GOOD.partition("[schema]")[2].join(["[schema]", ""]),
                           "source must be a table, found a whole number"),
    "k too small": (GOOD.replace("k = 5", "k = 1"), "guarantee.k must be a whole number"),
    "unknown metric": (GOOD.replace('"paper"', '"best"'), "guarantee.metric must be one of"),
    "unknown keep": (GOOD.replace('keep = "time"', 'keep = "all"'), "guarantee.keep must be"),
    "a share of all": (GOOD.replace('"0.01"', "1"), "guarantee.max_suppressed must be"),
    "not a share": (GOOD.replace('"0.01"', '"few"'), "guarantee.max_suppressed must be a number"),
    "nan": (GOOD.replace('"0.01"', "nan"), "guarantee.max_suppressed must be a number"),
    "unknown method": (GOOD.replace('"granularity"', '"magic"'), 'guarantee.method must be "gran'),
    "no granularities": (GOOD.replace('["day", "week", "month", "term"]', "[]"),
                         "guarantee.granularities is empty"),
    "twice": (GOOD.replace('"week"', '"day"'), "'day' is offered twice"),
    "unknown granularity": (GOOD.replace('"week"', '"weak"'), "guarantee.granularities, item 2",
                            "Did you mean 'week'?"),
    "two roles": (GOOD.replace('"sex", ', '"patient", "sex", '), "schema: has more than one role",
                  "column 'patient'"),
    "zone": (GOOD.replace("Europe/Rome", "Europe/Rom"), "schema.time_zone is not a known"),
    "zone by path": (GOOD.replace("Europe/Rome", "../../etc/passwd"), "schema.time_zone"),
    "time unit": (GOOD.replace('"auto"', '"days"'), "schema.time_unit must be one of"),
    "spelling": (
        GOOD.replace('time_unit = "auto"', 'spelling = "loose"'),
        "schema.spelling must be one of refuse, merge, exact",
    ),
    "bins that do not nest": (GOOD.replace("[5, 10, 20]", "[5, 8]"), "guarantee.ladders.age: bin"),
    "two kinds of ladder": (GOOD.replace("[5, 10, 20]", "[5]\nprefix=[2]"), "ladders.age: a "),
    "raw alone": (GOOD.replace("bins = [5, 10, 20]", "raw = false"), "guarantee.ladders.age: give"),
    "ladder key": (GOOD.replace("bins = ", "bin = "), "'guarantee.ladders.age.bin'", "'bins'?"),
    "ladder of no quasi column": (GOOD.replace('"age", ', ""), "ladders.age is for a column that"),
    "no hierarchy file": (GOOD.replace("regions.csv", "no.csv"), "no.csv", "cannot be read"),
    "boundaries backwards": (GOOD.replace("2026-05-04", "2020-05-04"), "calendar.term: granular"),
    "one boundary": (GOOD.replace(', 2026-01-12, "2026-05-04"', ""), "calendar.term: granularity"),
    "a time of day": (GOOD.replace("2026-01-12", "07:30:00"), "item 2 is a time of day"),
    "an offset": (GOOD.replace("2026-01-12", "2026-01-12T00:00:00Z"), "without an offset"),
    "name of a built-in": (GOOD.replace("calendar.term", "calendar.day"), "calendar.day: 'day' is"),
    "two kinds of calendar": (GOOD.replace("boundaries =", 'of = "day"\nboundaries ='),
                              "calendar.term needs the keys of exactly one kind"),
    "a circle": (GOOD + "[calendar.a]\nof='b'\nwithin='week'\n[calendar.b]\nof='a'\nwithin='week'",
                 "go round in a circle"),
    "a span of one": (GOOD + "[calendar.a]\nspans=[['2025-01-01']]", "calendar.a.spans must be"),
    "weekend": (GOOD + "[calendar.a]\nbusiness_days={weekend=[8]}", "calendar.a: granularity 'a'"),
    "business days": (GOOD + "[calendar.a]\nbusiness_days={land='IT'}", "calendar.a.business_days"),
    "every zero": (GOOD + "[calendar.a]\nevery=0\nof='day'\nanchor='2025-01-01'", "calendar.a: "),
    "releases are the source": (GOOD.replace('"out"', '"visits.parquet"'), "source itself"),
    "ledger is the source": (GOOD.replace('= "ledger"', '= "./visits.parquet"'), "source itself"),
    "releases in the ledger": (GOOD.replace('"out"', '"ledger/x/.."'), "releases lies inside"),
    "ledger in the releases": (GOOD.replace('= "ledger"', '= "out/ledger"'), "ledger lies inside"),
    "releases here": (GOOD.replace('"out"', '"."'), "ledger lies inside the releases",
                      "source.table lies inside"),
    "source in the releases": (GOOD.replace("visits.", "out/visits."), "source.table lies inside"),
    "database in the releases": (GOOD.replace("visits.parquet", "sqlite:out/db#t"), "source.table"),
    "a path with NUL": (GOOD.replace('"out"', '"a\\u0000b"'), "destination.releases is not a path"),
}  # fmt: skip
MANY = [
    (
        GOOD,
        {
            "k = 5": "k = 1",
            '"0.01"': '"few"',
            "[5, 10, 20]": "[5, 8]",
            '"week"': '"weak"',
            "Europe/Rome": "Nowhere",
            "csv = true": "csv = 1",
            "2026-05-04": "2020-05-04",
        },
        7,
    )
]
SECRET = (GOOD, ['"paper"', '"Europe/Rome"', "2026-05-04", "[5, 10, 20]", "k = 5"])


def test_a_ragged_hierarchy_names_its_row(problems, tmp_path):
    (tmp_path / "regions.csv").write_text("Rome,Lazio\nMilan\n")
    message = problems(GOOD)
    assert "regions.csv, row 2" in message
    assert "Milan" not in message


def test_missing_plan_and_folder(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(PlanError, match="cannot be read"):
            Plan.read(path)


def test_a_link_to_the_ledger_is_seen_through(problems, tmp_path):
    (tmp_path / "ledger").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "ledger")
    assert "releases lies inside the ledger" in problems(GOOD)
