"""Let eight commands begin at the same moment: each does its work, or says why it cannot.

Run it with ``python -m tests.crash.races --races 1000 --workers 1``. In each race three publish the
next table of a house, one after the other's, and the others look at releases, check the ledger
or tidy it up; every third race begins without a ledger. It ends at the first promise broken.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads do not survive a fork

import argparse
import json
import random
import shutil
import tempfile
import time
import traceback
from collections import Counter
from functools import partial
from pathlib import Path

from tests.crash.forked import be_the_command, done, load_everything
from tests.crash.houses import HOUSES, House
from tests.crash.stops import look

RUNNERS = 8
PUBLISHERS = 3


class Track:
    """A house whose commands race; it begins anew after some races."""

    def __init__(self, house: House, root: Path, luck: random.Random) -> None:
        self.house, self.root, self.luck = house, root, luck
        self.step = 0
        self.figures: Counter[str] = Counter()
        done(partial(house.prepare, root))

    def race(self) -> None:
        """Let all begin at once, and look at what is there then."""
        if self.step == 3:
            for name in ("ledger", "releases"):
                shutil.rmtree(self.root / name)
            self.step = 0
        self.step += 1
        done(partial(self.house.write, self.root, self.step))
        publish = self.house.publish(self.step)
        left_out = {"init", "report", "--move"}
        others = [words for words in self.house.others(1) if not left_out & {*words}]
        asked = [publish] * PUBLISHERS + self.luck.choices(others, k=RUNNERS - PUBLISHERS)
        self.luck.shuffle(asked)
        ended = self._together(asked)
        made = [said for words, code, said in ended if words is publish and code == 0]
        for words, code, said in ended:
            self._judge(words, code, said)
        # Whoever was too early for a lock can be sure that another has it.
        assert made, ended
        done(partial(look, self.root, len(self._released()), "next run"))
        self.figures[f"{self.house.name}: races"] += 1

    def _released(self) -> list[Path]:
        return sorted((self.root / "releases").glob("[0-9]*"))

    def _together(self, asked: list[list[str]]) -> list[tuple[list[str], int, str]]:
        go, ready = os.pipe()
        runners = []
        for number, words in enumerate(asked):
            said = self.root.parent / f"{self.root.name}.{number}.said"
            settings = {"TMPDIR": str(self.root / "system")}
            child = os.fork()
            if child == 0:
                os.close(ready)
                # Nothing is ever written: reading ends for all when the other end is closed.
                wait = partial(os.read, go, 1)
                be_the_command([*words, "--json"], self.root, settings, said, wait)
            runners.append((words, child, said))
        os.close(go)
        time.sleep(0.05)
        os.close(ready)
        ended = []
        for words, child, said in runners:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            ended.append((words, code, said.read_text(errors="replace")))
            said.unlink()
        return ended

    def _judge(self, words: list[str], code: int, said: str) -> None:
        """A command that comes too early or too late says so; nothing is called a mistake."""
        assert "mistake" not in said, (words, said)
        assert "Traceback" not in said, (words, said)
        assert code in (0, 1, 2), (words, code, said)
        what = " ".join(words[:2] if words[0] == "ledger" else words[:1])
        kind = ""
        if code:
            told = json.loads(said[said.index("{") :])
            assert "error" in told or self.step == 1, (words, said)
            kind = f": {told['error']['kind'] if 'error' in told else 'nothing there yet'}"
        self.figures[f"{what}{kind or ': done'}"] += 1


def main() -> None:
    """Read the size of the campaign and run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--houses", nargs="+", default=[*HOUSES][:5], choices=list(HOUSES))
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    load_everything()
    share = -(-wanted.races // wanted.workers)
    children = [_worker(share, wanted.seed + at, wanted.houses) for at in range(wanted.workers)]
    ended = [os.waitpid(child, 0)[1] for child in children]
    raise SystemExit(any(ended))


def _worker(races: int, seed: int, houses: list[str]) -> int:
    child = os.fork()
    if child:
        return child
    code, luck, tracks = 1, random.Random(seed), []
    try:
        with tempfile.TemporaryDirectory(prefix="races-") as folder:
            tracks = [Track(HOUSES[name], Path(folder) / name, luck) for name in houses]
            for at in range(races):
                tracks[at % len(tracks)].race()
        code = 0
    except BaseException:  # noqa: BLE001  # told, and counted as a broken promise
        traceback.print_exc()
    finally:
        for name, many in sorted(sum((track.figures for track in tracks), Counter()).items()):
            print(f"{many:7,}  {name}", flush=True)
        os._exit(code)


if __name__ == "__main__":
    main()
