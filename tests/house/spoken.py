"""What the audit and the attacks can say, read from their source: every text, with its gaps filled.

Texts are followed from where they are handed over (``Found``, ``measured``, an error that is shown)
back through names, branches and small functions to the literals that they are made of. A gap is
filled with what the source puts there: a quoted name, several things, else a number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product

from tests.house.sources import Room, assigned, rooms, walked

Texts = frozenset[str]
Bound = Mapping[str, Texts]
NUMBER: Texts = frozenset({"7"})
"""What fills a gap of which nothing is known."""
GIVEN = {
    "place": frozenset({"row group 1, column 2", "statistics"}),
    "finding": frozenset({"a run of no values"}),
    "how": frozenset({"cannot be read"}),
    "found.counted": frozenset({"people", "rows"}),
    "found.unit": frozenset({"people", "rows"}),
}
"""What comes from afar, by the name that it has where it is said."""
SHOWN = {
    "Found": ("wrong", "fine", "groups", "where", "promised", "about"),
    "measured": ("text", "right", "where", "promised"),
    "Counted": ("wrong", "sums", "where"),
    "Beside": ("text",),
    "Unfit": ("text",),
    "Misfit": ("text",),
    "Finding": (),
}
"""Who takes texts that a certificate shows, and what the first of them are called there."""
SAID = {
    "text",
    "fine",
    "where",
    "promised",
    "about",
    "sums",
    "title",
    "knows",
    "measured",
    "sampled",
}
FIGURES = ("Figures", "dict[str, int | str]")
"""What functions give that measure something."""


@cache
def properties() -> Mapping[str, tuple[Room, ast.FunctionDef]]:
    """What can be asked of a thing by name, and says something."""
    return {
        node.name: (there, node)
        for there in rooms("anachron.auditing.reading", "anachron.parquet")
        for node in there.functions
        if any(ast.unparse(way) == "property" for way in node.decorator_list)
        and ast.unparse(node.returns or node) == "str"
    }


@dataclass(frozen=True)
class Scope:
    """Where a text is said."""

    room: Room
    function: ast.FunctionDef
    bound: Bound = field(default_factory=dict)
    """What names stand for."""
    within: tuple[str, ...] = ()
    """What is being followed already."""

    def texts(self, node: ast.expr | None) -> Texts:
        """All that an expression can say."""
        match node:
            case ast.Constant(value=str(text)):
                return frozenset({text})
            case ast.JoinedStr(values=parts):
                return _products(self.texts(part) for part in parts)
            case ast.FormattedValue(conversion=114):
                return frozenset({"'one'"})
            case ast.FormattedValue(value=value) | ast.Starred(value=value):
                return self.texts(value)
            case ast.IfExp(body=one, orelse=other):
                return self.texts(one) | self.texts(other)
            case ast.BoolOp(values=some) | ast.Tuple(elts=some) | ast.List(elts=some):
                return _united(map(self.texts, some))
            case ast.BinOp(right=ast.Constant(value=int())):
                return NUMBER
            case ast.BinOp(left=ast.List() | ast.ListComp() as one, op=ast.Add(), right=other):
                return self.texts(one) | self.texts(other)
            case ast.BinOp(left=one, op=ast.Add(), right=other):
                return _products([self.texts(one), self.texts(other)])
        return self._followed(node)

    def _followed(self, node: ast.expr | None) -> Texts:
        """What is said elsewhere, or in a loop."""
        match node:
            case (
                ast.GeneratorExp(elt=one, generators=loops)
                | ast.ListComp(elt=one, generators=loops)
            ):
                return self._looping(loops).texts(one)
            case ast.Subscript(value=ast.Name(id=name)):
                maps = (held for held in self._assigned(name) if isinstance(held, ast.Dict))
                return _united(self.texts(one) for held in maps for one in held.values) or NUMBER
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute(value=ast.Name(id=name), attr="about"):
                return self._about(name)
            case ast.Attribute(attr=name) if name in properties():
                there, function = properties()[name]
                return Scope(there, function)._given() or NUMBER
            case ast.Call():
                return self._called(node)
        return frozenset({""}) if node is None else GIVEN.get(ast.unparse(node), NUMBER)

    def keys(self, node: ast.expr | None) -> Texts:
        """All keys of a mapping."""
        match node:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return _united(self.texts(k) if k else self.keys(value) for k, value in pairs)
            case ast.DictComp(key=key, generators=loops):
                return self._looping(loops).texts(key)
            case ast.BinOp(left=one, op=ast.BitOr(), right=other):
                return self.keys(one) | self.keys(other)
            case ast.IfExp(body=one, orelse=other):
                return self.keys(one) | self.keys(other)
            case ast.Name(id=name) if name not in self.within:
                inner = replace(self, within=(*self.within, name))
                held = _united(map(inner.keys, self._assigned(name)))
                more = _united(self._written(name))
                return held | more or _united(s.keys(one) for s, one in inner._handed(name))
            case ast.Call(func=ast.Name(id=name)):
                there = self.room.home(name)
                function = there.function(name)
                return Scope(there, function)._given(Scope.keys) if function else frozenset()
        return frozenset()

    def _assigned(self, name: str) -> list[ast.expr]:
        """What a name is set to in the function, else where it comes from."""
        here = list(assigned(walked(self.function), name))
        return here or list(assigned(self.room.home(name).tree.body, name))

    def _written(self, name: str) -> Iterator[Texts]:
        """Keys that are written into a mapping."""
        for node in walked(self.function):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held), slice=key)]):
                    if held == name:
                        yield self.texts(key)
                case ast.AugAssign(target=ast.Name(id=held), op=ast.BitOr(), value=more):
                    if held == name:
                        yield self.keys(more)

    def _named(self, name: str) -> Texts:
        """What a name stands for: as it is set, added to, or handed to the function."""
        if name in self.bound:
            return self.bound[name]
        if name in GIVEN:
            return GIVEN[name]
        if name in self.within:
            return NUMBER
        inner = replace(self, within=(*self.within, name))
        found = _united(map(inner.texts, self._assigned(name)))
        found = found or _united(scope.texts(one) for scope, one in inner._handed(name))
        return found | _united(inner._added(name, found or NUMBER)) or NUMBER

    def _added(self, name: str, before: Texts) -> Iterator[Texts]:
        """What a loop gives to a name, or what is added to a text or a list."""
        for node in walked(self.function):
            match node:
                case ast.For(target=ast.Tuple(elts=[ast.Name(id=held), *_]), iter=ast.Call()):
                    if held == name and isinstance(node.iter.func, ast.Attribute):
                        yield self.keys(node.iter.func.value)
                case ast.AugAssign(target=ast.Name(id=held), op=ast.Add(), value=more):
                    if held == name:
                        yield _products([before, self.texts(more)])
                case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="append")):
                    if held == name:
                        yield self.texts(node.args[0])

    def _handed(self, name: str) -> Iterator[tuple[Scope, ast.expr]]:
        """What the callers in the room hand to the function under a name."""
        names = [one.arg for one in self.function.args.args]
        for caller, call in self.room.calls if name in names else ():
            if getattr(call.func, "id", "") == self.function.name:
                given = dict(zip(names, call.args, strict=False))
                given |= {str(one.arg): one.value for one in call.keywords}
                if name in given:
                    yield Scope(self.room, caller, {}, self.within[:-1]), given[name]

    def _looping(self, loops: list[ast.comprehension]) -> Scope:
        """The same place, inside loops over the keys of mappings, or over what is listed."""
        bound = dict(self.bound)
        for loop in loops:
            match loop.target, loop.iter:
                case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Call(
                    func=ast.Attribute(value=held, attr="items")
                ):
                    bound |= {name: keys} if (keys := self.keys(held)) else {}
                case ast.Tuple(elts=[ast.Name(id=name), *_]), ast.Tuple(elts=some):
                    bound[name] = _united(
                        self.texts(one.elts[0]) for one in some if isinstance(one, ast.Tuple)
                    )
        return replace(self, bound=bound)

    def _about(self, name: str) -> Texts:
        """What a check of this room is about."""
        found = self.room.function(name)
        calls = (way for way in found.decorator_list if isinstance(way, ast.Call)) if found else ()
        return _united(self.texts(way.args[1]) for way in calls) or NUMBER

    def _called(self, node: ast.Call) -> Texts:
        """What a function gives; what joins several gives each of them."""
        match node:
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Call(args=[how, _])]):
                return frozenset({"'one', 'two'" if ast.unparse(how) == "repr" else "7, 8"})
            case ast.Call(func=ast.Attribute(attr="join") | ast.Name(id="tuple"), args=[some]):
                return self.texts(some)
            case ast.Call(func=ast.Attribute(value=form, attr="format")):
                return frozenset(text.replace("{:,}", "7") for text in self.texts(form))
            case ast.Call(func=ast.Name(id=name)) if name not in self.within:
                there = self.room.home(name)
                if (function := there.function(name)) is None:
                    return NUMBER
                names = [one.arg for one in function.args.args]
                bound = dict(zip(names, map(self.texts, node.args), strict=False))
                bound |= {str(one.arg): self.texts(one.value) for one in node.keywords}
                return Scope(there, function, bound, (*self.within, name))._given() or NUMBER
        return NUMBER

    def _given(self, what: Callable[[Scope, ast.expr | None], Texts] = texts) -> Texts:
        """All that the function gives back."""
        nodes = (one.value for one in walked(self.function) if isinstance(one, ast.Return))
        return _united(what(self, node) for node in nodes)


def _united(some: Iterable[Texts]) -> Texts:
    return frozenset().union(*some)


def _products(parts: Iterable[Texts]) -> Texts:
    return frozenset("".join(some) for some in product(*parts))


def said_in(there: Room) -> Iterator[tuple[str, str]]:
    """Every text that is handed over in a room, and as what."""
    for function, call in there.calls:
        scope = Scope(there, function)
        who = getattr(call.func, "id", "")
        given = dict(zip(SHOWN.get(who, ()), call.args, strict=False))
        given |= {str(one.arg): one.value for one in call.keywords if who in SHOWN}
        for name, node in given.items():
            if name == "wrong" or name in SAID:
                found = scope.keys(node) if name == "wrong" else scope.texts(node)
                yield from ((name, text) for text in sorted(found) if text)


def figures_in(there: Room) -> Iterator[str]:
    """Every key of a figure that is measured in a room."""
    for top in there.functions:
        scope = Scope(there, top)
        told = ast.unparse(top.returns) in FIGURES if top.returns else False
        for node in walked(top):
            match node:
                case ast.keyword(arg="figures", value=value):
                    yield from scope.keys(value)
                case ast.Return(value=value) if told:
                    yield from scope.keys(value)
