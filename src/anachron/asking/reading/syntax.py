"""From the text of a question to a tree, whatever the text is."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, SqlglotError

from anachron.asking.catalogue import Catalogue
from anachron.asking.suggest import refusal
from anachron.errors import QuestionError

__all__ = ["bare", "chain", "function_name", "said", "statement"]

_LONGEST, _DEEPEST, _SIGNS, _HIGHEST, _SAID = 100_000, 60, 20, 200, 200
_OPEN = {"L_PAREN", "L_BRACKET", "L_BRACE", "CASE"}
_CLOSE = {"R_PAREN", "R_BRACKET", "R_BRACE", "END"}
_PREFIXES = {"NOT", "DASH", "PLUS", "TILDE"}


def statement(text: str, catalogue: Catalogue) -> exp.Select:
    """Read a question as one SELECT, or say why it is none."""
    if not isinstance(text, str) or not text.strip():
        raise refusal(catalogue, "the question is empty.")
    if len(text) > _LONGEST:
        raise refusal(
            catalogue, f"the question has {len(text):,} characters; up to {_LONGEST:,} are read."
        )
    try:
        with _silence():
            tokens = DuckDB().tokenize(text)
            _check_depth(tokens, catalogue)
            trees = [tree for tree in DuckDB().parser().parse(tokens, text) if tree is not None]
            for tree in trees:
                _check_height(tree, catalogue)
    except RecursionError:
        raise _too_deep(catalogue) from None
    except ParseError as error:
        raise refusal(catalogue, f"the question is not SQL{_place(error)}.") from None
    except SqlglotError:
        raise refusal(
            catalogue, "the question is not SQL: a quotation mark or a comment has no end."
        ) from None
    if len(trees) != 1:
        raise refusal(catalogue, f"one question at a time is answered, found {len(trees)}.")
    (tree,) = trees
    if not isinstance(tree, exp.Select):
        raise refusal(catalogue, "a question is one SELECT, and nothing else.")
    return tree


def bare(node: exp.Expr) -> exp.Expr:
    """What stands in parentheses."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def chain(node: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    """The parts of a long AND or OR, without a call for each."""
    parts, waiting = [], [node]
    while waiting:
        one = bare(waiting.pop())
        if isinstance(one, kind):
            waiting += [one.args["expression"], one.this]
        else:
            parts.append(one)
    return parts


def function_name(node: exp.Expr) -> str:
    """The name of a function as it may have been typed, in small letters; else nothing."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def said(node: exp.Expr) -> str:
    """A part of the question, as text short enough for a message."""
    if len(list(islice(node.walk(), _SAID))) == _SAID:
        # The text of a long chain would be made by as many calls.
        return "a long part of the question"
    text = node.sql(dialect="duckdb", normalize_functions=False)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _check_depth(tokens: Iterable[Any], catalogue: Catalogue) -> None:
    """Refuse what would be nested too deeply to be read, before anything reads it."""
    depth = signs = 0
    for token in tokens:
        name = token.token_type.name
        depth += (name in _OPEN) - (name in _CLOSE)
        signs = signs + 1 if name in _PREFIXES else 0
        if depth > _DEEPEST or signs > _SIGNS:
            raise _too_deep(catalogue)


def _check_height(tree: exp.Expr, catalogue: Catalogue) -> None:
    """Refuse long chains of anything but AND, OR, + and −, which are walked without calls."""
    level: list[exp.Expr] = [tree]
    for _ in range(_HIGHEST):
        level = [
            below for node in level for part in _links(node) for below in part.iter_expressions()
        ]
        if not level:
            return
    raise _too_deep(catalogue)


def _links(node: exp.Expr) -> list[exp.Expr]:
    """The node; of a chain, its parts."""
    kind = next((kind for kind in (exp.And, exp.Or) if isinstance(node, kind)), None)
    if kind is not None:
        return chain(node, kind)
    found, waiting = [], [node]
    while waiting:
        one = bare(waiting.pop())
        if isinstance(one, exp.Add | exp.Sub):
            waiting += [one.this, one.args["expression"]]
        else:
            found.append(one)
    return found


def _too_deep(catalogue: Catalogue) -> QuestionError:
    return refusal(catalogue, "the question is nested too deeply.")


def _place(error: ParseError) -> str:
    if not error.errors:
        return ""
    found = error.errors[0]
    near = str(found.get("highlight") or "")[:30]
    return f": line {found.get('line')}, column {found.get('col')}" + (
        f", near {near!r}" if near else ""
    )


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the parser's own log quiet: what it would say is said by us."""
    log = logging.getLogger("sqlglot")

    def nothing(_: logging.LogRecord) -> bool:
        return False

    log.addFilter(nothing)
    try:
        yield
    finally:
        log.removeFilter(nothing)
