"""What a person claims of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from anachron.errors import PlanError, Problem

__all__ = ["FORMS", "MODELS", "Claim"]

Model = Literal["k-anonymity", "l-diversity", "m-invariance"]
"""What a table can be checked against."""
Meant = Literal["distinct", "frequency"]
"""How l is meant: so many different values, or no value with more than one in l."""
MODELS, FORMS = get_args(Model), get_args(Meant)
_MOST = 10**15
"""No table has groups of so many; and beyond it the engine would not compare exactly."""
_LETTER = {"k-anonymity": "k", "l-diversity": "l", "m-invariance": "m"}


@dataclass(frozen=True)
class Claim:
    """Say what a table is claimed to be, and which column plays which role.

    Parameters
    ----------
    model
        ``"k-anonymity"``, ``"l-diversity"`` or ``"m-invariance"``.
    quasi
        The columns that an outsider may know. An interval in two columns is written as one text
        with a slash, ``"age_low/age_high"``; so is plain ``"age"``, if there is no such column
        but ``age_low`` and ``age_high``.
    k, l, m
        The number of the model. ``l`` may be a fraction, such as ``"5/2"``.
    form
        For l-diversity: ``"distinct"`` asks for l different values in each group,
        ``"frequency"`` that no value has more than one in l of its people.
    sensitive
        The columns with what is to be hidden; for m-invariance, one.
    subject
        The column that tells people apart. Without it rows are counted, and the verdict says so.
        In a table with counterfeits, theirs is missing.
    time
        A column with times or periods, one more that an outsider may know.
    group
        A column that numbers the groups, where equal cells are not enough to tell them apart.
    releases
        For m-invariance: the tables that were released after the first, in their order.
    skip_suppressed
        Leave rows out of account in which every quasi cell is ``*`` or missing, as some tools do.
        An outsider who finds nobody like Ann elsewhere knows that hers is one of them.

    Example
    -------
    >>> from anachron.auditing.foreign import Claim
    >>> str(Claim("k-anonymity", quasi=["age", "zip"], k=5, subject="patient"))
    'k-anonymity(k=5)'
    """

    model: Model
    quasi: tuple[str, ...]
    k: int | None = None
    l: Fraction | None = None  # noqa: E741
    m: int | None = None
    form: Meant = "distinct"
    sensitive: tuple[str, ...] = ()
    subject: str | None = None
    time: str | None = None
    group: str | None = None
    releases: tuple[object, ...] = ()
    skip_suppressed: bool = False

    def __init__(
        self,
        model: Model,
        quasi: str | Iterable[str] = (),
        *,
        k: int | None = None,
        l: Fraction | int | str | None = None,  # noqa: E741
        m: int | None = None,
        form: Meant = "distinct",
        sensitive: str | Iterable[str] = (),
        subject: str | None = None,
        time: str | None = None,
        group: str | None = None,
        releases: Iterable[object] = (),
        skip_suppressed: bool = False,
    ) -> None:
        given = {
            "model": model,
            "quasi": (quasi,) if isinstance(quasi, str) else tuple(quasi),
            "k": k,
            "l": _fraction(l),
            "m": m,
            "form": form,
            "sensitive": (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
            "subject": subject,
            "time": time,
            "group": group,
            "releases": tuple(releases),
            "skip_suppressed": skip_suppressed,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        problems = list(_problems(self))
        if problems:
            raise PlanError(problems)

    @property
    def known(self) -> tuple[str, ...]:
        """All columns that an outsider may know, the time among them."""
        return self.quasi if self.time is None else (*self.quasi, self.time)

    def __str__(self) -> str:
        letter = _LETTER[self.model]
        form = f", {self.form}" if self.model == "l-diversity" else ""
        return f"{self.model}({letter}={getattr(self, letter)}{form})"


def _fraction(given: Fraction | int | str | None) -> Fraction | None:
    try:
        return given if given is None else Fraction(given)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError):
        raise PlanError("l must be a number such as 3, 2.5 or 5/2.") from None


def _problems(claim: Claim) -> Iterator[Problem]:
    if claim.model not in MODELS:
        yield Problem(f"a table can be checked as one of {', '.join(MODELS)}.")
        return
    yield from _numbers(claim)
    if claim.form not in FORMS:
        yield Problem(f"form must be one of {', '.join(FORMS)}.")
    if not claim.known:
        yield Problem(
            "no column is named that an outsider may know.", remedy="Name the quasi columns."
        )
    if claim.model != "k-anonymity" and not claim.sensitive:
        yield Problem(f"{claim.model} needs a sensitive column.", remedy="Name it.")
    if claim.model == "m-invariance" and len(claim.sensitive) > 1:
        yield Problem("m-invariance is about one sensitive column.", remedy="Name one.")
    if claim.model != "m-invariance" and claim.releases:
        yield Problem("only m-invariance is about several releases.", remedy="Give one table.")
    yield from _repeated(claim)


def _numbers(claim: Claim) -> Iterator[Problem]:
    letter = _LETTER[claim.model]
    number = getattr(claim, letter)
    if number is None:
        yield Problem(f"{claim.model} needs a number.", remedy=f"Give {letter}.")
    elif letter == "l" and number <= 1:
        yield Problem("l must be greater than 1.")
    elif letter != "l" and (isinstance(number, bool) or not isinstance(number, int) or number < 2):
        yield Problem(f"{letter} must be a whole number of at least 2.")
    elif number > _MOST:
        yield Problem(f"{letter} must be at most {_MOST:,}.")
    for other in sorted(set(_LETTER.values()) - {letter}):
        if getattr(claim, other) is not None:
            yield Problem(f"{other} says nothing about {claim.model}.", remedy=f"Give {letter}.")


def _repeated(claim: Claim) -> Iterator[Problem]:
    single = (claim.subject, claim.group)
    columns = [*claim.known, *claim.sensitive, *(name for name in single if name is not None)]
    if not all(isinstance(column, str) and column for column in columns):
        yield Problem("a column is named that is not a text, or is empty.")
    else:
        for column in sorted({name for name in columns if columns.count(name) > 1}):
            yield Problem("has more than one role.", column=column, remedy="Give it one.")
