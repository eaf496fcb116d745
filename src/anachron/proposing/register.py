"""A register that is released again: m, its mode, and the values that there can be."""

from __future__ import annotations

from anachron.errors import InputError
from anachron.guarantees import MInvariance
from anachron.proposing.look import Look
from anachron.proposing.promises import Promising, content, counted, one_row_each, rounded

__all__ = ["REGISTER"]


def _invariance(_k: int, found: Look) -> MInvariance:
    if not found.person.columns:
        raise InputError(
            "no column tells people apart, and a register is one of people who are known again.",
            found.name,
            remedy="Name the column of the person with --subject; or, for events, their time with "
            "--time.",
        )
    one_row_each(found, "A register has")
    quasi, secret = found.named("quasi"), content(found)
    if not quasi:
        raise InputError(
            "no column looks like what outsiders know.",
            found.name,
            remedy="Name those that they may know with --quasi.",
        )
    counts = counted(found, secret, "declare")
    most = max(counts.values(), default=0)
    if 2 * most > found.rows:
        raise InputError(
            "more than half of the people have the same value, so that no m can be kept.",
            found.name,
            secret.name,
            remedy="Name another column with --sensitive, or publish people of whom fewer have it.",
        )
    # Of the first people, at most one in m may have the same value.
    m = 3 if len(counts) >= 8 and 3 * most <= found.rows else 2
    return MInvariance(
        m=m,
        # With fewer values there may be no set for somebody whose value changes.
        mode="transparent" if len(counts) >= 3 * m - 1 else "paper",
        widths={c.name: rounded(c.width, 2) for c in quasi if c.form == "fraction"},
        orders={
            c.name: tuple(counted(found, c, "put in an order")) for c in quasi if c.form == "text"
        },
        values=tuple(counts),
    )


REGISTER = Promising(
    _invariance,
    {
        "m": "So many sensitive values remain possible for each person, in all releases.",
        "mode": "paper needs the fewest counterfeits; transparent tells nothing to whoever knows "
        "the\nalgorithm, and wants 3 m - 1 values; sticky never regroups people.",
        "when_ineligible": "New people with too many of one value: refuse the release, or hold "
        "the fewest back\n(in mode paper).",
        "widths": "The least width of a published interval, for columns with fractions.",
        "orders": "Texts in the order in which neighbours are alike. They are in alphabetical "
        "order now.",
        "then": "generalize publishes the quasi columns as intervals; anatomy as they are, which "
        "shows who\nis in the register.",
        "values": "All values that there can be. These occur in the table: add those that may "
        "come.\nThey are published with the guarantee.",
    },
    has_time=False,
    one_sensitive=True,
    full=("quasi", "sensitive"),
    on_axes=True,
)
