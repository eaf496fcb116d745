"""Carry out the audit of a table that Anachron did not make."""

from __future__ import annotations

from anachron.auditing.check import Figures
from anachron.auditing.foreign.cells import cell_figures, intervals
from anachron.auditing.foreign.claim import Claim
from anachron.auditing.foreign.groups import (
    distinct,
    frequent,
    group_figures,
    groups_of,
    k_anonymous,
    value_figures,
    values_of,
)
from anachron.auditing.foreign.invariance import invariance
from anachron.auditing.foreign.opened import Opened, opened
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
    groups = groups_of(table)
    values = tuple(values_of(table, name, i) for i, name in enumerate(claim.sensitive))
    checks: list[Check] = []
    if claim.k is not None:
        checks.append(k_anonymous.ask(table, groups, claim.k))
    if claim.l is not None:
        diverse = distinct if claim.form == "distinct" else frequent
        checks += [diverse.ask(table, found, groups, claim.l) for found in values]
    figures: Figures = {
        **group_figures(table, groups),
        **value_figures(values),
        **dict(cell_figures(table)),
    }
    return [*checks, intervals.ask(table)], figures
