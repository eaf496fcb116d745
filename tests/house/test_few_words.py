"""Where one of a few words is taken, the signature names them: editors offer them.

Each list of words is said once, as a ``Literal``; here the signatures are held against what is
taken indeed, so that they cannot part.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import anachron as an
from anachron.auditing.foreign import FORMS, MODELS, Claim
from anachron.cli.audit import audit
from anachron.cli.init import init
from anachron.cli.publish import publish
from anachron.errors import PlanError
from anachron.making.refusing import Acceptable, accepted
from anachron.methods.doubts import ACCEPTABLE
from anachron.parts.part import Part, defaults, parts_of
from anachron.registry import METHODS, MethodName
from anachron.tabular import Frame

VALUES = [an.Schema, *(method.promise.load() for method in METHODS.values())]


def words(kind: Any) -> frozenset[str]:
    """The words of all literals in a type."""
    if get_origin(kind) is Literal:
        return frozenset(get_args(kind))
    return frozenset().union(*(words(inner) for inner in get_args(kind)))


def declared(part: Part) -> frozenset[str]:
    """The words that a part takes, as it tells them to people."""
    told = part.kind.holds.expects
    return frozenset(told.removeprefix("one of ").split(", ") if told.startswith("one of ") else ())


PARTS = [
    pytest.param(of, name, part, id=f"{of.__name__}.{name}")
    for of in VALUES
    for name, part in parts_of(of).items()
    if declared(part)
]


@pytest.mark.parametrize(("of", "name", "part"), PARTS)
def test_signatures_name_the_words_that_are_taken(of: type[Any], name: str, part: Part) -> None:
    given = words(get_type_hints(of.__init__)[name])
    assert given == declared(part) == words(get_type_hints(of)[name])
    for word in given:
        assert part.kind.read(name, word) == word
        explained = f'"{word}"' in (of.__doc__ or "")
        assert explained or word == defaults(of)[name]
    with pytest.raises(PlanError, match=f"{name} must be one of"):
        part.kind.read(name, "no such word")


def test_where_words_are_not_all_that_is_taken() -> None:
    for word in words(get_type_hints(an.Reposition.__init__)["then"]):
        assert an.Reposition(l=2, window=2, then=word).then == word  # type: ignore[arg-type]
    for word in words(get_type_hints(an.Reposition.__init__)["mu"]):
        assert an.Reposition(l=2, window=2, mu=word).mu == word  # type: ignore[arg-type]


def test_the_parts_with_few_words_are_these() -> None:
    few = {f"{of.__name__}.{name}" for of in VALUES for name in parts_of(of) if _is_few(of, name)}
    assert few >= {
        "Schema.time_unit", "Schema.spelling",
        "TimeGranularity.metric", "TimeGranularity.keep",
        "MInvariance.mode", "MInvariance.balance", "MInvariance.when_ineligible",
        "Reposition.solver", "Reposition.first", "Reposition.mu", "Reposition.late",
        "Reposition.repeated", "Reposition.then",
        "KPAnonymity.algorithm", "KPAnonymity.objective", "KPAnonymity.diversity",
        "KPAnonymity.gaps",
    }  # fmt: skip


def _is_few(of: type[Any], name: str) -> bool:
    return bool(words(get_type_hints(of.__init__)[name]))


def annotated(what: Any, name: str) -> frozenset[str]:
    """The words that a function names for a parameter; its types may not be loaded yet."""
    told = inspect.signature(what).parameters[name].annotation
    names = {"Acceptable": Acceptable, "Frame": Frame, "MethodName": MethodName}
    # S307: from our own source.
    return words(eval(told, {**vars(inspect.getmodule(what)), **names}))


def test_verbs_name_theirs() -> None:
    assert annotated(an.publish, "accept") == ACCEPTABLE == accepted(tuple(ACCEPTABLE))
    assert annotated(an.propose, "method") == set(METHODS)
    assert annotated(an.Release.to, "kind") == set(get_args(Frame))
    assert annotated(Claim.__init__, "model") == set(MODELS)
    assert annotated(Claim.__init__, "form") == set(FORMS)


def choices(command: Any) -> Iterator[frozenset[str]]:
    for parameter in command.params:
        if hasattr(parameter.type, "choices"):
            yield frozenset(parameter.type.choices)


def test_commands_offer_the_same() -> None:
    assert ACCEPTABLE in choices(publish)
    assert set(METHODS) <= frozenset().union(*choices(init))
    assert {frozenset(MODELS), frozenset(FORMS)} <= set(choices(audit))
