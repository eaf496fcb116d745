"""The source of modules, as texts are followed through it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages


@cache
def walked(node: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(node))


@dataclass(frozen=True, eq=False)
class Room:
    """A module."""

    name: str
    tree: ast.Module

    @cache  # noqa: B019
    def home(self, name: str) -> Room:
        """Where what has this name here is written."""
        for node in self.tree.body:
            if (
                isinstance(node, ast.ImportFrom)
                and str(node.module).startswith("anachron.")
                and name in (one.asname or one.name for one in node.names)
            ):
                return room(str(node.module)).home(name)
        return self

    def function(self, name: str) -> ast.FunctionDef | None:
        """A function that is written here."""
        some = (node for node in self.tree.body if isinstance(node, ast.FunctionDef))
        return next((node for node in some if node.name == name), None)

    @cached_property
    def functions(self) -> tuple[ast.FunctionDef, ...]:
        """All functions, methods among them."""
        return tuple(node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef))

    @cached_property
    def calls(self) -> tuple[tuple[ast.FunctionDef, ast.Call], ...]:
        """All calls, each in the function that makes it."""
        return tuple(
            (top, node)
            for top in self.functions
            for node in walked(top)
            if isinstance(node, ast.Call)
        )


@cache
def room(name: str) -> Room:
    file = Path(str(import_module(name).__file__))
    return Room(name, ast.parse(file.read_text("utf-8")))


@cache
def rooms(*packages: str) -> tuple[Room, ...]:
    paths = ((name, import_module(name).__path__) for name in packages)
    return tuple(
        room(module.name) for name, path in paths for module in walk_packages(path, f"{name}.")
    )


def assigned(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.expr]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=held)], value=value) if held == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=held), value=value) if held == name and value:
                yield value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = zip(names, values, strict=False)
                yield from (value for one, value in pairs if ast.unparse(one) == name)
            case ast.For(target=ast.Tuple(elts=names), iter=ast.Tuple(elts=some)):
                at = [ast.unparse(one) for one in names]
                if name in at:
                    yield from (o.elts[at.index(name)] for o in some if isinstance(o, ast.Tuple))
