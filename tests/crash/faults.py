"""Let the n-th operation on a file fail, for all commands: all or nothing, and the next goes on.

Run it with ``python -m tests.crash.faults --faults 1000 --workers 4``. A small library in C, which
is compiled first and preloaded, makes opens, writes, syncs, moves, removals and maps below the
store fail with EIO, ENOSPC, EDQUOT, EACCES or EINTR, once or from then on. It ends at the first
promise broken.
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
from functools import partial
from pathlib import Path

from tests.crash.forked import Ended, done, load_everything, run
from tests.crash.houses import HOUSES, House
from tests.crash.stops import look

REASONS = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EINTR)
SOURCE = Path(__file__).with_name("shim.c")
ARMED = "ANACHRON_FAULTS"


class Store:
    """A house with a release, and copies of it in which operations fail."""

    def __init__(self, house: House, root: Path, luck: random.Random) -> None:
        self.house, self.root, self.luck = house, root / "start", luck
        self.many: dict[str, int] = {}
        self.figures: Counter[str] = Counter()
        done(partial(house.prepare, self.root))
        for step in (1, 2, 3, 4):
            done(partial(house.write, self.root, step))
        for step in (1, 2, 3):
            ended = run([*house.publish(step), "--json"], self.root, self._settings(self.root))
            assert ended.code == 0, ended

    def fail_once(self, shim: ctypes.CDLL) -> None:
        """Let one operation of one command fail, and look at what is there then."""
        publishing = self.luck.random() < 0.7
        words = self.house.publish(4) if publishing else self.luck.choice(self._others())
        what = " ".join(words[:2] if words[0] == "ledger" else words[:1])
        reason, for_ever = self.luck.choice(REASONS), self.luck.random() < 0.3
        for_ever = for_ever and reason != errno.EINTR
        if what not in self.many:
            self.many[what] = self._count(words, shim)
        at = self.luck.randint(1, max(self.many[what], 1))
        work = self._copy()
        arm = partial(shim.fault_arm, os.fsencode(f"{work}/"), at, reason, for_ever)
        ended = run([*words, "--json"], work, self._settings(work), before=arm)
        self._judge(words, ended, (at, errno.errorcode[reason], for_ever))
        acknowledged = self._releases() + (publishing and ended.code == 0 and self._due())
        done(partial(look, work, acknowledged, "recover"))
        if publishing:
            again = run([*words, "--json"], work, self._settings(work))
            assert again.code == 0, (words, at, reason, again)
            done(partial(look, work, self._releases() + self._due(), "next run"))
        self.figures[f"{self.house.name}: {what}"] += 1
        self.figures[f"{errno.errorcode[reason]}{' from then on' if for_ever else ''}"] += 1
        self.figures["failed, and said so" if ended.code else "went on all the same"] += 1

    def _others(self) -> list[list[str]]:
        return [words for words in self.house.others(1) if words[0] != "init"]

    def _releases(self) -> int:
        return len([*(self.root / "releases").iterdir()])

    def _due(self) -> int:
        return 1

    def _settings(self, root: Path) -> dict[str, str]:
        return {"TMPDIR": str(root / "system")}

    def _copy(self) -> Path:
        work = self.root.with_name("work")
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(self.root, work)
        plan = work / "plan.toml"
        plan.write_text(plan.read_text().replace(str(self.root), str(work)))
        return work

    def _count(self, words: list[str], shim: ctypes.CDLL) -> int:
        """How many operations an undisturbed command takes."""
        work = self._copy()
        told = work.with_name("many")

        def arm() -> None:
            shim.fault_arm(os.fsencode(f"{work}/"), -1, 0, 0)
            real = os._exit

            def tell(code: int) -> None:
                told.write_text(str(shim.fault_seen()))
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


def main() -> None:
    """Read the size of the campaign and run it, in some processes at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--houses", nargs="+", default=[*HOUSES][:5], choices=list(HOUSES))
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir()))
    wanted = parser.parse_args()
    shim = _preloaded()
    print(f"seed {wanted.seed}", flush=True)
    load_everything()
    started = time.monotonic()
    share = -(-wanted.faults // wanted.workers)
    children = [_worker(share, wanted.seed + at, wanted, shim) for at in range(wanted.workers)]
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


def _worker(faults: int, seed: int, wanted: argparse.Namespace, shim: ctypes.CDLL) -> int:
    child = os.fork()
    if child:
        return child
    file, code = wanted.into / f"faults-{os.getpid()}.json", 1
    luck = random.Random(seed)
    try:
        with tempfile.TemporaryDirectory(prefix="faults-", dir="/dev/shm") as folder:
            names = wanted.houses[:]
            luck.shuffle(names)
            stores: list[Store] = []
            for at in range(faults):
                if len(stores) < len(names):
                    name = names[len(stores)]
                    stores.append(Store(HOUSES[name], Path(folder) / name, luck))
                stores[at % len(stores)].fail_once(shim)
                total = sum((store.figures for store in stores), Counter[str]())
                file.write_text(json.dumps(total))
        code = 0
    except BaseException:  # noqa: BLE001  # told, and counted as a broken promise
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
