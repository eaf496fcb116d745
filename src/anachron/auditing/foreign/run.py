"""Carry out the audit of a table that Anachron did not make: who is in each group, with what?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from anachron.auditing.check import SHOWN, Figures, Found, check, fraction, measured
from anachron.auditing.foreign.claim import Claim
from anachron.auditing.foreign.invariance import invariance
from anachron.auditing.foreign.opened import TOLD, Opened, cell_figures, intervals, opened
from anachron.auditing.verdict import PEOPLE_COUNTED, ROWS_COUNTED, Check, Verdict

__all__ = ["verify_table"]


def verify_table(table: object, claim: Claim) -> Verdict:
    """Check any table against what is claimed of it.

    Parameters
    ----------
    table
        A file (CSV, TSV, Parquet, Arrow), a database table, or a dataframe of any kind, such as
        another tool wrote it.
    claim
        What is claimed, and which column plays which role.

    Returns
    -------
    Verdict
        Whether the claim holds. Witnesses name rows of the table, counted from 1.

    Example
    -------
    >>> import pyarrow as pa
    >>> from anachron.auditing.foreign import Claim, verify_table
    >>> table = pa.table({"who": ["a", "b", "a", "c"], "age": ["20-29", "20-29", "3*", "3*"]})
    >>> print(verify_table(table, Claim("k-anonymity", "age", k=2, subject="who")).checks[0])
    people in the smallest group: 2, of 2 groups (promised: at least 2)
    """
    if claim.model == "m-invariance":
        name, checks, figures = invariance(table, claim)
    else:
        with opened(table, claim) as there:
            name, (checks, figures) = there.name, _one_table(there, claim)
    return Verdict(
        release=name,
        guarantee=str(claim),
        scope=ROWS_COUNTED if claim.subject is None else PEOPLE_COUNTED,
        checks=tuple(checks),
        figures=figures,
    )


def _one_table(table: Opened, claim: Claim) -> tuple[list[Check], Figures]:
    groups = _groups_of(table)
    values = tuple(_values_of(table, name, i) for i, name in enumerate(claim.sensitive))
    checks: list[Check] = []
    if claim.k is not None:
        checks.append(k_anonymous.ask(table, groups, claim.k))
    if claim.l is not None:
        diverse = distinct if claim.form == "distinct" else frequent
        checks += [diverse.ask(table, found, groups, claim.l) for found in values]
    figures: Figures = {
        **_group_figures(table, groups),
        **_value_figures(values),
        **dict(cell_figures(table)),
    }
    return [*checks, intervals.ask(table)], figures


@dataclass(frozen=True)
class _Tally:
    """What was counted. The table ``groups`` has a row for each: people, rows and largest."""

    groups: int
    rows: int
    people: int
    """In the smallest group."""
    largest: Fraction
    """Share of the person with the most rows, in the rows of a group."""
    unnamed: int
    """Rows that are about nobody who is named."""
    unit: str
    """What is counted: people, or rows."""


def _groups_of(table: Opened) -> _Tally:
    """Count who stands in each group, and keep it as the table ``groups``."""
    keys = table.keys
    counts = "count(*) AS size, count(*) AS people, 1::BIGINT AS largest, 0::BIGINT AS unnamed"
    each = table.judged
    if table.has_subject:
        each = f"(SELECT {keys}, who, count(*) AS n FROM {table.judged} GROUP BY {keys}, who)"
        counts = (
            "sum(n)::BIGINT AS size, count(who) AS people, "
            "coalesce(max(n) FILTER (who IS NOT NULL), 0) AS largest, "
            "coalesce(sum(n) FILTER (who IS NULL), 0)::BIGINT AS unnamed"
        )
    table.run(
        f"CREATE OR REPLACE TEMP TABLE groups AS SELECT {keys}, {counts} FROM {each} "
        f"GROUP BY {keys}"
    )
    counted = table.one("SELECT count(*), sum(size), min(people), sum(unnamed) FROM groups")
    groups, rows, people, unnamed = counted
    share = table.rows("SELECT largest, size FROM groups ORDER BY largest / size DESC LIMIT 1")
    return _Tally(
        groups=groups,
        rows=rows,
        people=people,
        largest=Fraction(*map(int, share[0])) if share else Fraction(0),
        unnamed=unnamed,
        unit="people" if table.has_subject else "rows",
    )


@check("k-anonymous", "{groups.unit} in the smallest group")
def k_anonymous(table: Opened, groups: _Tally, k: int) -> Found:
    """at least {k:,}"""
    small = table.one(f"SELECT count(*) FROM groups WHERE people < {k}")[0]
    text = f"{groups.people:,} ({small:,} of {groups.groups:,} groups are too small)"
    fine = f"{groups.people:,}, of {groups.groups:,} groups"
    where = _witnesses_of(table, f"people < {k}", "people") if small else ()
    return Found({text if small else fine: groups.groups == 0 or small > 0}, fine, where=where)


def _witnesses_of(table: Opened, wrong: str, worst: str, groups: str = "groups") -> tuple[str, ...]:
    """Name some groups by the first row of each, the worst ones first."""
    keys = table.keys
    table.run(
        "CREATE OR REPLACE TEMP TABLE shown AS SELECT row_number() OVER () AS place, * FROM "
        f"(SELECT {keys} FROM {groups} WHERE {wrong} ORDER BY {worst}, {keys} LIMIT {SHOWN})"
    )
    same = " AND ".join(f"every.{name} IS NOT DISTINCT FROM shown.{name}" for name in table.key)
    found = table.rows(
        f"SELECT min(nth) FROM {table.numbered} AS every JOIN shown ON {same} "
        "GROUP BY place ORDER BY place"
    )
    return tuple(f"group of row {int(row):,}" for (row,) in found)


def _group_figures(table: Opened, found: _Tally) -> dict[str, int | str]:
    """Counts and shares that say how safe a table is."""
    figures: dict[str, int | str] = {
        "rows": found.rows,
        "groups": found.groups,
        f"{found.unit}_in_smallest_group": found.people,
        "rows_suppressed": table.suppressed,
    }
    if table.has_subject:
        figures["largest_share_of_one_person"] = fraction(found.largest)
        figures["rows_without_a_person"] = found.unnamed
    return figures


@dataclass(frozen=True)
class _Values:
    """What was counted of a sensitive column. The table ``named`` has a row for each group."""

    column: str
    named: str
    fewest: int
    """Different values in a group."""
    share: Fraction
    """Of the people of a group, those with its most frequent value."""
    alike: int
    """_Tally with one value."""


def _values_of(table: Opened, column: str, place: int) -> _Values:
    """Count the values of a sensitive column in each group; ``groups`` must be there."""
    keys, named = table.keys, f"values{place}"
    rows = f"(SELECT {keys}, who, v{place} AS v FROM {table.judged})"
    if table.has_subject:
        # Whoever has a value in several rows has it once.
        rows = f"(SELECT {keys}, who, v FROM {rows} WHERE who IS NOT NULL GROUP BY {keys}, who, v)"
    table.run(
        f"CREATE OR REPLACE TEMP TABLE {named} AS "
        f"SELECT {keys}, count_if({TOLD}) AS different, max(n) AS most FROM "
        f"(SELECT {keys}, v, count(*) AS n FROM {rows} GROUP BY {keys}, v) GROUP BY {keys}"
    )
    same = " AND ".join(f"{named}.{name} IS NOT DISTINCT FROM groups.{name}" for name in table.key)
    chosen = ", ".join(f"groups.{name}" for name in table.key)
    # A group of nobody who is named has no values.
    table.run(
        f"CREATE OR REPLACE TEMP TABLE {named} AS SELECT {chosen}, people, "
        f"coalesce(different, 0) AS different, coalesce(most, 0) AS most "
        f"FROM groups LEFT JOIN {named} ON {same}"
    )
    counted = table.one(f"SELECT min(different), count_if(different < 2) FROM {named}")
    worst = table.rows(
        f"SELECT most, people FROM {named} WHERE people > 0 ORDER BY most / people DESC LIMIT 1"
    )
    share = Fraction(*map(int, worst[0])) if worst else Fraction(1)
    return _Values(column, named, counted[0], share, counted[1])


@check("l-diverse", "different values of {found.column!r} in a group")
def distinct(table: Opened, found: _Values, groups: _Tally, l: Fraction) -> Found:  # noqa: E741
    """at least {l}"""
    wrong = f"different * {l.denominator} < {l.numerator}"
    return _diverse(table, found, groups, wrong, "different", f"{found.fewest:,}")


@check(
    "l-diverse", "largest share of one value of {found.column!r} in the {groups.unit} of a group"
)
def frequent(table: Opened, found: _Values, groups: _Tally, l: Fraction) -> Found:  # noqa: E741
    """at most one in {l}"""
    # Whole numbers: a fraction such as 7/3 is no binary one.
    share = f"most::HUGEINT * {l.numerator} > people::HUGEINT * {l.denominator}"
    wrong, worst = f"people = 0 OR {share}", "people / greatest(most, 1)"
    return _diverse(table, found, groups, wrong, worst, fraction(found.share))


def _diverse(
    table: Opened, found: _Values, groups: _Tally, wrong: str, worst: str, text: str
) -> Found:
    few = table.one(f"SELECT count(*) FROM {found.named} WHERE {wrong}")[0]
    where = _witnesses_of(table, wrong, worst, found.named) if few else ()
    text += f" ({few:,} of {groups.groups:,} groups are not so)" if few else ""
    return measured(text, groups.groups > 0 and not few, where)


def _value_figures(found: tuple[_Values, ...]) -> dict[str, int | str]:
    """Counts and shares of all sensitive columns together."""
    if not found:
        return {}
    worst = fraction(max(values.share for values in found))
    return {
        "values_in_smallest_group": min(values.fewest for values in found),
        "groups_with_one_sensitive_value": max(values.alike for values in found),
        "largest_share_of_a_value": worst,
        "largest_posterior": worst,
    }
