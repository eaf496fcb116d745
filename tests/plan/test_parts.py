"""Parts are declared once: everything else follows, also for a promise that nobody knows yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import FrozenInstanceError, dataclass, replace
from datetime import date
from decimal import Decimal
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from anachron import Granularity, Plan, Schema
from anachron.errors import PlanError, Problem
from anachron.guarantees import from_dict, promises
from anachron.guarantees.promise import Promise, a_time
from anachron.parts.kinds import GRANULARITY, SIZE, names, one_of, whole_number
from anachron.parts.numbers import Exact
from anachron.parts.part import part, parts_of
from anachron.parts.shapes import Moment, Number, Text, wrong
from anachron.registry import METHODS, Part, registered

KNOWN = [Schema, Plan, *promises().values()]


@pytest.mark.parametrize("kind", KNOWN)
def test_a_constructor_takes_the_parts_that_are_declared(kind: type) -> None:
    assert set(signature(kind).parameters) == set(parts_of(kind))


@pytest.mark.parametrize("kind", KNOWN)
def test_the_docstring_of_a_class_names_its_parts(kind: type) -> None:
    lines = {
        name for line in (kind.__doc__ or "").splitlines() for name in line.strip().split(", ")
    }
    assert set(parts_of(kind)) <= lines


Way = Literal["near", "far"]


@dataclass(frozen=True, init=False, repr=False)
class Fifth(Promise):
    """Something else is promised."""

    method: ClassVar[str] = "fifth"

    q: int = part(whole_number(3, 9), shown=True)
    way: Way = part(one_of(Way), shown=True)
    step: Decimal | None = part(SIZE, optional=True, shown=True)
    places: tuple[str, ...] | None = part(names("a list of places"), optional=True)
    by: Granularity = part(GRANULARITY, shown=True)

    def __init__(
        self,
        *,
        q: int,
        way: Way = "near",
        step: Exact | None = None,
        places: str | Iterable[str] | None = None,
        by: str | Granularity = "day",
    ) -> None:
        self._keep(locals())

    def _needs(self, schema: Schema) -> Iterator[Problem]:
        yield from a_time(schema)


SHIFT = Granularity.every("shift", 8, "hour", anchor="2025-01-01 06:00")


@pytest.fixture
def fifth() -> Iterator[Fifth]:
    promise = Part("tests.plan.test_parts:Fifth")
    with registered(replace(METHODS["granularity"], name="fifth", promise=promise)):
        yield Fifth(q=4, way="far", step="0.50", places="Rome", by=SHIFT)


def test_a_new_promise_is_a_frozen_value(fifth: Fifth) -> None:
    assert repr(fifth) == "Fifth(q=4, way='far', step=0.50, by=shift)"
    assert repr(Fifth(q=4)) == "Fifth(q=4, way='near', by=day)"
    assert from_dict(fifth.to_dict()) == fifth
    assert fifth.to_dict()["step"] == "0.5"
    with pytest.raises(FrozenInstanceError):
        fifth.q = 5  # type: ignore[misc]


def test_a_new_promise_is_written_to_a_plan_and_read(fifth: Fifth, tmp_path: Path) -> None:
    plan = Plan(tmp_path / "t.csv", Schema("p", "t"), fifth, tmp_path / "r", tmp_path / "l")
    text = plan.write(tmp_path / "plan.toml").read_text()
    assert 'step = "0.5"\nplaces = ["Rome"]\nby = "shift"\n\n[calendar.shift]' in text
    assert Plan.read(tmp_path / "plan.toml") == plan


def test_all_that_is_wrong_with_a_new_promise_is_told(fifth: Fifth, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as error:
        Fifth(q=2, way="off", step=0, places=["a", "a"], by="shift")
    assert len(error.value.problems) == 5
    with pytest.raises(PlanError, match=r"'schema\.time' is missing"):
        Plan("t.csv", Schema("p"), fifth)
    file = tmp_path / "plan.toml"
    head = "[source]\ntable='t'\n[schema]\nsubject='p'\ntime='t'\n[guarantee]\n"
    file.write_text(head + "q=2\nway='off'\nsteps=1\nplaces=['a', '']\nby='hift'")
    with pytest.raises(PlanError) as error:
        Plan.read(file)
    told = str(error.value)
    assert '"patterns" or "fifth"' in told, "no method, but only this one asks for q"
    assert "unknown key 'guarantee.steps'. Did you mean 'step'?" in told
    assert "guarantee.places must be a list of places; item 2 is empty." in told
    file.write_text(head + "method='fifth'\nq=2\nway='off'\nby='hift'")
    with pytest.raises(PlanError) as error:
        Plan.read(file)
    assert [problem.what for problem in error.value.problems] == [
        "guarantee.by: 'hift' is neither built in nor defined under [calendar].",
        "guarantee.q must be a whole number from 3 to 9, found 2.",
        "guarantee.way must be one of near, far.",
    ]


@pytest.mark.parametrize(
    ("value", "kind", "where"),
    [
        ("a", Text, []),
        ("", Text, [()]),
        ("", str, []),
        (True, int, [()]),
        (True, Number, [()]),
        (1, bool, [()]),
        (date(2025, 1, 1), Moment, []),
        ({"a": object()}, Any, []),
        ("b", Literal["a"], [()]),
        (["a", "", 1], list[Text], [(1,)]),
        ([[1], [1, "x"]], list[list[int]], [(1, 1)]),
        ([1, 2], tuple[int, int], []),
        ([1], tuple[int, int], [()]),
        ([1, 2, 3], tuple[int, int], [()]),
        ("a", list[int], [()]),
        ({"a": 1, "b": "x", "c": []}, dict[str, int], [("b",), ("c",)]),
        ({"a": [1, "x"]}, dict[str, Text | list[int]], [("a", 1)]),
        (5, Text | dict[str, Any], [()]),
    ],
)
def test_where_a_value_is_not_of_its_type(value: Any, kind: Any, where: list[Any]) -> None:
    assert wrong(value, kind) == where
