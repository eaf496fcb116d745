"""Tables that were released one after the other: does everyone keep the same set of values?

A group is m-unique if it has at least m rows, all with different values (Definition 17 of Xiao and
Tao). Its values are the signature of everyone in it. A history is m-invariant if all groups are
m-unique and nobody's signature changes; where a person's own value changed, a signature that has
nothing in common with the earlier ones is as good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import duckdb
import pyarrow as pa

from anachron.auditing.check import SHOWN, Figures, Found, check, fraction
from anachron.auditing.foreign.claim import Claim
from anachron.auditing.foreign.opened import TOLD, Opened, intervals, opened
from anachron.auditing.verdict import Check
from anachron.database import connected

__all__ = ["invariance"]

_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL")


@dataclass(frozen=True, eq=False)
class _Release:
    """What one table shows."""

    rows: pa.Table
    """Of each row: the group, by its first row; who; and the value, as texts."""
    name: str
    groups: int
    small: int
    repeating: int
    smallest: int
    largest: Fraction
    """Share of one value in a group."""
    witnesses: tuple[str, ...]
    intervals: Check


def invariance(table: object, claim: Claim) -> tuple[str, list[Check], Figures]:
    """Check one or more tables, in the order of their release; gives the name of the first, too."""
    m = claim.m or 0
    releases = [_release(one, claim, m) for one in (table, *claim.releases)]
    checks = [unique_values.ask(releases, m)]
    figures: Figures = {
        "releases": len(releases),
        "groups": sum(release.groups for release in releases),
        "smallest_signature": min(release.smallest for release in releases),
        "largest_share_of_a_value": fraction(max(release.largest for release in releases)),
    }
    if claim.subject is not None:
        with connected() as con:
            _gather(con, releases)
            found = _followed(con, m)
            people = (candidates.ask(con, found, m), lifespans.ask(con, found))
        checks[:0] = [*people, one_row_each.ask(found)]
        figures |= {
            "people": found.people,
            "smallest_candidate_set": found.smallest,
            "vulnerable": found.vulnerable,
            "largest_posterior": fraction(Fraction(1, max(found.smallest, 1))),
        }
    wrong = [release.intervals for release in releases if not release.intervals.holds]
    checks.append(wrong[0] if wrong else releases[0].intervals)
    return releases[0].name, checks, figures


def _release(table: object, claim: Claim, m: int) -> _Release:
    with opened(table, claim) as there:
        keys = there.keys
        # Numbers and whole numbers are alike in whatever way a file writes them.
        value = "CAST(v0 AS VARCHAR)"
        if any(kind in _type(there) for kind in _NUMBERS):
            value = "CAST(CAST(v0 AS DOUBLE) AS VARCHAR)"
        there.run(
            f"CREATE TEMP TABLE every AS SELECT {keys}, CAST(who AS VARCHAR) AS who, "
            f"{value} AS v, nth FROM {there.numbered}"
        )
        there.run(
            f"CREATE TEMP TABLE first AS SELECT {keys}, min(nth) AS g FROM every GROUP BY {keys}"
        )
        same = " AND ".join(f"every.{k} IS NOT DISTINCT FROM first.{k}" for k in there.key)
        there.run(f"CREATE TEMP TABLE placed AS SELECT g, who, v FROM every JOIN first ON {same}")
        there.run(
            "CREATE TEMP TABLE groups AS SELECT g, count(*) AS size, count(DISTINCT v) "
            f"FILTER ({TOLD}) AS different, max(n) AS most FROM (SELECT g, v, count(*) OVER "
            "(PARTITION BY g, v) AS n FROM placed) GROUP BY g"
        )
        return _measured(there, m)


def _measured(there: Opened, m: int) -> _Release:
    counted = there.one(
        f"SELECT count(*), count_if(size < {m}), count_if(different < size), min(different) "
        "FROM groups"
    )
    worst = there.rows("SELECT most, size FROM groups ORDER BY most / size DESC LIMIT 1")
    wrong = there.rows(
        f"SELECT g FROM groups WHERE size < {m} OR different < size ORDER BY g LIMIT {SHOWN}"
    )
    return _Release(
        rows=there.con.sql("FROM placed").to_arrow_table(),
        name=there.name,
        groups=counted[0],
        small=counted[1],
        repeating=counted[2],
        smallest=counted[3],
        largest=Fraction(*map(int, worst[0])) if worst else Fraction(1),
        witnesses=tuple(f"group of row {int(g):,}" for (g,) in wrong),
        intervals=intervals.ask(there),
    )


def _type(there: Opened) -> str:
    return str(there.con.sql(f"SELECT v0 FROM {there.judged} LIMIT 0").types[0])


@check("m-unique", "sensitive values in each group")
def unique_values(releases: list[_Release], m: int) -> Found:
    """groups that are m-unique"""
    places = [
        f"release {number}, {place}" if len(releases) > 1 else place
        for number, release in enumerate(releases, 1)
        for place in release.witnesses
    ]
    return Found(
        {
            "groups with fewer rows": sum(release.small for release in releases),
            "groups with a value twice, or missing (if they are several groups with the same "
            "cells, name the column that numbers them)": sum(r.repeating for r in releases),
            "releases without rows": sum(release.groups == 0 for release in releases),
        },
        f"{min(release.smallest for release in releases):,} in the smallest group",
        where=tuple(places[:SHOWN]),
        promised=f"at least {m:,}, all different, in each group",
    )


def _gather(con: duckdb.DuckDBPyConnection, releases: Iterable[_Release]) -> None:
    """Put the rows of all releases beside each other, with a number for each set of values."""
    con.execute("CREATE TABLE seen (release BIGINT, g BIGINT, who VARCHAR, v VARCHAR)")
    for number, release in enumerate(releases, 1):
        con.register("one", release.rows)
        con.execute(f"INSERT INTO seen SELECT {number}, g, who, v FROM one")
        con.unregister("one")
    con.execute(
        "CREATE TABLE hosts AS SELECT release, g, list_sort(list(DISTINCT v)) AS signature "
        f"FROM seen WHERE {TOLD} GROUP BY release, g"
    )
    con.execute(
        "CREATE TABLE people AS SELECT release, g, who, v, signature FROM "
        "seen JOIN hosts USING (release, g) WHERE who IS NOT NULL"
    )
    # Whose set of values is always the same needs no further look.
    con.execute(
        "CREATE TABLE turned AS SELECT * FROM people SEMI JOIN (SELECT who FROM people "
        "GROUP BY who HAVING count(DISTINCT signature) > 1) USING (who)"
    )


@dataclass(frozen=True)
class _Followed:
    """What came of following everyone through all releases."""

    people: int
    crossing: int
    """People with signatures that overlap."""
    twice: int
    """Times that a person has several rows in a release."""
    smallest: int
    """Values that are left for a person."""
    vulnerable: int
    """People who are left with too few."""


def _followed(con: duckdb.DuckDBPyConnection, m: int) -> _Followed:
    con.execute(
        "CREATE TABLE crossing AS SELECT DISTINCT who FROM (SELECT who, u, signature FROM "
        "(SELECT who, signature, unnest(signature) AS u FROM turned) GROUP BY ALL) "
        "GROUP BY who, u HAVING count(*) > 1"
    )
    people, crossing, twice = _one(
        con,
        "SELECT (SELECT count(DISTINCT who) FROM people), (SELECT count(*) FROM crossing), "
        "(SELECT count(*) FROM (SELECT 1 FROM people GROUP BY release, who HAVING count(*) > 1))",
    )
    con.execute(
        "CREATE TABLE left_over AS SELECT who, v, count(u) AS n FROM (SELECT DISTINCT who, v FROM "
        "turned) LEFT JOIN (SELECT who, v, u FROM (SELECT who, v, release, unnest(signature) AS u "
        "FROM turned) JOIN (SELECT who, v, count(DISTINCT release) AS times FROM turned "
        "GROUP BY who, v) USING (who, v) GROUP BY who, v, u, times "
        "HAVING count(DISTINCT release) = times) USING (who, v) GROUP BY who, v"
    )
    smallest, vulnerable = _one(
        con,
        "SELECT min(n), count(DISTINCT who) FILTER (n < $1) FROM (FROM left_over UNION ALL SELECT "
        "who, v, len(signature) FROM people ANTI JOIN turned USING (who))",
        m,
    )
    return _Followed(people, crossing, twice, smallest, vulnerable)


@check("candidates", "values in the smallest candidate set over all releases")
def candidates(con: duckdb.DuckDBPyConnection, found: _Followed, m: int) -> Found:
    """at least {m:,}"""
    few = f"{found.smallest:,}; {found.vulnerable:,} people with fewer than {m:,}"
    wrong = bool(found.vulnerable)
    where = _places(con, f"who IN (SELECT who FROM left_over WHERE n < {m})") if wrong else ()
    return Found({few: wrong}, f"{found.smallest:,}", where=where)


@check("lifespans", "signatures of each person over all releases")
def lifespans(con: duckdb.DuckDBPyConnection, found: _Followed) -> Found:
    """the same signature for life, or one without a common value when the value changes"""
    where = _places(con, "who IN (FROM crossing)") if found.crossing else ()
    return Found({"people with signatures that overlap": found.crossing}, where=where)


@check("one row each", "rows of one person in a release")
def one_row_each(found: _Followed) -> Found:
    """one row of each person in a release"""
    return Found({"people with more": found.twice})


def _places(con: duckdb.DuckDBPyConnection, wrong: str) -> tuple[str, ...]:
    """The groups that some of these people are in."""
    found = con.execute(
        f"SELECT DISTINCT release, g FROM people WHERE {wrong} ORDER BY release, g LIMIT {SHOWN}"
    ).fetchall()
    return tuple(f"release {release}, group of row {g:,}" for release, g in found)


def _one(con: duckdb.DuckDBPyConnection, query: str, *given: int) -> tuple[int, ...]:
    return tuple(int(n or 0) for n in con.execute(query, list(given)).fetchall()[0])
