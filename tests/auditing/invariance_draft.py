"""Releases of a register made by hand, as plainly as can be, to be right or to be spoilt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from anachron.auditing.history import History
from anachron.behind import Microdata
from anachron.guarantees import MInvariance
from anachron.release.read import Release
from anachron.schema import Schema
from anachron.streamed import Streamed
from tests.auditing.drafting import (
    BOUNDS,
    GRID,
    STEPS,
    Row,
    as_csv,
    box,
    digests,
    meanings,
    place,
    shuffled,
)
from tests.auditing.held import held
from tests.release.forging import describe, write_parquet

Signature = tuple[str, ...]

SCHEMA = Schema(subject="who", quasi=["age", "pay", "region"], sensitive="ill")
PROMISE = MInvariance(m=2, when_ineligible="hold", margins=5, **GRID)
TYPES = pa.schema([("group", pa.int64()), *BOUNDS])
STATE = pa.schema(
    [
        ("subject", pa.binary(32)),
        ("value", pa.binary(32)),
        ("signature", pa.int32()),
        ("earlier", pa.list_(pa.int32())),
        ("group", pa.int32()),
        ("standing", pa.int32()),
    ]
)


@dataclass(frozen=True)
class Person:
    """A row of the register."""

    age: int
    pay: float
    region: str
    ill: str


@dataclass(frozen=True)
class Known:
    """What is remembered of a person."""

    ill: str
    signature: Signature
    earlier: tuple[Signature, ...] = ()


@dataclass
class Group:
    """A group that will be published; its box covers its members unless another is given."""

    members: list[str]
    values: list[str]
    box: Row = field(default_factory=dict)
    fakes: int | None = None


who, mark = digests("who"), digests("value")


@dataclass
class Draft:
    """A release of a register that is not written yet."""

    number: int
    people: dict[str, Person]
    groups: list[Group]
    memory: dict[str, Known]
    """What was remembered before."""
    promise: dict[str, Any] = field(default_factory=PROMISE.to_dict)
    columns: dict[str, Any] = field(default_factory=meanings)
    types: pa.Schema = TYPES
    stated_rows: int | None = None
    stated_fakes: int | None = None
    note: str = ""
    sort: bool = True
    rows: Callable[[list[Row]], list[Row]] = lambda rows: rows
    fakes: Callable[[list[Row]], list[Row]] = lambda fakes: fakes
    commas: Callable[[list[Row]], list[Row]] | None = None
    table: Callable[[pa.Table], pa.Table] = lambda table: table
    state: Callable[[dict[str, Row]], None] = lambda state: None
    said: Callable[[Row], None] = lambda said: None
    margins: Callable[[Row], None] = lambda margins: None
    after: Callable[[Path], None] = lambda folder: None
    gone: tuple[str, ...] = ()
    """Who is not in the register, after all."""

    @property
    def register(self) -> dict[str, Person]:
        """The rows that the audit is shown."""
        return {name: person for name, person in self.people.items() if name not in self.gone}

    def group(self, member: str) -> Group:
        """The group of a person."""
        return next(group for group in self.groups if member in group.members)

    def box(self, group: Group) -> Row:
        """The published bounds of a group."""
        if not group.members:
            return dict(group.box)
        return box([self.people[name] for name in group.members]) | group.box

    def fake(self, group: Group) -> int:
        """How many counterfeits a group is said to have."""
        return len(group.values) - len(group.members) if group.fakes is None else group.fakes

    def ordered(self) -> list[Group]:
        """The groups in the order in which they are published."""

        def key(group: Group) -> tuple[Any, ...]:
            return (place(self.box(group)), sorted(group.values), self.fake(group))

        return sorted(self.groups, key=key) if self.sort else self.groups

    def remembered(self) -> dict[str, Known]:
        """What is remembered after the release."""
        known = dict(self.memory)
        for group in self.groups:
            for name in group.members:
                new = Known(self.people[name].ill, tuple(sorted(group.values)))
                old = known.get(name)
                if old is not None:
                    past = [*old.earlier, old.signature]
                    past = [s for s in dict.fromkeys(past) if s != new.signature]
                    new = replace(new, earlier=tuple(past))
                known[name] = new
        return known

    def counted(self) -> Row:
        """The margins: classes of the grid, doubled until there are as few as steps of people."""
        step, told = self.promise.get("margins"), {}
        if step is None:
            return {}
        here = [self.people[name] for group in self.groups for name in group.members]
        boxes = [self.box(group) for group in self.groups]
        for column, (grid, place_of) in STEPS.items():
            reach = [place_of(box[f"{column}_{end}"]) for box in boxes for end in ("low", "high")]
            wide = 1
            while boxes and max(reach) // wide - min(reach) // wide >= max(1, len(here) // step):
                wide *= 2
            found = Counter(place_of(getattr(person, column)) // wide for person in here)
            named = {k: n // step * step for k, n in sorted(found.items()) if n >= step}
            told[column] = {
                "width": str(Decimal(grid) * wide),
                "classes": list(named),
                "people": list(named.values()),
            }
        self.margins(told)
        return {"margins": told}

    def state_table(self) -> pa.Table:
        """The state of the ledger after the release."""
        numbers = {m: n for n, group in enumerate(self.ordered(), 1) for m in group.members}
        state: dict[str, Row] = {
            name: {
                "subject": name,
                "value": known.ill,
                "signature": known.signature,
                "earlier": list(known.earlier),
                "group": numbers.get(name),
                "standing": None,
            }
            for name, known in self.remembered().items()
        }
        self.state(state)
        rows = [row | {"subject": _digest(who, row["subject"])} for row in state.values()]
        rows.sort(key=lambda row: row["subject"])
        sets = [s for row in rows for s in (row["signature"], *row["earlier"])]
        values = sorted({value for s in sets for value in s}, reverse=True)
        signatures = list(dict.fromkeys(sets))
        for row in rows:
            row["value"] = _digest(mark, row["value"])
            row["signature"] = signatures.index(row["signature"])
            row["earlier"] = [signatures.index(s) for s in row["earlier"]]
        said = {
            "values": values,
            "signatures": [sorted(map(values.index, s)) for s in signatures],
            "standing": None,
        }
        self.said(said)
        table = pa.Table.from_pylist(rows, STATE)
        return table.replace_schema_metadata({b"anachron": json.dumps(said).encode()})

    def write(self, folder: Path) -> Release:
        """Write the release with digests that are right."""
        folder.mkdir(parents=True)
        rows: list[Row] = []
        fakes: list[Row] = []
        for number, group in enumerate(self.ordered(), 1):
            for value in sorted(group.values):
                rows.append({"group": number, **self.box(group), "ill": value})
            if self.fake(group):
                fakes.append({"group": number, "counterfeits": self.fake(group)})
        rows, fakes = self.rows(rows), self.fakes(fakes)
        table = self.table(pa.Table.from_pylist(rows, self.types))
        write_parquet(folder / "data.parquet", table, self.note)
        kinds = pa.schema([("group", pa.int64()), ("counterfeits", pa.int64())])
        write_parquet(folder / "counterfeits.parquet", pa.Table.from_pylist(fakes, kinds))
        if self.commas is not None:
            for name, said in (("data", self.commas(rows)), ("counterfeits", fakes)):
                columns = self.types.names if name == "data" else kinds.names
                (folder / f"{name}.csv").write_text(as_csv(said, columns), newline="")
        total = sum(row["counterfeits"] or 0 for row in fakes)
        stated = len(rows) if self.stated_rows is None else self.stated_rows
        describe(
            folder,
            {"data": self.types, "counterfeits": kinds},
            {"data": stated, "counterfeits": len(fakes)},
            number=self.number,
            previous="0" * 64 if self.number > 1 else None,
            guarantee=self.promise,
            columns=self.columns,
            time_zone="UTC",
            counterfeits=total if self.stated_fakes is None else self.stated_fakes,
            **self.counted(),
        )
        self.after(folder)
        return Release(folder)


def loaded(people: dict[str, Person], schema: Schema = SCHEMA) -> Microdata:
    """The register as the audit gets it, out of order."""
    rows = shuffled([{"who": name, **vars(person)} for name, person in people.items()])
    # The reader must not find who stands there twice: that is left to the audit.
    return held(rows, Schema.from_dict({**schema.to_dict(), "spelling": "exact"}))


def history(draft: Draft, before: tuple[pa.Table, ...], releases: tuple[Release, ...]) -> History:
    """What the ledger would show beside a release."""
    states = [Streamed.of(table) for table in (draft.state_table(), *before)]
    return History(states[0], states[1:], releases, who, mark)


def _digest(by: Callable[[pa.Array], pa.Array], text: str) -> bytes:
    found: bytes = by(pa.array([text]))[0].as_py()
    return found
