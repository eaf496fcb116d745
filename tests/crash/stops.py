"""Stop every command at random moments: nothing acknowledged is lost, nothing is left behind.

Run it with ``python -m tests.crash.stops --stops 3000 --workers 4``. Commands of all methods are
ended by SIGKILL, SIGTERM, SIGINT or SIGHUP; after each, what it left is looked at, and
either ``ledger recover`` or the next command tidies up. It ends at the first promise broken.
At last the whole disk is searched for people's names and notes in whatever was written meanwhile.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork

import argparse
import json
import random
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

from tests.crash.canaries import NAMES, NOTES, found_in, holds, written_since
from tests.crash.forked import PATIENCE, Ended, done, load_everything, run
from tests.crash.houses import HOUSES, STEPS, House
from tests.crash.small import contents

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
WAYS = (signal.SIGKILL,) * 10 + (signal.SIGTERM,) * 5 + (signal.SIGINT,) * 5 + (signal.SIGHUP,)
LEFT = ("*/.anachron-*", "ledger/aside/*", ".ledger.*", "declared/*/*", "system/*", "**/*.new*")
_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


class Store:
    """A house at work, what it has acknowledged, and how long its commands take."""

    def __init__(self, house: House, root: Path, luck: random.Random) -> None:
        self.house, self.root, self.luck = house, root, luck
        self.acknowledged = 0
        self.step = 1
        self.seconds: dict[str, float] = {}
        self.figures: Counter[str] = Counter()
        done(partial(house.prepare, root))

    def stop_once(self) -> None:
        """Stop the next command at a random moment, and look at what is there then."""
        publishing = self.acknowledged == 0 or self.luck.random() < 0.7
        words = self._next() if publishing else self._other()
        how = self.luck.choice(WAYS)
        what = " ".join(words[:2] if words[0] == "ledger" else words[:1])
        # Whoever was not yet seen to the end is, now and then, for work may have become longer;
        # others are stopped at any moment of it.
        known = self.seconds.get(what, PATIENCE) if self.luck.random() < 0.9 else PATIENCE
        after = self.luck.random() * 1.25 * known
        ended = run([*words, "--json"], self.root, self._settings(), how, after)
        if not ended.stopped:
            self.seconds[what] = ended.seconds
        self._judge(what, how, ended)
        tidy = "recover" if self.luck.random() < 0.5 else "look"
        if publishing and ended.code == 0:
            self.step, tidy = self.step + 1, "next run"
            done(partial(self.house.write, self.root, self.step))
        before = self.acknowledged
        acknowledged = _releases(ended) if publishing else 0
        self.acknowledged = max(before, acknowledged)
        done(partial(look, self.root, self.acknowledged, tidy))
        self.figures += Counter(
            {f"{self.house.name}: {what}": 1, f"by {how.name}": 1, "stopped at work": ended.stopped}
        )
        self.figures["acknowledged"] += self.acknowledged - before
        if ended.code == 0 or not publishing:
            (self.root / "proposed.toml").unlink(missing_ok=True)

    def _next(self) -> list[str]:
        if self.step > STEPS:
            for name in ("ledger", "releases", "keys"):
                shutil.rmtree(self.root / name, ignore_errors=name == "keys")
            self.step, self.acknowledged = 1, 0
            self.figures["stores"] += 1
        return self.house.publish(self.step)

    def _other(self) -> list[str]:
        return self.luck.choice(self.house.others(self.luck.randint(1, self.acknowledged)))

    def _settings(self) -> dict[str, str]:
        found = {"TMPDIR": str(self.root / "system"), **keys(self.root)}
        if self.luck.random() < 0.5:
            found["ANACHRON_TMP"] = str(self.root / "declared")
        if self.house.name == "spilling":
            found["ANACHRON_MEMORY"] = "60MB"
        return found

    def _judge(self, what: str, how: signal.Signals, ended: Ended) -> None:
        """A stop is told as one, with the code that shells expect; nothing is called a mistake."""
        assert "mistake" not in ended.said, (what, how, ended)
        assert "Traceback" not in ended.said, (what, how, ended)
        # A proposal may find nobody in a table, and say so.
        whole = (0, 2) if what == "init" else (0,)
        if ended.stopped and ended.code not in (*whole, -how):
            assert ended.code == CODES.get(how), (what, how, ended)
        elif not ended.stopped:
            assert ended.code in whole, (what, ended)


def _releases(ended: Ended) -> int:
    """How many releases a command has acknowledged, by what it said."""
    if ended.code != 0:
        return 0
    said = json.loads(ended.said[ended.said.index("{") :])
    numbers = [int(Path(path).name) for path in _folders(said)]
    return max(numbers, default=0)


def _folders(said: object) -> list[str]:
    """Every folder of a release that an answer names."""
    if isinstance(said, dict):
        named = [said["release"]] if isinstance(said.get("release"), str) else []
        return named + [path for value in said.values() for path in _folders(value)]
    if isinstance(said, list):
        return [path for value in said for path in _folders(value)]
    return []


def keys(root: Path) -> dict[str, str]:
    """What commands must be told once the key of the ledger was moved out of it."""
    moved = any((root / "keys").glob("*.key"))
    return {"ANACHRON_KEYS": str(root / "keys")} if moved else {}


def look(root: Path, acknowledged: int, tidy: str) -> None:
    """Look at a store: after recovery or a whole run, nothing may be left."""
    from anachron.ledger import Ledger
    from anachron.release import Release

    spared = [root / "tables"]
    if not (root / "ledger").exists():
        assert acknowledged == 0, "the ledger is gone"
        return
    if tidy == "recover":
        os.environ["ANACHRON_TMP"] = str(root / "declared")
    os.environ.update(keys(root))
    ledger = Ledger.open(root / "ledger")
    if tidy == "recover":
        done_ = ledger.recover()
        again = ledger.recover()
        assert again == [], (done_, again)
    entries = ledger.entries()
    assert len(entries) >= acknowledged, "an acknowledged release was lost"
    if tidy == "look":
        return
    problems = ledger.check()
    assert problems == [], problems
    there = sorted(path.name for path in (root / "releases").glob("*"))
    assert there == [f"{entry.number:04d}" for entry in entries], (there, len(entries))
    assert [Release(entry.path).number for entry in entries] == list(range(1, len(entries) + 1))
    assert len({entry.snapshot for entry in entries}) == len(entries), "published twice"
    if tidy == "next run":
        # What was declared for one run need not be for the next.
        shutil.rmtree(root / "declared")
        (root / "declared").mkdir()
    left = [str(path) for pattern in LEFT for path in root.glob(pattern)]
    assert left == [], left
    canaries = found_in([root], [NAMES], spared)
    assert canaries == [], canaries
    published = [*spared, root / "releases", root / "certificate.html"]
    canaries = found_in([root], [NOTES], published)
    assert canaries == [], canaries
    assert contents(root / "system") == {}


def main() -> None:
    """Read the size of the campaign and run it, in some processes at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--houses", nargs="+", default=list(HOUSES), choices=list(HOUSES))
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir()))
    wanted = parser.parse_args()
    print(f"seed {wanted.seed}", flush=True)
    load_everything()
    started, since = time.monotonic(), time.time()
    share = -(-wanted.stops // wanted.workers)
    children = [_worker(share, wanted.seed + at, wanted) for at in range(wanted.workers)]
    failed = [child for child in children if os.waitpid(child, 0)[1]]
    total: Counter[str] = Counter()
    for child in children:
        file = wanted.into / f"stops-{child}.json"
        total.update(json.loads(file.read_text()) if file.exists() else {})
    for name, many in sorted(total.items()):
        print(f"{many:7,}  {name}")
    print(f"{len(failed)} of {wanted.workers} workers saw a promise broken, "
          f"in {time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    files = written_since(since)
    left = [str(file) for file in files if holds(file, [NAMES, NOTES])]
    print(f"{len(files):,} files were written on this machine since; people's data in: {left}")
    raise SystemExit(bool(failed or left))


def _worker(stops: int, seed: int, wanted: argparse.Namespace) -> int:
    child = os.fork()
    if child:
        return child
    file, code, total = wanted.into / f"stops-{os.getpid()}.json", 1, Counter[str]()
    luck = random.Random(seed)
    try:
        with tempfile.TemporaryDirectory(prefix="stops-", dir=_MEMORY) as folder:
            names = wanted.houses[:]
            luck.shuffle(names)
            stores = [Store(HOUSES[name], Path(folder) / name, luck) for name in names]
            for at in range(stops):
                stores[at % len(stores)].stop_once()
                total = sum((store.figures for store in stores), Counter())
                file.write_text(json.dumps(total))
        code = 0
    except BaseException:  # noqa: BLE001  # told, and counted as a broken promise
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
