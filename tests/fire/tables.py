"""A campaign of malformed tables and plans: refused with place and remedy, or in fact fine.

Run it with ``python -m tests.fire.tables --cases 5000 --seed 1``. Each case is a command in a fork
of one warm process, with 2 GB of memory and 30 s of processor time. It prints every case that did
not end as it must, and the counts; its exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import csv
import os
import pickle
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

import anachron as an
from tests.fire.columnar import COLUMNAR
from tests.fire.damage import damaged
from tests.fire.good import FEED, csv_text, plan
from tests.fire.made import Class, Made
from tests.fire.others import OTHERS
from tests.fire.running import Outcome, faults, run, warm
from tests.fire.sheets import SHEETS
from tests.fire.texts import TEXTS

__all__ = ["classes", "play"]

COMMANDS = {
    "publish": 50,
    "init": 20,
    "audit": 10,
    "push": 8,
    "judge": 4,
    "attack": 4,
    "utility": 4,
}
"""How often each is tried."""


def classes(folder: Path) -> dict[str, Class]:
    """All classes by name."""
    return {**OTHERS, **SHEETS, **COLUMNAR, **TEXTS, **dict(damaged(folder))}


def play(make: Class, luck: Random, folder: Path, store: Path) -> tuple[str, Made, Outcome]:
    """Make a malformed table in an empty folder, and run a command on it."""
    command = luck.choices(list(COMMANDS), list(COMMANDS.values()))[0]
    made = make(luck, folder)
    if made.given is not None:
        return "API", made, run(_published(made.given), folder)
    file = _written(made, command, folder, store)
    return command, made, run(_words(command, made, file, store), folder, lambda: _counted(made))


def _published(given: Callable[[], object]) -> Callable[[], object]:
    schema = an.Schema("who", "day", ["age"], ["note"])
    promise = an.TimeGranularity(k=2, granularities=["day", "month", "year"])
    return lambda: an.publish(given(), schema, promise, to="rel", ledger="led")


def _written(made: Made, command: str, folder: Path, store: Path) -> str:
    """Write the plan, and name it."""
    if made.plan == b"odd.toml":
        return "odd.toml"
    options = "\n".join(f'{key} = "{value}"' for key, value in made.options.items())
    text = plan(made.table, options, *([FEED] if command == "push" else []))
    if command in ("audit", "attack", "utility"):
        text = text.replace('"rel"', f"'{store}/rel'").replace('"led"', f"'{store}/led'")
    (folder / "plan.toml").write_bytes(made.plan or text.encode("utf-8", "surrogatepass"))
    return "plan.toml"


def _words(command: str, made: Made, file: str, store: Path) -> list[str]:
    """The command line."""
    told = [word for key, value in made.options.items() for word in (f"--{key}", str(value))]
    release = str(store / "rel" / "0001")
    if (made.plan is not None and command == "init") or (
        command == "judge" and (made.plan is not None or made.options)
    ):
        command = "publish"  # the other has no plan, or no such options
    return {
        "publish": ["publish", file],
        "push": ["push", file],
        "init": ["init", *told, "-o", "new.toml", "--", made.table],
        "audit": ["audit", release, "--plan", file],
        "attack": ["attack", release, "--plan", file, "--limit", "5"],
        "utility": ["utility", release, "--plan", file, "--questions", "10"],
        "judge": [
            "audit",
            "--as",
            "k-anonymity",
            "--k",
            "2",
            "--subject",
            "who",
            "--quasi",
            "age",
            *told,
            "--",
            made.table,
        ],
    }[command]


def _counted(made: Made) -> int | None:
    """The rows of a table that was published, by a third reader where there is one."""
    file = Path(made.table)
    if file.suffix == ".parquet" and file.is_file():
        return int(pq.ParquetFile(file).metadata.num_rows)
    if file.suffix in (".arrow", ".feather"):
        content = file.read_bytes()
        opened = pa.ipc.open_file if content.startswith(b"ARROW1") else pa.ipc.open_stream
        return int(opened(content).read_all().num_rows)
    if file.suffix in (".csv", ".tsv", ".txt"):
        with file.open(encoding=made.options.get("encoding", "utf-8-sig"), newline="") as stream:
            first = stream.readline()
            mark = max(",;\t|", key=first.count)
            return sum(1 for row in csv.reader(stream, delimiter=mark) if row)
    return None


def prepared(store: Path) -> None:
    """A good release, for the commands that look at the table behind one."""
    (store / "t.csv").write_text(csv_text())
    (store / "plan.toml").write_text(plan("t.csv"))
    made = run(["publish", "plan.toml"], store)
    if made.code != 0:
        raise RuntimeError(made.said)


@dataclass(frozen=True)
class Campaign:
    """What all cases share."""

    seed: int
    place: Path
    known: dict[str, Class]
    keep: Path | None

    def case(self, number: int) -> tuple[str, str, Outcome]:
        """Play one case, and say if it did not end as it must."""
        name = list(self.known)[number % len(self.known)]
        folder = self.place / f"{number:05d}"
        folder.mkdir()
        luck = Random(f"{self.seed}/{number}/{name}")
        command, _, outcome = play(self.known[name], luck, folder, self.place / "store")
        if found := faults(outcome):
            said = f"{number} [{name}] {command}: {'; '.join(found)}\n  {outcome.said[-400:]!r}"
            print(said, flush=True)
            if self.keep is not None:
                shutil.copytree(folder, self.keep / folder.name, symlinks=True, ignore=_odd)
        shutil.rmtree(folder, ignore_errors=True)
        return name, command, outcome


def _odd(here: str, names: list[str]) -> list[str]:
    """What cannot be copied, or has no end."""
    files = [Path(here, name) for name in names]
    return [
        f.name for f in files if not f.is_dir() and not (f.is_file() and f.stat().st_size < 1 << 30)
    ]


def campaign(
    cases: int,
    seed: int,
    workers: int,
    only: str = "",
    keep: Path | None = None,
    minutes: float = 600,
    step: int = 1,
) -> int:
    """Play so many cases, the classes in turn; how many did not end as they must."""
    warm()
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        (place / "store").mkdir()
        prepared(place / "store")
        before = _stored(place / "store")
        parts = [range(first * step, cases * step, workers * step) for first in range(workers)]
        until = time.monotonic() + 60 * minutes
        ended = list(_beside(parts, place, seed, only, keep, until))
        if _stored(place / "store") != before:
            raise RuntimeError("a command changed the ledger or the release that it was shown")
    wrong = sum(bool(faults(outcome)) for _, _, outcome in ended)
    seconds, memory = (max(getattr(o, part) for *_, o in ended) for part in ("seconds", "memory"))
    codes = Counter(f"{command} {outcome.code}" for _, command, outcome in ended)
    names = {name for name, *_ in ended}
    print(f"{len(ended)} cases in {len(names)} classes, {wrong} wrong", end="; ")
    print(f"at most {seconds:.1f} s and {memory >> 20} MB")
    print(", ".join(f"{code}: {many}" for code, many in sorted(codes.items())))
    return wrong + (cases - len(ended))


def _beside(
    parts: Sequence[range], place: Path, seed: int, only: str, keep: Path | None, until: float
) -> Iterator[tuple[str, str, Outcome]]:
    """Let each part be played by a process of its own, which begins before any library works."""
    children = []
    for number, part in enumerate(parts):
        child = os.fork()
        if child == 0:
            try:
                aside = place / f"made{number}"
                aside.mkdir()
                known = {name: make for name, make in classes(aside).items() if only in name}
                played = Campaign(seed, place, known, keep)
                for case in part:
                    if time.monotonic() < until:
                        with (place / f"{number}.pickle").open("ab") as told:
                            pickle.dump(played.case(case), told)
            except BaseException:  # noqa: BLE001 - told, and cases are missing then
                traceback.print_exc()
            finally:
                os._exit(0)
        children.append(child)
    for number, child in enumerate(children):
        os.waitpid(child, 0)
        with (place / f"{number}.pickle").open("rb") as told, suppress(EOFError):
            while True:
                yield pickle.load(told)


def _stored(store: Path) -> dict[str, bytes]:
    files = [path for path in store.rglob("*") if path.is_file() and "catalog" not in path.name]
    return {str(path): path.read_bytes() for path in files}


def main(words: Sequence[str] | None = None) -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=600, help="begin no case later")
    parser.add_argument("--only", default="", help="classes whose name has this in it")
    parser.add_argument("--keep", type=Path, help="where to copy what did not end as it must")
    told = parser.parse_args(words)
    sys.exit(campaign(told.cases, told.seed, told.workers, told.only, told.keep, told.minutes) > 0)


if __name__ == "__main__":
    main()
