"""Ways to alter a release: what a description says, how files are built, and which there are.

Each takes the folder of a release and luck, changes the folder, and says whether it left something
there that nobody must take for a release: then no command may accept it.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.auditing import smuggled_files, smuggled_words  # noqa: F401 (importing them lists them)
from tests.auditing.smuggling import SECRET, SMUGGLERS
from tests.release.forging import reseal, said_by, say

CANARY = SECRET
"""A row of the table that nobody may see."""
NOTHING_HIDDEN = {"another_release"}
"""What the audit refuses though whoever reads it learns no more: a release in another's place."""
Luck = random.Random
Mutation = Callable[[Path, Luck], bool]
DESCRIPTION = "datapackage.json"
MUTATIONS: dict[str, tuple[int, Mutation]] = {}
"""By name: how often each is drawn, and what it does."""


def mutation(weight: int) -> Callable[[Mutation], Mutation]:
    """Keep a mutation, drawn so often."""

    def keep(given: Mutation) -> Mutation:
        MUTATIONS[given.__name__] = (weight, given)
        return given

    return keep


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, Any]]:
    """All places of a description: what holds it, and under which key."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in items:
        yield tree, key
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def odd_value(luck: Luck) -> Any:
    """Something that hardly belongs anywhere."""
    plain = [None, True, False, 0, -1, 1, 1.5, 2**31, 2**63, -(2**63), 10**30, "", " ", "x", "0",
             "-1", "1e999999", "NaN", "Infinity", "1/0", "../x", "/etc/passwd", "http://x/y",
             "s3://x", "\x00", "\u202e", "a" * 5000, "UTC", "Europe/Rome", "day", "week", "data",
             "group", "sha256:" + "0" * 64, "0" * 64, "2024-02-30", "..", ".", "\ud7ff",
             [], {}, [[]], [{}], {"": ""}, ["x", "x"]]  # fmt: skip
    deep: Any = []
    for _ in range(luck.choice([3, 60, 900])):
        deep = [deep] if luck.random() < 0.7 else {"a": deep}
    return luck.choice([*plain, deep])


def _replace(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    holder[key] = odd_value(luck)
    return False


def _plant(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    """Put a secret in the place of a value that is no text of its own."""
    there = holder[key]
    holder[key] = [CANARY] if isinstance(there, list) else CANARY
    return False  # in some places a name may stand, which is seen and not hidden


def _more(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    there = holder[key] if isinstance(holder[key], dict) else holder
    if isinstance(there, dict):
        there[luck.choice(["note", "x", "", "Name", "raw", "data "])] = CANARY
        return True
    there.append(luck.choice([CANARY, there[0]]))
    return False


def _less(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    del holder[key]
    return False


def _renamed(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    if isinstance(holder, dict):
        holder[luck.choice([CANARY, key + "x", key.upper(), "", " " + key])] = holder.pop(key)
    else:
        holder.reverse()
    return False


def _swapped(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    other, there = luck.choice(list(places(said)))
    # Copies, else one could come to hold itself, and be no tree any more.
    one, two = json.loads(json.dumps([holder[key], other[there]]))
    holder[key] = two
    other[there] = one
    return False


def _nudged(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    value = holder[key]
    if isinstance(value, bool):
        holder[key] = not value
    elif isinstance(value, int):
        holder[key] = luck.choice([value + 1, value - 1, -value, value * 1000, float(value)])
    elif isinstance(value, str) and value:
        at = luck.randrange(len(value))
        holder[key] = value[:at] + luck.choice(["", "a", "9", " ", "é", "\n"]) + value[at + 1 :]
    else:
        holder[key] = odd_value(luck)
    return False


def _doubled(holder: Any, key: Any, said: Any, luck: Luck) -> bool:
    if isinstance(holder, list):
        holder.insert(luck.randrange(len(holder) + 1), holder[key])
    elif isinstance(listed := said.get("resources"), list) and listed:
        listed.append(json.loads(json.dumps(luck.choice(listed))))
    else:
        holder["resources"] = [holder[key]] * 2
    return False


_WORDS = (_replace, _replace, _plant, _more, _less, _renamed, _swapped, _nudged, _nudged, _doubled)


@mutation(45)
def words(folder: Path, luck: Luck) -> bool:
    """Say something else at one to three places, in the spelling of every description."""
    said, hides = said_by(folder), False
    for _ in range(luck.choice([1, 1, 1, 2, 3])):
        everywhere = list(places(said))
        own = said.get("anachron")
        ours = list(places(own)) if isinstance(own, dict | list) and own else everywhere
        if not everywhere:
            break
        holder, key = luck.choice(ours if luck.random() < 0.7 else everywhere)
        hides |= luck.choice(_WORDS)(holder, key, said, luck)
    try:
        say(folder, said)
    except (RecursionError, ValueError):
        (folder / DESCRIPTION).write_text("[" * 5000)
        return False
    return hides and CANARY in (folder / DESCRIPTION).read_text()


@mutation(8)
def spelling(folder: Path, luck: Luck) -> bool:
    """Write the description otherwise, or break it."""
    file = folder / DESCRIPTION
    text = file.read_bytes()
    at = luck.randrange(len(text))
    line = text.index(b"\n", luck.randrange(len(text) - 2))
    kinds: list[tuple[bytes, bool]] = [
        (text[:at], False),
        (text[:at] + bytes([luck.randrange(256)]) + text[at + 1 :], False),
        (text[:at] + os.urandom(3) + text[at:], False),
        (b"\xef\xbb\xbf" + text, False),
        (text[:line] + b" " * 50 + text[line:], False),
        (text + CANARY.encode(), True),
        (text[:1] + f'"x": "{CANARY}",'.encode() + text[1:], True),
        (text[:1] + b'"name": "x",' + text[1:], False),
        (b"[" * luck.choice([10, 1000, 200_000]), False),
        (b'{"a":' * 100_000, False),
        (b"1" * luck.choice([5, 5000, 10**6]), False),
        (json.dumps(json.loads(text)).encode(), False),
        (text.decode().encode("utf-16"), False),
        (b"", False),
        (b"null", False),
        (b"[]" * 10, False),
        (b'{"anachron": [' + b"[]," * 3_000_000 + b"[]]}", False),
        (b"\x00" * 100, False),
    ]
    changed, hides = luck.choice(kinds)
    file.write_bytes(changed)
    return hides


@mutation(12)
def smuggled(folder: Path, luck: Luck) -> bool:
    """Hide something in one of the ways that the audit's tests know."""
    fitting = [one for one in SMUGGLERS if not one.csv or (folder / "data.csv").exists()]
    one = luck.choice(fitting)
    one.hide(folder)
    return one.name not in NOTHING_HIDDEN


def _beside(new: Path, one: Path, luck: Luck) -> bool:
    """Something more in the folder."""
    choice = luck.randrange(4)
    if choice == 0:
        new.write_text(CANARY)
    elif choice == 1:
        new.mkdir()
        (new / "raw").write_text(CANARY)
    elif choice == 2:
        new.symlink_to(luck.choice(["/etc/passwd", "data.parquet", "nowhere", "."]))
    else:
        os.mkfifo(new)
    return True


def _no_file(new: Path, one: Path, luck: Luck) -> bool:
    """No plain file where one must be."""
    away = one.rename(one.parent.parent / f"elsewhere-{luck.random()}")
    choice = luck.randrange(4)
    if choice == 0:
        one.symlink_to(away)
    elif choice == 1:
        luck.choice([os.mkfifo, os.mkdir])(one)
    elif choice == 2:
        one.symlink_to(luck.choice(["/dev/zero", "/dev/null", "/proc/self/mem", one.name]))
    return True


def _other_content(new: Path, one: Path, luck: Luck) -> bool:
    one.write_bytes(luck.choice([b"", CANARY.encode()]))
    return True


def _another(new: Path, one: Path, luck: Luck) -> bool:
    """One file in the place of another."""
    others = [file for file in sorted(one.parent.iterdir()) if file.name != one.name]
    shutil.copy(luck.choice(others), one)
    if luck.random() < 0.5 and one.name != DESCRIPTION:
        reseal(one.parent)
    return one.name == DESCRIPTION


def _longer(new: Path, one: Path, luck: Luck) -> bool:
    with one.open("ab") as file:
        file.write(CANARY.encode())
    if one.name != DESCRIPTION:
        reseal(one.parent)
    return True


_FILES = (_beside, _no_file, _other_content, _another, _longer)


@mutation(9)
def files(folder: Path, luck: Luck) -> bool:
    """Change which files there are, and of which kind."""
    new = folder / luck.choice(["raw.csv", ".raw", "data.parquet.bak", "Data.parquet", "\u202ex",
                                "-rf", "data.csv ", "a" * 200, "%s", "\x1b[2J"])  # fmt: skip
    return luck.choice(_FILES)(new, luck.choice(sorted(folder.iterdir())), luck)


@mutation(12)
def some_bytes(folder: Path, luck: Luck) -> bool:
    """Change bytes of a file, and put the description right."""
    file = luck.choice([one for one in sorted(folder.iterdir()) if one.name != DESCRIPTION])
    data = bytearray(file.read_bytes())
    hides, choice = False, luck.randrange(5)
    tail = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    low = tail if 0 < tail < len(data) and luck.random() < 0.4 else 0
    if choice < 2:
        for _ in range(luck.choice([1, 1, 2, 8])):
            data[luck.randrange(low, len(data))] ^= 1 << luck.randrange(8)
    elif choice == 2:
        del data[luck.randrange(low, len(data)) :]
    elif choice == 3:
        at = luck.randrange(low, len(data))
        del data[at : at + luck.choice([1, 4, 100])]
    else:
        at = luck.choice([4, max(low, 0), luck.randrange(len(data)), len(data) - 8, len(data)])
        data[at:at] = CANARY.encode() * luck.choice([1, 30])
        hides = True
    file.write_bytes(data)
    reseal(folder)
    return hides
