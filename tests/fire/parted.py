"""Ways to alter a release in parts: how rows are divided, which parts there are, and any one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fire.mutations import CANARY, Luck, Mutation, files, some_bytes, spelling, words
from tests.fire.rows import _cells, _other_type, _shuffled, without_csv
from tests.release.forging import Said, reseal, restate, said_by, write_parquet

__all__ = ["PARTED", "is_parted"]


def is_parted(folder: Path) -> bool:
    """Whether a release has a table in several parts."""
    return any(folder.glob("*-0001.parquet"))


def _parts(folder: Path) -> list[Path]:
    """The parts of its first table that has several."""
    name = min(folder.glob("*-0001.parquet")).name.removesuffix("-0001.parquet")
    return sorted(folder.glob(f"{name}-*.parquet"))


def _resource(folder: Path, part: Path, change: Callable[[Said], object]) -> None:
    """Change what is said of the table that a file belongs to."""
    name = part.stem.partition("-")[0]
    restate(folder, lambda said: change(next(r for r in said["resources"] if r["name"] == name)))


def _described(folder: Path, files: Sequence[Path]) -> None:
    """Describe these files as the parts of the table; or the one as the whole of it."""
    names = [file.name for file in files]

    def change(resource: Said) -> None:
        counts = [pq.read_metadata(file).num_rows for file in files]
        resource |= {"path": names, "rows": sum(counts)}
        resource["parts"] = [
            {"path": name, "rows": rows, "bytes": 0, "hash": ""}
            for name, rows in zip(names, counts, strict=True)
        ]
        if len(files) == 1:
            resource["path"] = names[0]
            del resource["parts"]

    _resource(folder, files[0], change)


def _divided(folder: Path, sizes: Callable[[int], list[int]], name: str = "{}-{:04d}") -> None:
    """Write the rows into other parts, and describe those."""
    old = _parts(folder)
    table = old[0].name.rpartition("-")[0]
    rows = pa.concat_tables(map(pq.read_table, old))
    new, start = [], 0
    for number, size in enumerate(sizes(len(rows)), 1):
        new.append(folder / f"{name.format(table, number)}.parquet")
        write_parquet(new[-1].with_suffix(".new"), rows.slice(start, size))
        start += size
    _described_as(folder, old, new)


def _described_as(folder: Path, old: Sequence[Path], new: Sequence[Path]) -> None:
    made = [file.with_suffix(".new") for file in new]
    _described(folder, made)
    for file in old:
        file.unlink()
    for file, final in zip(made, new, strict=True):
        file.rename(final)

    def named(said: Said) -> None:
        for resource in said["resources"]:
            paths = resource["path"]
            listed = [paths] if isinstance(paths, str) else paths
            ready = [path.replace(".new", ".parquet") for path in listed]
            resource["path"] = ready[0] if isinstance(paths, str) else ready
            for part in resource.get("parts", ()):
                part["path"] = part["path"].replace(".new", ".parquet")

    restate(folder, named)
    reseal(folder)


def _swap(folder: Path, luck: Luck) -> bool:
    one, two = luck.sample(_parts(folder), 2)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    reseal(folder)
    return False


def _double(folder: Path, luck: Luck) -> bool:
    one, two = luck.sample(_parts(folder), 2)
    shutil.copyfile(one, two)
    if luck.random() < 0.8:
        reseal(folder)
    return False


def _one_more(folder: Path, luck: Luck) -> bool:
    """A further part that nothing is said of, or that is described as well."""
    parts = _parts(folder)
    more = folder / f"{parts[0].name.rpartition('-')[0]}-{len(parts) + 1:04d}.parquet"
    shutil.copyfile(luck.choice(parts), more)
    if luck.random() < 0.5:
        _described(folder, [*parts, more])
        reseal(folder)
        return False
    return True


def _one_less(folder: Path, luck: Luck) -> bool:
    """A part is not there, whether it is described or not."""
    parts = _parts(folder)
    gone = luck.choice(parts)
    gone.unlink()
    if luck.random() < 0.5:
        _described(folder, [part for part in parts if part != gone])
        reseal(folder)
    return True


def _otherwise(folder: Path, luck: Luck) -> bool:
    """The right rows in other files than they must be."""
    whole = said_by(folder)["resources"][0].get("parts", [{"rows": 2}])[0]["rows"]
    ways: list[tuple[Callable[[int], list[int]], str]] = [
        (lambda rows: [rows], "{}"),
        (lambda rows: [rows // 2, rows - rows // 2 + 0], "{}-{:04d}"),
        (lambda rows: [1, rows - 1], "{}-{:04d}"),
        (lambda rows: [1] * min(rows, 40) + [rows - min(rows, 40)], "{}-{:04d}"),
        (lambda rows: _as_due(rows, whole), "{}-{}"),
        (lambda rows: _as_due(rows, whole), "{}-{:05d}"),
        (lambda rows: [*_as_due(rows, whole), 0], "{}-{:04d}"),
    ]
    sizes, name = luck.choice(ways)
    _divided(folder, sizes, name)
    return True


def _as_due(rows: int, whole: int) -> list[int]:
    return [min(whole, rows - start) for start in range(0, rows, whole)]


def _noted(folder: Path, luck: Luck) -> bool:
    """A note in the footer of one part, or in what is said of it."""
    if luck.random() < 0.5:
        part = luck.choice(_parts(folder))
        write_parquet(part, pq.read_table(part), CANARY)
        reseal(folder)
    else:
        _resource(
            folder, _parts(folder)[0], lambda said: luck.choice(said["parts"]).update(note=CANARY)
        )
    return True


def _other_rows(folder: Path, luck: Luck) -> bool:
    """Odd cells, another type or another order in one part."""
    part = luck.choice(_parts(folder))
    table = luck.choice([_cells, _other_type, _shuffled])(pq.read_table(part), luck)
    without_csv(folder)
    write_parquet(part, table)
    reseal(folder)
    return False


_WAYS = (_swap, _double, _one_more, _one_less, _otherwise, _otherwise, _noted, _other_rows)


def parts(folder: Path, luck: Luck) -> bool:
    """Change how a table is divided, or one of its parts."""
    return luck.choice(_WAYS)(folder, luck)


PARTED: dict[str, tuple[int, Mutation]] = {
    "parts": (50, parts),
    "words": (25, words),
    "files": (10, files),
    "some_bytes": (10, some_bytes),
    "spelling": (5, spelling),
}
"""What is done to a release in parts: how often, and how."""
