"""The promise for registers that are released again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from anachron.errors import PlanError, Problem
from anachron.guarantees import grids
from anachron.guarantees.promise import Promise, no_series, one_sensitive, some_quasi, somebody
from anachron.parts.kinds import Lists, by_name, one_of, texts, whole_number
from anachron.parts.numbers import Exact, whole
from anachron.parts.part import Kind, Lasting, Reading, freely, never, part
from anachron.parts.shapes import Holds
from anachron.schema import Schema

__all__ = ["BALANCE", "INELIGIBLE", "MODES", "MInvariance"]

Mode = Literal["paper", "transparent", "sticky"]
Balance = Literal["exact", "paper", "pooled"]
Ineligible = Literal["refuse", "hold"]
Then = Literal["generalize", "anatomy"]
MODES, BALANCE, INELIGIBLE = (get_args(words) for words in (Mode, Balance, Ineligible))


def _different(name: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """Values as texts, in order, each once."""
    if isinstance(given, str):
        raise PlanError(f"{name}: give a list of sensitive values.")
    values = texts(name, given or ())
    if len(set(values)) < len(values):
        raise PlanError(f"{name}: the list has a value twice. List each sensitive value once.")
    return tuple(sorted(values))


def _more(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> bool:
    """Whatever could become what still can. An empty list of changes says that any can."""
    if not before or not after:
        return not after
    return all(set(others) <= set(after.get(value, ())) for value, others in before.items())


_CHANGES = by_name(
    texts,
    Holds("a table with a list of values for each value", dict[str, list[str]], "a list of texts"),
)
_VALUES = Kind(Holds("a list of values", list[str]), _different)


class _Unsaid(int):
    """A number that nobody gave: it stands where it has a meaning, and else it is no mistake."""


def _step(name: str, given: object) -> int | None:
    """A step by which counts are rounded, or the word for none."""
    if isinstance(given, _Unsaid):
        return given
    return None if given == _NONE else whole(name, given, least=_LEAST_STEP)


_NONE, _LEAST_STEP, _USUAL_STEP = "none", 5, _Unsaid(25)
_STEP = Kind(
    Holds(f'a whole number from {_LEAST_STEP}, or "{_NONE}"', int | Literal["none"]),
    _step,
    none=_NONE,
)


@dataclass(frozen=True, init=False, repr=False)
class MInvariance(Promise):
    """Every person keeps the same set of at least m possible values through all releases.

    For a register of people, one row each, that is released again and again while people come,
    leave, return and change.

    Parameters
    ----------
    m
        How many sensitive values remain possible for each person, at least.
    mode
        ``"paper"`` needs the fewest counterfeits, but who knows the algorithm may learn from
        how shortages were filled; ``"transparent"`` fills every shortage with a counterfeit;
        ``"sticky"`` also never regroups people: whose value changes to another one of the set
        stays, so that from then on the values of a group are candidates.
    balance
        ``"exact"`` uses the fewest counterfeits possible for the release; ``"paper"`` is the
        greedy way of Xiao and Tao. In mode ``"transparent"``, where both come to the same,
        ``"pooled"`` lets new people first join sets that others have, as many of each value of a
        set, and only the rest open further ones: the longer a history, the more counterfeits that
        saves.
    when_ineligible
        What to do when the new people have too many of one value: ``"refuse"`` the release, or
        ``"hold"`` the fewest back and offer them to the next one.
    widths
        The least width of a published interval, by quasi column. Whole numbers need none;
        columns with fractions do.
    orders
        For quasi columns of text: their values, in the order in which neighbours are alike.
    domains
        The lowest and highest value that each numeric quasi column can have, by which its
        intervals are weighed; without it, what the table spans. It moves no bound.
    changes
        For each sensitive value, those that it can change to. A value that is not listed can
        change to no other; without any list, every value can change to any. If nothing is listed
        for any of them, no value ever changes: a table in which one did is refused. Mode
        ``"transparent"`` takes that alone, or that any of ``values`` can become any.
    values
        The sensitive values that there can be, whether anybody has them now or not. Whoever
        changes to a value that no release has shown gets a new set, and if that could only be
        made of values that somebody has, it would tell; so ``"transparent"`` and ``"sticky"``
        make it of these, and of what was published before.
    margins
        The step of the margins that are published beside the groups: of each quasi column, how
        many of the published people have each value, or lie in each class of a column of many
        values, rounded down to a multiple of the step. What fewer have is not named. Questions
        weigh intervals by them, and are answered better. None leaves them out; in a plan,
        ``"none"`` does. With ``then="anatomy"`` there are none.
    then
        How groups are published: ``"generalize"`` (quasi columns as intervals, beside each value)
        or ``"anatomy"`` (quasi columns as they are, sensitive values in a table beside them).
        Groups and sets of values are the same, and so is what is promised of values; but with
        ``"anatomy"`` everybody sees who is in the register, and their exact quasi values. It has
        no ``widths``, ``orders``, ``domains`` and ``margins``.

    Notes
    -----
    Margins count published people, and no counterfeits. They are a function of who is in a release
    and of their quasi values, both of which m-invariance takes to be known to everybody who looks;
    given these, they depend on no sensitive value, nor on how people are grouped. Who knows less
    learns from them how common a value of a single quasi column is, to one step. Who knows all
    quasi values, but not who is held back, may see from a count that is a step lower in which class
    somebody is missing, as from intervals that hold nobody else: see docs/promises-and-limits.md.

    Example
    -------
    >>> import anachron as an
    >>> an.MInvariance(m=5, widths={"income": 1000})
    MInvariance(m=5, mode='paper', balance='exact', when_ineligible='refuse', then='generalize')
    """

    method: ClassVar[str] = "invariance"
    bytes_a_row: ClassVar[int] = 650

    m: int = part(
        whole_number(2),
        never(
            "people keep the sets that they have: a larger m they would break, and a smaller one "
            "promises less than they were given"
        ),
        shown=True,
    )
    mode: Mode = part(
        one_of(Mode),
        never("it says what nobody can learn from the releases together, the first one included"),
        shown=True,
    )
    balance: Balance = part(
        one_of(Balance),
        freely("it decides how many counterfeits are used, not what remains possible"),
        shown=True,
    )
    when_ineligible: Ineligible = part(
        one_of(Ineligible),
        freely(
            "it decides whether some people are held back or nobody is published, and each "
            "release says which"
        ),
        shown=True,
    )
    widths: grids.Widths = part(grids.WIDTHS)
    orders: Lists = part(grids.ORDERS)
    domains: grids.Domains = part(grids.DOMAINS)
    changes: Lists = part(
        _CHANGES,
        Lasting(
            "changes may be added, or all allowed",
            "a set that left m possible values still does when more can become what, and may "
            "not when less can",
            _more,
            planned=False,
        ),
        remark='For example, `acute = ["chronic", "healed"]`.',
    )
    values: tuple[str, ...] = part(
        _VALUES,
        Lasting(
            "values may be added",
            "a set is made of values that could occur when it was drawn, and they still can",
            lambda before, after: set(before or ()) <= set(after or ()),
            planned=False,
        ),
        before=(),
        remark="A value that is in neither is refused.",
    )
    margins: int | None = part(
        _STEP,
        Lasting(
            "margins may begin, end, or go over to a whole multiple",
            "a count that is rounded down to a multiple follows from what it was rounded to "
            "before, and no two releases together are finer",
            lambda before, after: not before or not after or after % before == 0,
            planned=False,
        ),
        optional=True,
        before=None,
        written=lambda promise: promise.then == "generalize",
    )
    then: Then = part(
        one_of(Then),
        never(
            "people of one register are published in one way: what intervals covered would be "
            "shown, and what was shown stays known"
        ),
        shown=True,
        before="generalize",
    )

    def __init__(
        self,
        *,
        m: int,
        mode: Mode = "paper",
        balance: Balance = "exact",
        when_ineligible: Ineligible = "refuse",
        widths: Mapping[str, Exact] | None = None,
        orders: Mapping[str, Iterable[str]] | None = None,
        domains: Mapping[str, Iterable[Exact]] | None = None,
        changes: Mapping[str, Iterable[str]] | None = None,
        values: Iterable[str] | None = None,
        margins: int | Literal["none"] | None = _USUAL_STEP,
        then: Then = "generalize",
    ) -> None:
        self._keep(locals())

    @classmethod
    def _settle(cls, reading: Reading) -> None:
        mode = reading.kept.get("mode", "transparent")
        if reading.kept.get("balance") == "pooled" and mode != "transparent":
            reading.add(
                f'balance = "pooled" is not for mode "{mode}".',
                'Set balance to "exact", or mode to "transparent".',
            )
        _settle_then(reading)

    @property
    def constant(self) -> bool:
        """Whether it is declared that no value ever changes to another.

        >>> MInvariance(m=2).constant, MInvariance(m=2, changes={"flu": [], "hiv": []}).constant
        (False, True)
        """
        return bool(self.changes) and all(set(can) <= {value} for value, can in self.changes)

    def exact(self, number: int) -> bool:
        """Whether the people of a group have different values in the release of that number.

        In mode ``"sticky"`` they do when a group is new, and need not after their values changed.

        >>> MInvariance(m=2).exact(7), MInvariance(m=2, mode="sticky").exact(7)
        (True, False)
        """
        return self.mode != "sticky" or self.constant or number == 1

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        yield from somebody(schema, "a register is one of people who are known again")
        yield from no_series(schema, self.method)
        yield from one_sensitive(schema, f"the method {self.method}")
        if schema.time:
            yield Problem(
                f"schema.time has no meaning for the method {self.method}.",
                remedy="Remove it: a register has one row for each person, and no times.",
            )
        yield from some_quasi(schema, f"the method {self.method}")


def _settle_then(reading: Reading) -> None:
    """Margins where there are intervals, if they are not spoken of; of exact values, no grid."""
    kept = reading.kept
    margins = kept.get("margins")
    if isinstance(margins, _Unsaid):
        kept["margins"] = None if kept.get("then") == "anatomy" else int(margins)
    if kept.get("then") == "anatomy":
        for name in ("widths", "orders", "domains", "margins"):
            if kept.get(name):
                reading.add(f"{name} has no meaning with then = 'anatomy'.", "Remove it.")
