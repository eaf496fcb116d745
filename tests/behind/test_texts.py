"""Odd text files: what the publisher's reader and the audit's both read is the same."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anachron.behind import quotes
from anachron.behind.opened import open_table
from anachron.database import connected
from anachron.errors import TableError
from anachron.source.read import open_source

LONG = "x" * 1_900_000

READ: dict[str, tuple[str, list[object]]] = {
    "plain": ("a,b\n1,x\n2,y\n", ["x", "y"]),
    "no line end at the end": ("a,b\n1,x\n2,y", ["x", "y"]),
    "Windows": ("a,b\r\n1,x\r\n2,y\r\n", ["x", "y"]),
    "the old Macintosh": ('a,b\r1,x\r2,"y"\r', ["x", "y"]),
    "a mark at the beginning": ("\ufeffa,b\n1,x\n", ["x"]),
    "a mark before a quote": ('\ufeff"a",b\n1,x\n', ["x"]),
    "a mark inside a cell": ("a,b\n1,\ufeffx\n", ["\ufeffx"]),
    "empty lines": ("a,b\n\n1,x\n\n\n2,y\n\n", ["x", "y"]),
    "empty lines of Windows": ('a,b\r\n\r\n1,"x"\r\n\r\n', ["x"]),
    "all in quotes": ('a,b\n"1","x"\n"2","y"\n', ["x", "y"]),
    "nothing in quotes": ('a,b\n1,""\n2,y\n', [None, "y"]),
    "no value": ("a,b\n,\n1,\n,x\n", [None, None, "x"]),
    "a blank in quotes": ('a,b\n1," "\n2,y\n', [" ", "y"]),
    "blanks in quotes": ('a,b\n1," x "\n2,y\n', [" x ", "y"]),
    "blanks and a quote in quotes": ('a,b\n1," ""x"\n2,5"\n', [' "x', '5"']),
    "a separator in quotes": ('a,b\n1,"x,y"\n', ["x,y"]),
    "a line break in quotes": ('a,b\n1,"x\ny"\n2,z\n', ["x\ny", "z"]),
    "a break of Windows in quotes": ('a,b\n1,"x\r\ny"\n2,z\n', ["x\r\ny", "z"]),
    "a CR in quotes": ('a,b\n1,"x\ry"\n2,z\n', ["x\ry", "z"]),
    "a LF in a file of Windows": ('a,b\r\n1,"x\ny"\r\n2,z\r\n', ["x\ny", "z"]),
    "a break before the closing quote": ('a,b\n1,"x\n"\n2,z\n', ["x\n", "z"]),
    "a doubled quote": ('a,b\n1,"x""y"\n', ['x"y']),
    "doubled quotes at both ends": ('a,b\n1,"""x"""\n', ['"x"']),
    "a quote alone": ('a,b\n1,""""\n', ['"']),
    "two quotes alone": ('a,b\n1,""""""\n', ['""']),
    "a quote inside a cell": ('a,b\n1,x"y\n2,z\n', ['x"y', "z"]),
    "quotes inside a cell": ('a,b\n1,x"y" z\n2,z\n', ['x"y" z', "z"]),
    "inches": ('a,b\n1,5"\n2,6" \n', ['5"', '6" ']),
    "a backslash": ("a,b\n1,x\\y\n", ["x\\y"]),
    "a backslash before a closing quote": ('a,b\n1,"x\\"\n', ["x\\"]),
    "blanks around a value": ("a,b\n1, x \n2,y\n", [" x ", "y"]),
    "only blanks": ("a,b\n1,  \n2,y\n", ["  ", "y"]),
    "a tab before a quote": ('a,b\n1,\t"x"\n2,y\n', ['\t"x"', "y"]),
    "words for nothing": ("a,b\nNULL,NA\nnull,nan\n", ["NA", "nan"]),
    "single quotes": ("a,b\n1,'x'\n2,z\n", ["'x'", "z"]),
    "what others take for a comment": ("a,b\n#1,x\n2,y\n", ["x", "y"]),
    "the header again": ("a,b\na,b\n", ["b"]),
    "other signs that end lines": ("a,b\n1,x\u2028y\n2,\x85\f\v\n", ["x\u2028y", "\x85\f\v"]),
    "semicolons": ('a;b\n1;x,y\n2;"z;z"\n', ["x,y", "z;z"]),
    "tabs": ('a\tb\n1\tx y\n2\t"z\tz"\n', ["x y", "z\tz"]),
    "bars": ("a|b\n1|x\n", ["x"]),
    "a line break in a name": ('"c\nd",b\n1,x\n2,y\n', ["x", "y"]),
    "a separator at the end of all lines": ("a,b,\n1,x,\n2,y,\n", ["x", "y"]),
    "one column": ("b\nx\n\nz\n", ["x", None, "z"]),
    "one column, nothing in quotes": ('b\nx\n""\nz\n', ["x", None, "z"]),
    "a long cell": (f"a,b\n1,{LONG}\n2,y\n", [LONG, "y"]),
    "a long cell in quotes": (f'a,b\n1,"{LONG}"\n2,y\n', [LONG, "y"]),
}

QUOTE = "double quote"
REFUSED: dict[str, tuple[str, int | None, str]] = {
    "a blank after a closing quote": ('a,b\n1,x\n2,"y" \n', 2, QUOTE),
    "blanks after a closing quote": ('a,b\n1,x\n"2"  ,y\n', 2, QUOTE),
    "a blank after quotes around nothing": ('a,b\n"" ,x\n', 1, QUOTE),
    "a blank after a closing quote, Windows": ('a,b\r\n\r\n1,"x" \r\n', 1, QUOTE),
    "a blank after a closing quote, Macintosh": ('a,b\r1,x\r2,"y" \r', 2, QUOTE),
    "a blank after a closing quote at the end": ('a,b\n1,"x" ', 1, QUOTE),
    "a blank after a line break in quotes": ('a,b\n1,"x\n\ny"\n2,"z" \n', 2, QUOTE),
    "a blank where others have inches": ('a,b\n1,5"\n2,"y" \n', 2, QUOTE),
    "a blank in a column without a role": ('a,b,c\n1,x,y\n2,y,"z" \n', 2, QUOTE),
    "a blank between tabs": ('a\tb\n1\t"x" \n', 1, QUOTE),
    "a blank, one column": ('b\nx\n\n"y" \n', 3, QUOTE),
    "a tab after a closing quote": ('a,b\n"1"\t,x\n', 1, QUOTE),
    "text after a closing quote": ('a,b\n1,x\n"2"y,x\n', 2, QUOTE),
    "text after the last closing quote": ('a,b\n1,x\n2,"x"y\n', 2, QUOTE),
    "a quote after a closing quote and a blank": ('a,b\n1,"x" "y"\n', 1, QUOTE),
    "an escape that is none": ('a,b\n1,"x\\"y"\n', 1, QUOTE),
    "a blank before an opening quote": ('a,b\n1,x\n2, "y"\n', 2, QUOTE),
    "a blank before the first quote": ('a,b\n1,x\n "2",y\n', 2, QUOTE),
    "a blank before a quote and a separator": ('a,b\n1,x\n "2,3",y\n', 2, QUOTE),
    "a blank before a quote and a line break": ('a,b\n1,x\n2, "y\nz"\n', 2, QUOTE),
    "blanks on both sides": ('a,b\n1, "x" \n', 1, QUOTE),
    "a blank before a quote in a name": ('a,b, "c"\n1,x,y\n', None, QUOTE),
    "a quote that is not closed": ('a,b\n1,x\n2,"y\n', 2, QUOTE),
    "fewer cells": ("a,b\n1,x\n2\n", 2, "cells"),
    "more cells": ("a,b\n1,x\n2,y,z\n", 2, "cells"),
    "a separator at the end of some lines": ("a,b\n1,x\n2,y,\n", 2, "cells"),
    "a separator too many, in a file with quotes": ('a,b\n"1,",x\n2,"y",\n3,5"\n', 2, "cells"),
    "a line of blanks": ("a,b\n1,x\n  \n", 2, "cells"),
    "a blank after a quote in a name": ('"a" ,b\n1,x\n', None, "header"),
    "an empty line before the header": ("\na,b\n1,x\n", None, "header"),
    "a bare CR in a cell": ("a,b\n1,x\ry\n2,z\n", None, "line ends"),
}


def wanted(text: str) -> list[str]:
    return [name for name in "ab" if name in text.split("b", 1)[0] + "b"]


def published(file: Path, columns: list[str]) -> tuple[list[str], list[tuple[object, ...]]]:
    with connected() as con:
        source = open_source(file, con, columns)
        rows = con.execute(f"SELECT * FROM {source.relation}").fetchall()
        return list(source.columns.values()), rows


def audited(file: Path, columns: list[str]) -> tuple[list[str], list[tuple[object, ...]]]:
    with closing(open_table(file, columns, ())) as opened:
        rows = opened.fetch(**{name: f'"{name}"' for name in columns}).to_pylist()
        return list(opened.types.values()), [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("case", READ)
def test_both_read_the_same(case: str, packed: bool) -> None:
    text, cells = READ[case]
    file = Path("t.csv.gz" if packed else "t.csv")
    file.write_bytes(gzip.compress(text.encode(), 1) if packed else text.encode())
    columns = wanted(text)
    assert audited(file, columns) == published(file, columns)
    assert [row[-1] for row in published(file, columns)[1]] == cells


@pytest.mark.parametrize("case", REFUSED)
def test_both_refuse_the_same(case: str) -> None:
    text, row, says = REFUSED[case]
    Path("t.csv").write_text(text, newline="")
    for reader in (published, audited):
        with pytest.raises(TableError) as caught:
            reader(Path("t.csv"), wanted(text))
        [problem] = caught.value.problems
        assert problem.file == "t.csv"
        assert problem.remedy
        if reader is published or says == QUOTE:
            assert problem.row == row
        if reader is published or problem.row:
            assert says in problem.what


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@settings(max_examples=60)
@given(st.text(alphabet='ab ",\n\r', max_size=40))
@example('"x" ,a\n')
@example(' "x",a\n')
@example("a,b,\n")
def test_whatever_is_published_the_audit_reads_the_same(folder: Path, text: str) -> None:
    file = folder / "t.csv"
    file.write_bytes(("a,b\n" + text).encode())
    try:
        found = published(file, ["a", "b"])
    except TableError:
        return
    assert audited(file, ["a", "b"]) == found


@pytest.mark.parametrize("size", range(1, 24))
def test_blocks_are_joined(folder: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(quotes, "_BLOCK", size)
    file = folder / "blocks.csv"
    good = 'a,b\r\n"1\r\n1",2\r\n\r\n"x""",""\r\n3,5"\r\n'
    file.write_bytes(good.encode())
    quotes.refuse_loose_quotes(file, "utf-8", ",", 2)
    file.write_bytes(f'{good}"5" ,6\r\n'.encode())
    with pytest.raises(TableError) as caught:
        quotes.refuse_loose_quotes(file, "utf-8", ",", 2)
    assert caught.value.problems[0].row == 4
