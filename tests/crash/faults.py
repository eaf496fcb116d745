"""Let the n-th operation on a file fail, for all commands: all or nothing, and the next goes on.

Run it with ``python -m tests.crash.faults --workers 2``: every n of every command, of all methods;
``--every 10`` tries each tenth, ``--commands others`` those that publish nothing. A small library
in C, which is compiled first and preloaded, makes opens, writes, syncs, moves, removals and maps
fail with EIO, ENOSPC, EDQUOT, EACCES or EINTR, some of them from then on; with ``--locks`` locks
instead, as on some network drives, with ENOLCK where others find no space.
With ``--apart`` releases lie on another file system than the ledger. Promises that are broken are
counted and named.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork

import argparse
import ctypes
import errno
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

from tests.crash.forked import Ended, done, load_everything, run
from tests.crash.houses import HOUSES, House
from tests.crash.small import contents
from tests.crash.stops import look

REASONS = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EINTR)
SOURCE = Path(__file__).with_name("shim.c")
ARMED = "ANACHRON_FAULTS"


@dataclass(frozen=True)
class Fault:
    """What fails, and whether all that follows does, too."""

    at: int
    reason: int
    for_ever: bool


class Store:
    """A house with three releases, and copies of it in which operations fail."""

    def __init__(
        self, house: House, root: Path, apart: Path | None, locks: bool, shim: ctypes.CDLL
    ) -> None:
        self.house, self.root, self.apart, self.shim = house, root / "start", apart, shim
        self.locks = int(locks)
        self.figures: Counter[str] = Counter()
        done(partial(house.prepare, self.root))
        for step in (1, 2, 3, 4):
            done(partial(house.write, self.root, step))
        for step in (1, 2, 3):
            ended = run([*house.publish(step), "--json"], self.root, self._settings(self.root))
            assert ended.code == 0, ended
        self.releases = len([*(self.root / "releases").iterdir()])
        self.last = house.publish(4)
        others = [words for words in house.others(1) if words[0] != "init"]
        self.commands = {"publishing": [self.last], "others": others}

    def faults(self, words: list[str]) -> Iterator[Fault]:
        """Every operation of a command, each with a reason of its own."""
        for at in range(1, self._count(words) + 1):
            luck = random.Random(at)
            reason = luck.choice(REASONS)
            yield Fault(at, reason, luck.random() < 0.3 and reason != errno.EINTR)

    def fail(self, words: list[str], fault: Fault) -> None:
        """Let one operation of a command fail, and look at what is there then."""
        what = " ".join(words[:2] if words[0] == "ledger" else words[:1])
        work, publishing = self._copy(), words is self.last
        before = _everything(work)
        ended = run([*words, "--json"], work, self._settings(work), before=self._armed(work, fault))
        self._judge(words, ended, fault)
        made = publishing and ended.code == 0
        # After every second failure the next run itself tidies up.
        if made or (fault.at % 2 if publishing else _everything(work) != before):
            done(partial(look, work, self.releases + made, "recover"))
        if publishing and not made:
            again = run([*words, "--json"], work, self._settings(work))
            assert again.code == 0, (words, fault, again)
            done(partial(look, work, self.releases + 1, "next run"))
        self.figures[f"{self.house.name}: {what}"] += 1
        lasting = " from then on" if fault.for_ever else ""
        self.figures[f"{errno.errorcode[fault.reason]}{lasting}"] += 1
        self.figures["failed, and said so" if ended.code else "went on all the same"] += 1

    def _armed(self, work: Path, fault: Fault) -> Callable[[], object]:
        beside = b"" if self.apart is None else os.fsencode(f"{self.apart}/")
        folder, for_ever = os.fsencode(f"{work}/"), int(fault.for_ever)
        how = fault.at, fault.reason, for_ever, self.locks
        return partial(self.shim.fault_arm, folder, beside, *how)

    def _settings(self, root: Path) -> dict[str, str]:
        return {"TMPDIR": str(root / "system")}

    def _copy(self) -> Path:
        work = self.root.with_name("work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.root, work)
        if self.apart is not None:
            shutil.rmtree(self.apart, ignore_errors=True)
            shutil.move(work / "releases", self.apart)
            (work / "releases").symlink_to(self.apart)
        plan = work / "plan.toml"
        plan.write_text(plan.read_text().replace(str(self.root), str(work)))
        return work

    def _count(self, words: list[str]) -> int:
        """How many operations an undisturbed command takes."""
        work = self._copy()
        told = work.with_name("many")
        armed = self._armed(work, Fault(-1, 0, False))

        def arm() -> None:
            armed()
            real = os._exit

            def tell(code: int) -> None:
                told.write_text(str(self.shim.fault_seen()))
                real(code)

            os._exit = tell  # type: ignore[assignment]

        ended = run([*words, "--json"], work, self._settings(work), before=arm)
        assert ended.code == 0, (words, ended)
        return int(told.read_text())

    def _judge(self, words: list[str], ended: Ended, how: object) -> None:
        assert "mistake" not in ended.said, (words, how, ended)
        assert "Traceback" not in ended.said, (words, how, ended)
        assert ended.code in (0, 1, 2), (words, how, ended)
        if ended.code:
            said = json.loads(ended.said[ended.said.index("{") :])
            assert "error" in said or "problems" in said or "checks" in said, (words, how, ended)


def _everything(root: Path) -> tuple[list[Path], dict[str, bytes]]:
    return sorted(root.rglob("*")), contents(root)


def main() -> None:
    """Read the size of the campaign and run it, in some processes at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--houses", nargs="+", default=[*HOUSES][:5], choices=list(HOUSES))
    parser.add_argument("--commands", nargs="+", default=["publishing", "others"])
    parser.add_argument("--at", type=int, nargs="+", help="these operations only")
    parser.add_argument("--locks", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir()))
    wanted = parser.parse_args()
    shim = _preloaded()
    load_everything()
    started = time.monotonic()
    children = [_worker(turn, wanted, shim) for turn in range(wanted.workers)]
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    total: Counter[str] = Counter()
    for child in children:
        file = wanted.into / f"faults-{child}.json"
        total.update(json.loads(file.read_text()) if file.exists() else {})
    for name, many in sorted(total.items()):
        print(f"{many:7,}  {name}")
    print(f"{len(failed)} of {wanted.workers} workers saw a promise broken, "
          f"in {time.monotonic() - started:.0f} s")  # fmt: skip
    raise SystemExit(bool(failed))


def _preloaded() -> ctypes.CDLL:
    """Compile the library, and begin again with it, if that was not done."""
    found = os.environ.get(ARMED)
    if found is None:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise SystemExit("A compiler of C is needed (cc or gcc), and none is here.")
        library = Path(tempfile.mkdtemp()) / "shim.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
        settings = {**os.environ, ARMED: str(library), "LD_PRELOAD": str(library)}
        os.execve(sys.executable, [sys.executable, "-m", "tests.crash.faults", *sys.argv[1:]],
                  settings)  # fmt: skip
    return ctypes.CDLL(found)


def _worker(turn: int, wanted: argparse.Namespace, shim: ctypes.CDLL) -> int:
    child = os.fork()
    if child:
        return child
    file, code, total = wanted.into / f"faults-{os.getpid()}.json", 1, Counter[str]()
    try:
        with (
            tempfile.TemporaryDirectory(prefix="faults-", dir="/dev/shm") as folder,
            tempfile.TemporaryDirectory(prefix="faults-", dir=wanted.into) as other,
        ):
            apart = Path(other) / "releases" if wanted.apart else None
            for name in wanted.houses:
                place = Path(folder) / name
                store = Store(HOUSES[name], place, apart, wanted.locks, shim)
                for words in chain(*(store.commands[name] for name in wanted.commands)):
                    mine = islice(store.faults(words), turn * wanted.every, None,
                                  wanted.every * wanted.workers)  # fmt: skip
                    for fault in mine:
                        if wanted.at and fault.at not in wanted.at:
                            continue
                        try:
                            store.fail(words, fault)
                        except AssertionError as broken:
                            store.figures["BROKEN"] += 1
                            print(f"{name}: {str(broken)[:900]}", flush=True)
                        file.write_text(json.dumps(total + store.figures))
                total += store.figures
        code = int(total["BROKEN"] > 0)
    except BaseException:  # noqa: BLE001  # told, and counted as a broken promise
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
