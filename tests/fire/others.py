"""Databases, special files and plans that are malformed, and bombs among them."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path
from random import Random

import duckdb

from tests.fire.good import ROWS, arrow, csv_text, plan
from tests.fire.made import Class, Made

__all__ = ["OTHERS"]


def _sqlite(luck: Random, folder: Path) -> Made:
    """Tables of which SQLite lets every cell be anything, and views that do not end."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    shown = "SELECT 'zq' || x AS who, '2024-05-01' AS day, x AS age, 'n' AS note FROM c"
    body = luck.choice(
        [
            f"CREATE VIEW v AS {endless} {shown}",
            f"CREATE VIEW v AS {endless} {shown} WHERE x < 0",
            "CREATE VIEW v AS SELECT a.* FROM t a, t b, t c, t d, t e",
            "CREATE VIEW v AS SELECT who, day, age, zeroblob(1000000000) AS note FROM t",
            "CREATE VIEW v AS SELECT who, day, age, x'ff' AS note FROM t",
            "CREATE VIEW v AS SELECT who, day, age, CAST(x'ff41' AS TEXT) AS note FROM t",
            "CREATE VIEW v AS SELECT who, day, iif(rowid % 2, age, 'x') AS age, note FROM t",
            "CREATE VIEW v AS SELECT who, day, 9e999 AS age, note FROM t",
            "CREATE VIEW v AS SELECT * FROM v2",
            "CREATE VIEW v AS SELECT who FROM t",
            "CREATE VIEW v AS SELECT who, who AS day, age, note, note FROM t",
            "CREATE TABLE v (who, day, age, note)",
            "SELECT 1",
            "CREATE VIEW v AS SELECT load_extension('x') AS who, day, age, note FROM t",
        ]
    )
    with sqlite3.connect(folder / "t.db") as db:
        db.execute("CREATE TABLE t (who TEXT, day TEXT, age INTEGER, note TEXT)")
        db.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?)", [(a, str(b), c, d) for a, b, c, d in ROWS]
        )
        db.execute(body)
    db.close()
    return Made("sqlite:t.db#v")


def _duckdb(luck: Random, folder: Path) -> Made:
    (folder / "beside.csv").write_text(csv_text())
    shown = "SELECT 'zq' || range AS who, DATE '2024-05-01' AS day, 30 AS age, 'n' AS note"
    body = luck.choice(
        [
            f"CREATE VIEW v AS {shown} FROM range(1000000000000)",
            f"CREATE VIEW v AS {shown} FROM range(300)",
            "CREATE VIEW v AS SELECT who, day, age, repeat(note, 9999) AS note FROM t, range(9999)",
            "CREATE VIEW v AS SELECT error(note) AS who, day, age, note FROM t",
            "CREATE VIEW v AS SELECT who, day, [age] AS age, note FROM t",
            "CREATE TABLE v AS SELECT who FROM t",
            "CREATE TABLE v AS FROM t LIMIT 0",
        ]
    )
    with duckdb.connect(str(folder / "d.db")) as db:
        db.register("given", arrow())
        db.execute("CREATE TABLE t AS FROM given")
        db.execute(body)
    return Made("duckdb:d.db#v")


ENDINGS = (
    "csv",
    "csv.gz",
    "csv.zst",
    "tsv",
    "jsonl",
    "parquet",
    "arrow",
    "xlsx",
    "ods",
    "dta",
    "sav",
    "zsav",
    "xpt",
)


def _special(luck: Random, folder: Path) -> Made:
    """What is no file, or none that ends."""
    name = f"t.{luck.choice(ENDINGS)}"
    file = folder / name
    odd = luck.randrange(9)
    if odd == 0:
        os.mkfifo(file)
    elif odd == 1:
        file.symlink_to(
            luck.choice(["/dev/zero", "/dev/full", "/dev/null", "/dev/random", "/dev/tty"])
        )
    elif odd == 2:
        file.symlink_to(name)
    elif odd == 3:
        file.mkdir()
    elif odd == 4:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(file))
    elif odd in (5, 6):  # a terabyte of nothing
        with file.open("wb") as sparse:
            sparse.write(
                luck.choice(
                    [b"", b"who,day,age,note\n", b"$FL2", b"PAR1", b"ARROW1\0\0", b"PK\3\4"]
                )
            )
            sparse.truncate(luck.choice([5 << 30, 1 << 40]))
    elif odd == 7:
        file.symlink_to("/proc/self/mem")
    else:
        return Made(
            luck.choice(
                [
                    "",
                    "\0",
                    "x" * 5000 + ".csv",
                    "..",
                    "/",
                    "~nobody-4/t.csv",
                    "t.csv#t",
                    "sqlite:",
                    "sqlite:#",
                    "duckdb:t.db#",
                    "ftp://x/t.csv",
                    "file:///etc/passwd",
                    "data.exe",
                    "/proc/kcore",
                    "sqlite:/dev/zero#t",
                    "*.csv",
                    "[.csv",
                    "t.csv\n",
                ]
            )
        )
    return Made(luck.choice([name, name, f"sqlite:{name}#t", f"duckdb:{name}#t"]))


def _plan(luck: Random, folder: Path) -> Made:
    """Plans that are broken or bombs; the table is whole."""
    (folder / "t.csv").write_text(csv_text())
    good = plan("t.csv")
    many = luck.choice([20_000, 100_000])
    numbers = range(many)
    texts = [
        good + "\n" + "\n".join(f"k{i} = 1" for i in numbers),
        "\n".join(f"[s{i}]" for i in numbers),
        good.replace('"day", "month"', ", ".join(['"day"'] * many)),
        good.replace('"day", "month"', ", ".join(f'"g{i}"' for i in numbers)),
        good.replace('"age"', ", ".join(f'"q{i}"' for i in numbers)),
        good
        + "\n"
        + "\n".join(
            f"[calendar.g{i}]\nevery = 2\nof = 'g{i + 1}'\nanchor = 2020-01-01" for i in range(150)
        ),
        good + "\n[calendar.g]\nof = 'g'\nwithin = 'g'\n",
        "a." * many + "b = 1",
        "a = " + "[" * many,
        "a = " + "{a=" * many,
        good + "\0",
        good[: luck.randrange(len(good))],
        good.replace("k = 2", f"k = {'9' * luck.choice([30, 5000])}"),
        good.replace("k = 2", "k = nan"),
        good.replace('"UTC"', f'"{"../" * 1000}etc/passwd"'),
        good.replace('"rel"', '"/proc/self"'),
        good.replace('"led"', '"/dev/null"'),
        good.replace('"rel"', '"loop"'),
        good.replace("t.csv", "plan.toml"),
        good + "\n[guarantee.ladders.age]\nhierarchy = '/dev/zero'\n",
        good + "\n[guarantee.ladders.age]\nhierarchy = 'pipe'\n",
        good + "\n[guarantee.ladders.age]\nhierarchy = 't.csv'\n",
        good + "\n[guarantee.ladders.age]\nbins = [1e999]\n",
        good + f"\n[guarantee.ladders.age]\nbins = {[*numbers]}\n",
    ]
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    return Made("t.csv", plan=luck.choice(texts).encode())


def _plan_file(luck: Random, folder: Path) -> Made:
    """A plan that is no file: its name stands for its text."""
    (folder / "t.csv").write_text(csv_text())
    made = folder / "odd.toml"
    odd = luck.randrange(5)
    if odd == 0:
        os.mkfifo(made)
    elif odd == 1:
        made.symlink_to(luck.choice(["/dev/zero", "odd.toml", "/proc/self/mem", "/dev/null"]))
    elif odd == 2:
        made.mkdir()
    elif odd == 3:
        with made.open("wb") as sparse:
            sparse.truncate(1 << 40)
    else:
        made.write_bytes(plan("t.csv").encode("utf-16") if luck.random() < 0.5 else b"\xff" * 100)
    return Made("t.csv", plan=b"odd.toml")


OTHERS: dict[str, Class] = {
    "sqlite: views and cells": _sqlite,
    "duckdb: views and tables": _duckdb,
    "special files": _special,
    "plans": _plan,
    "special files as plans": _plan_file,
}
