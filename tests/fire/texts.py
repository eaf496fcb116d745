"""CSV and JSON lines that are malformed in the ways in which people and programs write them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pyarrow as pa

from tests.fire.good import FORMATS, NAMES, ROWS, csv_text
from tests.fire.made import Class, Made, put
from tests.fire.running import CANARY

__all__ = ["TEXTS"]

LINES = csv_text().splitlines()
HEADER = LINES[0]


def _lines(luck: Random, folder: Path, *more: str, header: str = HEADER, end: str = "\n") -> Made:
    """The good lines, and others at random places."""
    body = LINES[1:]
    for line in more:
        body.insert(luck.randrange(len(body) + 1), line)
    return put(folder, "t.csv", end.join([header, *body]) + end)


def _cells(luck: Random, folder: Path, column: str, *values: str) -> Made:
    """The good table, with other cells in some rows of a column."""
    rows = [[str(cell) for cell in row] for row in ROWS]
    for value in values:
        luck.choice(rows)[NAMES.index(column)] = value
    body = "".join(",".join(row) + "\n" for row in rows)
    return put(folder, "t.csv", f"{HEADER}\n{body}")


def _times(luck: Random, folder: Path) -> Made:
    odd = [
        "0000-00-00",
        "99999-01-01",
        "2024-13-45",
        "-0001-01-01",
        "2024-02-30",
        "1e9",
        "NaT",
        "294247-01-10 04:00:54.775807",
        "2024-05-01T25:00",
        "infinity",
        "epoch",
        "now",
        "2024-05-01 10:00+99:00",
        "01.05.2024",
        "2024-W18-1",
        "290309-12-22 (BC)",
    ]
    return _cells(luck, folder, "day", *luck.sample(odd, luck.randrange(1, 4)))


def _numbers(luck: Random, folder: Path) -> Made:
    odd = [
        "1" * 400,
        "1e999",
        "-1e-999",
        "NaN",
        "inf",
        "0x1F",
        "1_000",
        "٣٤",
        "1,5",
        "+5",
        "007",
        "9223372036854775808",
        "1e308",
        "--5",
        "½",
    ]
    return _cells(luck, folder, "age", *(f'"{n}"' for n in luck.sample(odd, luck.randrange(1, 4))))


def _subjects(luck: Random, folder: Path) -> Made:
    name = ROWS[0][0]
    odd = [
        "",
        " ",
        name.upper(),
        f"{name} ",
        f"{name}\u200b",
        "\ufeff",
        f'"{name}\n"',
        "\u202e" + name,
        "NULL",
        "'; DROP TABLE t; --",
        "=cmd|'/c calc'!A1",
        "a" * 70_000,
        "\x7f",
        "\x1b[31m",
    ]
    return _cells(luck, folder, "who", *luck.sample(odd, luck.randrange(1, 4)))


def _headers(luck: Random, folder: Path) -> Made:
    odd = [
        ",,,",
        "who,who,age,note",
        "who,day,age",
        "WHO,day,age,note",
        "who;day;age;note",
        'who,day,age,"note',
        "who,day,age,note,",
        ",day,age,note",
        '"who",day,"a""ge",note',
        "who,day,age,note\x00",
        "\ufeff\ufeffwho,day,age,note",
        "who ,day,age,note",
        "",
        "who,day,age,no\rte",
        "who,DAY,day,age,note",
        'who,day,age,"no\nte"',
        "note",
        "who\tday\tage\tnote",
        "each row,day,age,note",
        "x" * 2_000_000,
        "é,day,age,note",
        "who,day,age,note" + ",c" * 500,
        "\x1b[31mwho,day,age,note",
        "group,day,age,note",
    ]
    return _lines(luck, folder, header=luck.choice(odd))


def _encodings(luck: Random, folder: Path) -> Made:
    text = csv_text().replace("Canary", "Kanarıé€")
    written = luck.choice(
        ["utf-16-le", "utf-16", "utf-32", "utf-8", "cp1254", "utf-7", "shift_jis"]
    )
    content = text.encode(written, "replace")
    read = luck.choice(["utf-8", "utf-16", "cp1252", "latin-1", "iso-8859-15"])
    return put(folder, "t.csv", content, **({} if read == "utf-8" else {"encoding": read}))


def _bytes(luck: Random, folder: Path) -> Made:
    odd = luck.choice(
        [b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"\x81\x8d", b"\xc0\xaf", b"\xf5", b"\r"]
    )
    encoding = luck.choice(["utf-8", "cp1252", "utf-16"])
    told = {} if encoding == "utf-8" else {"encoding": encoding}
    content = csv_text().encode(encoding)
    place = luck.randrange(len(content))
    return put(folder, "t.csv", content[:place] + odd + content[place:], **told)


def _line_ends(luck: Random, folder: Path) -> Made:
    ends = [
        luck.choice(["\n", "\r\n", "\r", "\n\n", "\x0b", "\u2028", "\x85", "\n\r"]) for _ in LINES
    ]
    text = "".join(line + end for line, end in zip(LINES, ends, strict=True))
    return put(folder, "t.csv", text)


def _long(luck: Random, folder: Path) -> Made:
    cell = "y" * luck.choice([1 << 20, 3 << 20, 33 << 20])
    quote = luck.choice(["", '"'])
    return _lines(luck, folder, f"zq,2024-05-01,30,{quote}{cell}{quote}")


def _packed(luck: Random, folder: Path) -> Made:
    good = csv_text().encode()
    packed = gzip.compress(good)
    content = luck.choice(
        [
            gzip.compress(packed),
            packed + b"junk",
            packed + packed[:20],
            good,
            packed + packed,
            b"",
            packed[:-8],
            packed[:-4] + b"\0\0\0\0",
            pa.compress(good, "zstd", asbytes=True),
        ]
    )
    return put(folder, luck.choice(["t.csv.gz", "t.csv.zst", "t.jsonl.gz"]), content)


def _bomb(luck: Random, folder: Path) -> Made:
    """More than a GB of nothing."""
    kind = luck.choice(["gzip", "zstd"])
    size = 1100 << 20
    head = f"{HEADER}\n".encode()
    filling = luck.choice([b"\n", b"a", b"zq,2024-05-01,30,x\n", b"\0"])
    block = filling * ((1 << 20) // len(filling))
    if kind == "gzip":
        part, whole = gzip.compress(block * 64), gzip.compress(head)
        return put(folder, "t.csv.gz", whole + part * (size >> 26))
    content = pa.compress(head, "zstd", asbytes=True)
    part = pa.compress(block * 64, "zstd", asbytes=True)
    return put(folder, "t.csv.zst", content + part * (size >> 26))


def _another(luck: Random, folder: Path) -> Made:
    """A file of one kind under the name of another."""
    kinds = [kind for kind in FORMATS if "db" not in FORMATS[kind][0]]
    content = FORMATS[luck.choice(kinds)][2](folder)
    return put(folder, FORMATS[luck.choice(kinds)][0], content)


def _wide(luck: Random, folder: Path) -> Made:
    columns = luck.choice([300, 10_000, 50_000])
    names = ",".join(f"c{i}" for i in range(columns))
    cells = ",".join("1" * columns)
    return put(
        folder, "t.csv", f"{HEADER},{names}\n" + "".join(f"{x},{cells}\n" for x in LINES[1:6])
    )


OBJECTS = [json.dumps(dict(zip(NAMES, map(str, row), strict=True))) for row in ROWS]


def _json(luck: Random, folder: Path, *odd: str) -> Made:
    lines = list(OBJECTS)
    for one in luck.sample(odd, luck.randrange(1, min(3, len(odd)) + 1)):
        lines.insert(luck.randrange(len(lines) + 1), one)
    return put(folder, luck.choice(["t.jsonl", "t.ndjson"]), "\n".join(lines) + "\n")


def _keyed(value: str, key: str = "age") -> str:
    return f'{{"who": "zq{CANARY}", "day": "2024-05-01", "{key}": {value}, "note": "{CANARY}"}}'


TEXTS: dict[str, Class] = {
    "csv: odd times": _times,
    "csv: odd numbers": _numbers,
    "csv: odd subjects": _subjects,
    "csv: odd headers": _headers,
    "csv: encodings": _encodings,
    "csv: odd bytes": _bytes,
    "csv: line ends": _line_ends,
    "csv: long cells": _long,
    "csv: packed otherwise": _packed,
    "csv: bombs": _bomb,
    "csv: many columns": _wide,
    "a kind under the name of another": _another,
    "csv: few cells": lambda luck, f: _lines(luck, f, "zq,2024-05-01,30", "zq"),
    "csv: many cells": lambda luck, f: _lines(luck, f, f"zq,2024-05-01,30,x,{CANARY}", ",,,,,"),
    "csv: quotes": lambda luck, f: _lines(
        luck,
        f,
        luck.choice(
            [
                f'zq,2024-05-01,30,"{CANARY}',
                f'zq,2024-05-01,30,"{CANARY}"x',
                f'zq,2024-05-01,30, "{CANARY}"',
                f'"zq" ,2024-05-01,30,{CANARY}',
                f'zq,2024-05-01,30,{CANARY}"x"',
                '"zq\n,2024-05-01,30,"""',
            ]
        ),
    ),
    "csv: empty": lambda luck, f: put(
        f, "t.csv", luck.choice(["", "\n", HEADER, HEADER + "\n", "\ufeff", "\n\n\n", '"', ",,,\n"])
    ),
    "csv: nothing in it": lambda luck, f: put(
        f, "t.csv", HEADER + "\n" + luck.choice([",,,\n", "zq,,,\n", ",2024-05-01,30,x\n"]) * 9
    ),
    "jsonl: no object": lambda luck, f: _json(
        luck,
        f,
        "[1]",
        "1",
        "null",
        '"x"',
        "{",
        "}",
        "// note",
        "{}{}",
        "[",
        f"{CANARY}",
        "{'a': 1}",
    ),
    "jsonl: odd values": lambda luck, f: _json(
        luck,
        f,
        _keyed("NaN"),
        _keyed("-Infinity"),
        _keyed("1e999"),
        _keyed("1" * 5000),
        _keyed("[1]"),
        _keyed('{"a": 1}'),
        _keyed("true"),
        _keyed("01"),
        _keyed("1."),
        _keyed("9223372036854775808"),
        _keyed("-0"),
    ),
    "jsonl: odd texts": lambda luck, f: _json(
        luck,
        f,
        _keyed('"\\ud800"', "x"),
        _keyed('"\\u0000"', "x"),
        _keyed('"a\tb"', "x"),
        _keyed('"\\x41"', "x"),
        _keyed("30").replace("zq", "\\ud83d"),
        _keyed("30").replace("zq", "\\u0000"),
    ),
    "jsonl: keys": lambda luck, f: _json(
        luck,
        f,
        _keyed("1", "who"),
        '{"": 1}',
        "{}",
        _keyed("1", "a/b~c"),
        _keyed("30").replace("who", "WHO"),
        _keyed("30").replace('"who"', '"\\u0077ho"'),
        _keyed("30")[:-1] + ', "age": 31}',
    ),
    "jsonl: depth": lambda luck, f: _json(
        luck,
        f,
        _keyed("[" * 100_000 + "]" * 100_000, "x"),
        _keyed('{"a":' * 3000 + "1" + "}" * 3000, "x"),
    ),
    "jsonl: as one value": lambda luck, f: put(
        f,
        "t.jsonl",
        luck.choice(
            [
                f"[{','.join(OBJECTS)}]",
                json.dumps([json.loads(o) for o in OBJECTS], indent=2),
                " ".join(OBJECTS),
                "".join(OBJECTS),
                "\x1e".join(OBJECTS),
                "",
            ]
        ),
    ),
}
