"""Count the published rows that meet many conditions: must, may, and how many are expected.

A release is groups of rows. Each row is a box: one cell of each column, given by its code. Leaves
of a condition, one for a column at most, were evaluated for every code before; here they are put
together, row by row.

===============  =========================================================================
``n``            rows of a group
``r``            of these, so many count at all; which ones is not known. The others are
                 counterfeits; or, where sensitive values are a table of their own, rows
                 that hold another value, and counterfeits are rows that meet nothing
``p``            of a row: the share of its box that meets the condition
``d``            of a row: the variance of that share, as values are not spread evenly; NaN if
                 nobody knows
``M, Y``         rows of a group that must, and that may meet it, if they count
flags            of a leaf or a row, a bit each: ``MAY``, ``MUST``, and the same two if rows
                 happened when they are published
===============  =========================================================================

A condition is a conjunction, and its parts are written for a little machine with a stack: what to
do, and with which leaf. What it knows of a leaf, and of what is on the stack, are flags, p and d.

====================  ====================================================================
``HOLDS`` leaf        the leaf is a part of the conjunction
``LEAF`` leaf         put the leaf on the stack
``TRUE``, ``FALSE``   put on the stack what always holds, and what never does
``BOTH``, ``EITHER``  put the two uppermost of the stack together
``END``               what is uppermost is a part of the conjunction; take it away
====================  ====================================================================

So "a AND (b OR c)" is HOLDS a, LEAF b, LEAF c, EITHER, END. The machine stops as soon as a part
cannot hold. A question has three programs: one for its groups, and, of parts that these do not
settle, one for the rows of a group and one for the values beside them. The code of a leaf's column
is found with the group (``GROUP``), or with the row or value at hand.

If r of n rows are drawn without replacement, and each of them meets the condition with its own
p, the mean and the variance of how many do are

    r/n Σp        and        r/n (Σp − Σp²) + r (n − r) / (n (n − 1)) (Σp² − (Σp)²/n).

With p = 0 or 1 this is hypergeometric; with r = n, a sum of independent draws; and r/n Σp is
(|QI*| − c3) · c1 · c2 in the words of Xiao and Tao.

The count leans by r/n Σ√d if all shares are off by one standard deviation to the same side; and by
√ρ √(r (n − r) / n (Σp² − (Σp)²/n)) if what is asked of rows goes with which of them are
counterfeits, with ρ the square of the correlation, ``OF_COUNTERFEITS``. Whether it goes with which
of them hold a value is read off all groups: of these, moments are given (``anachron.asking.tilt``).

Rows may be *candidates*: r people have one of n values each, and two may have the same. Then all r
meet the condition if all rows must, none if no row may, and else any number of them. With p̄ = Σp/n
the variance is r p̄ (1 − p̄); values that change together, ρ being ``OF_CHANGES``, let the count
lean by r √(ρ (Σp²/n − p̄²)). Where values stand apart, these are the n, and r counts rows.

Compiled functions that call each other stand in one file, and none takes a class of ours.
"""

from __future__ import annotations

import numpy as np

from anachron.arrays import Array, Bytes, Codes, Floats
from anachron.kernels.compiled import compiled

__all__ = [
    "BOTH", "CERTAIN", "DEEPEST", "EITHER", "END", "FALSE", "HOLDS", "LEAF", "MAY", "MAY_ON_TIME",
    "MUST", "MUST_ON_TIME", "OF_CHANGES", "OF_COUNTERFEITS", "TRUE", "each", "totals",
]  # fmt: skip

MAY, MUST, MAY_ON_TIME, MUST_ON_TIME, CERTAIN = 1, 2, 4, 8, 15
"""May, must, and the same if the row happened when it is published; and all of it."""
HOLDS, LEAF, BOTH, EITHER, END, TRUE, FALSE = range(7)
GROUP = 0
ESTIMATE, LOW, HIGH, VARIANCE, CUT, COUNTERFEITS, LATE, LEAN, CANDIDATES = range(9)
MOMENTS = 9
"""Where the moments begin."""
OF_COUNTERFEITS = OF_CHANGES = 0.1
"""The square of the correlation of what is asked of rows with which of them are counterfeits, which
stand for values that others left; and with what became of values, if a third went to one side."""
DEEPEST = 64
"""Parts of a condition that may wait on the stack."""

Leaves = Array  # for each, GROUP or not, which column there, and where its codes begin in tables
Tables = tuple[Bytes, Floats, Floats]  # of each code: flags, shares, and the variances of these
Programs = tuple[Array, Array]  # of all questions, one after the other: what to do, and which leaf
# Groups: their codes, rows, how many of them are counterfeits, and whether they are candidates.
OfGroups = tuple[Codes, Array, Array, Array]
# Rows, or values: their codes, where those of each group begin, and how many are alike.
OfRows = tuple[Codes, Array, Array]
Layout = tuple[OfGroups, OfRows, OfRows]
# All that judging needs, with the stack: flags, shares and doubts.
Asked = tuple[Array, Array, Leaves, Bytes, Floats, Floats, Array, Floats, Floats]
Judged = tuple[int, float, float]  # what a program comes to: flags, p and d


@compiled
def _asked(leaves: Leaves, tables: Tables, programs: Programs) -> Asked:
    (flags, share, doubt), (what, which) = tables, programs
    bits, shares, doubts = np.zeros(DEEPEST, dtype=np.int64), np.zeros(DEEPEST), np.zeros(DEEPEST)
    return what, which, leaves, flags, share, doubt, bits, shares, doubts


@compiled
def _off(one: float, other: float, p: float, q: float) -> float:
    """The variance of the product of two independent numbers with means p and q."""
    if one == 0.0 and other == 0.0:
        return 0.0
    return one * q * q + other * p * p + one * other


@compiled
def _join(either: bool, top: int, bits: Array, shares: Floats, doubts: Floats) -> None:
    """Put the two uppermost parts of the stack together; what is certain leaves no doubt."""
    one, other = shares[top], shares[top + 1]
    if either:
        bits[top] |= bits[top + 1]
        one, other = 1.0 - one, 1.0 - other
    else:
        bits[top] &= bits[top + 1]
    doubts[top] = _off(doubts[top], doubts[top + 1], one, other)
    shares[top] = 1.0 - one * other if either else one * other
    if bits[top] & MUST or not bits[top] & MAY:
        doubts[top] = 0.0


@compiled
def _judge(asked: Asked, span: Array, here: Codes, group: int, there: Codes, row: int) -> Judged:
    """Run a program for one row; stop as soon as it cannot hold."""
    what, which, leaves, flags, share, doubt, bits, shares, doubts = asked
    found, p, d, top = CERTAIN, 1.0, 0.0, -1
    for at in range(span[0], span[1]):
        do = what[at]
        if do in (BOTH, EITHER):
            top -= 1
            _join(do == EITHER, top, bits, shares, doubts)
            continue
        if do <= LEAF:
            leaf = which[at]
            column = leaves[leaf, 1]
            code = here[group, column] if leaves[leaf, 0] == GROUP else there[row, column]
            place = leaves[leaf, 2] + code
            also, q, e = int(flags[place]), share[place], doubt[place]
        elif do == END:
            also, q, e = int(bits[top]), shares[top], doubts[top]
            top -= 1
        else:
            also, q, e = (CERTAIN, 1.0, 0.0) if do == TRUE else (0, 0.0, 0.0)
        if do in (HOLDS, END):
            found &= also
            if not found & MAY:
                return 0, 0.0, 0.0
            d = _off(d, e, p, q)
            p *= q
        else:
            top += 1
            bits[top], shares[top], doubts[top] = also, q, e
    return found, p, d


@compiled
def _add(sums: Floats, found: int, p: float, d: float, rows: float) -> None:
    """Count rows that are alike: Σp, Σp², M, Y, M and Y on time, may be late, and Σ√d."""
    sums[0] += rows * p
    sums[1] += rows * p * p
    if found & MAY:
        sums[3] += rows
        if found & MUST:
            sums[2] += rows
    if found & MAY_ON_TIME:
        sums[5] += rows
        if found & MUST_ON_TIME:
            sums[4] += rows
    if (found & (MAY | MUST)) != (found >> 2):  # the other two flags, moved here, say the same
        sums[6] += rows
    if found & MAY and not found & MUST and d != 0.0:
        sums[7] += rows * np.sqrt(d)


@compiled
def _add_moments(out: Floats, at: int, n: float, x: float, squares: float, r: float) -> None:
    """Add what a group says of how rows and values go together."""
    out[at, MOMENTS] += 1.0
    out[at, MOMENTS + 1] += n
    out[at, MOMENTS + 2] += n * n
    out[at, MOMENTS + 3] += x
    out[at, MOMENTS + 4] += n * x
    out[at, MOMENTS + 5] += x * x
    out[at, MOMENTS + 6] += r
    out[at, MOMENTS + 7] += n * r
    out[at, MOMENTS + 8] += r * r
    out[at, MOMENTS + 9] += x * r
    out[at, MOMENTS + 10] += squares
    out[at, MOMENTS + 11] += r * (n - r) / n


@compiled
def _settle(
    out: Floats, at: int, sums: Floats, n: float, r: float, fake: float, valued: bool
) -> None:
    """Add what a group says to the figures of a question."""
    once, twice, must, may = sums[0], sums[1], sums[2], sums[3]
    on_time_must, on_time_may, late = sums[4], sums[5], sums[6]
    if valued:
        _add_moments(out, at, n, once, twice, r)
        if r == 0.0:
            return
    out[at, ESTIMATE] += once * r / n
    out[at, LOW] += max(0.0, must - (n - r))
    out[at, HIGH] += min(may, r)
    spread = (once - twice) * r / n
    out[at, LEAN] += sums[7] * r / n
    if 0.0 < r < n:
        between = max(r * (n - r) / n * (twice - once * once / n), 0.0)
        spread += between / (n - 1.0)
        out[at, LEAN] += 0.0 if valued else np.sqrt(OF_COUNTERFEITS * between)
    out[at, VARIANCE] += max(spread, 0.0)
    if valued and r < n:
        # Which rows hold the values is open, unless all rows count.
        out[at, CUT] += on_time_may if on_time_must < n - fake else 0.0
    else:
        out[at, CUT] += on_time_may - on_time_must
    if may > 0.0:
        out[at, COUNTERFEITS] += fake
        out[at, LATE] += late


@compiled
def _settle_candidates(
    out: Floats, at: int, sums: Floats, n: float, r: float, valued: bool
) -> None:
    """The same for a group of which each of r people has one of the values."""
    least = most = r
    if valued:
        _add_moments(out, at, n, sums[0], sums[1], r)
        values, least, most, r = r, sums[2], sums[3], sums[0]
        sums[:4] = values
    mean, square, must, may = sums[0] / n, sums[1] / n, sums[2], sums[3]
    out[at, ESTIMATE] += r * mean
    out[at, LOW] += least if must == n else 0.0
    out[at, HIGH] += most if may > 0.0 else 0.0
    out[at, VARIANCE] += max(r * mean * (1.0 - mean), 0.0)
    apart = max(square - mean * mean, 0.0)
    out[at, LEAN] += sums[7] * r / n + r * np.sqrt(OF_CHANGES * apart)
    out[at, LEAN] += np.sqrt(OF_COUNTERFEITS * r * (n - r) * apart)
    out[at, CUT] += sums[5] - sums[4]
    out[at, CANDIDATES] += most if 0.0 < may < n or 0.0 < must < n else 0.0
    out[at, LATE] += sums[6] if may > 0.0 else 0.0


@compiled
def _held(asked: Asked, span: Array, here: Codes, group: int, values: OfRows) -> float:
    """Count the values of a group that meet the condition."""
    (valued, starts, times), r = values, 0.0
    for value in range(starts[group], starts[group + 1]):
        found, _, _ = _judge(asked, span, here, group, valued, value)
        if found & MUST:
            r += times[value]
    return r


@compiled
def _count_rows(
    asked: Asked, span: Array, here: Codes, group: int, rows: OfRows, so_far: Judged, sums: Floats
) -> float:
    """Count the rows of a group that meet the rest for sure, and add up those that may."""
    what, which, leaves, flags, share, doubt, _, _, _ = asked
    (there, starts, alike), (found, p, d), sure = rows, so_far, 0.0
    # Mostly the rest is one leaf on the rows, which needs no program.
    leaf = which[span[0]]
    single = span[1] == span[0] + 1 and what[span[0]] == HOLDS and leaves[leaf, 0] != GROUP
    column, base = leaves[leaf, 1], leaves[leaf, 2]
    for row in range(starts[group], starts[group + 1]):
        if single:
            at = base + there[row, column]
            also, q, e = int(flags[at]), share[at], doubt[at]
        else:
            also, q, e = _judge(asked, span, here, group, there, row)
        if also == CERTAIN and q == 1.0:
            sure += alike[row]
        elif also & found:
            _add(sums, found & also, p * q, _off(d, e, p, q), float(alike[row]))
    return sure


@compiled
def totals(
    layout: Layout, leaves: Leaves, tables: Tables, programs: Programs, spans: Array, out: Floats
) -> None:
    """Compute the figures of some questions, each over all groups.

    Parameters
    ----------
    spans
        For each question, from where to where in the programs that of its groups, of its rows
        and of its values stands.
    out
        The figures and moments, a row for each question; they are added to what is there.
    """
    (here, size, fake, candidates), rows, values = layout
    there = rows[0]  # once: arrays are counted in and out each time that they are taken
    apart = len(values[2]) > 0  # then rows are of people, and known as such
    asked = _asked(leaves, tables, programs)
    sums = np.zeros(8)
    for question in range(len(spans)):
        of_group, of_rows, of_values = spans[question, 0], spans[question, 1], spans[question, 2]
        by_row, by_value = of_rows[0] < of_rows[1], of_values[0] < of_values[1]
        for group in range(len(size)):
            found, p, d = _judge(asked, of_group, here, group, there, 0)
            if not found & MAY:
                continue
            n = float(size[group])
            r = real = n - fake[group]
            if by_value:
                r = _held(asked, of_values, here, group, values)
                if r == 0.0 and not by_row:
                    continue
            elif apart:
                n = real
            sums[:] = 0.0
            sure = real if apart else n
            if by_row:
                sure = _count_rows(asked, of_rows, here, group, rows, (found, p, d), sums)
            _add(sums, found, p, d, sure)
            if candidates[group] and (by_value or not apart):
                _settle_candidates(out, question, sums, n, r, by_value)
            else:
                _settle(out, question, sums, n, r, n - real, by_value)


@compiled
def each(
    layout: Layout,
    leaves: Leaves,
    tables: Tables,
    programs: Programs,
    spans: Array,
    of_rows: tuple[Bytes, Floats, Floats],
    of_values: Bytes,
) -> None:
    """Say of every row, and of every value beside them, how it stands to one question."""
    (here, size, _, _), (there, row_start, _), (valued, value_start, _) = layout
    asked = _asked(leaves, tables, programs)
    for group in range(len(size)):
        found, p, d = _judge(asked, spans[0], here, group, there, 0)
        for row in range(row_start[group], row_start[group + 1]):
            and_found, and_p, and_d = _judge(asked, spans[1], here, group, there, row)
            of_rows[0][row] = found & and_found
            of_rows[1][row] = p * and_p
            of_rows[2][row] = _off(d, and_d, p, and_p)
        for value in range(value_start[group], value_start[group + 1]):
            of_values[value] = _judge(asked, spans[2], here, group, valued, value)[0]
