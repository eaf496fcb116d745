"""Write the pages of docs/reference from the code: ``python scripts/reference.py``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from inspect import cleandoc
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import numpy as np

from anachron.calendar.definitions import BUILT_IN, Granularity
from anachron.calendar.realise import realise, span
from anachron.cli.main import anachron
from anachron.cli.trouble import EXIT_CODES
from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.guarantees.lasting import HISTORIES, PARTS
from anachron.ladders import Ladder
from anachron.plan import Plan
from anachron.plan.sections import MUST, SECTIONS, Section
from anachron.schema import Schema

PAGES = Path(__file__).parents[1] / "docs" / "reference"
ZONE = "Europe/Rome"
MOMENT = datetime(2006, 1, 3, 14, 5, 9, tzinfo=ZoneInfo(ZONE))
MADE = "<!-- Made by scripts/reference.py from the code. Change the code, then run it again. -->"
TITLES = {
    "guarantee.ladders": "guarantee.ladders.COLUMN",
    "calendar": "calendar.NAME",
    "calendar.business_days": "calendar.NAME.business_days",
}
OWN = [
    Granularity.boundaries(
        "term", ["2005-09-12", "2006-01-02", "2006-04-24"], ["autumn", "spring"]
    ),
    Granularity.every("fortnight", 2, "week", anchor="2005-01-03"),
    Granularity.group("period", "week", sizes=[4, 4, 5], anchor="2005-01-03"),
    Granularity.within("working_week", Granularity.business_days("working_day"), "week"),
]


def cli() -> str:
    """Every command's help."""
    lines = ["# The command line", MADE, "Exit codes, the same for every command:"]
    lines += [_table(("code", "means"), [(str(c), text) for c, text in EXIT_CODES.items()])]
    for path, command in _commands("anachron", anachron):
        with click.Context(command, info_name=path, terminal_width=88) as context:
            lines += [f"## {path}", f"```text\n{command.get_help(context)}\n```"]
    return "\n\n".join(lines) + "\n"


def _commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=path)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _commands(f"{path} {name}", inner)


def plan() -> str:
    """Every key of a plan."""
    lines = [
        "# The plan",
        MADE,
        "A plan is a TOML file that says what to publish, what to promise and where to put it. "
        "`anachron init` writes one to begin with. Unknown keys are refused.",
        f"```toml\n{_example()}```",
        "For a register that is released again and again, with the method `invariance`:",
        f"```toml\n{_register()}```",
        "For a feed that is published snapshot by snapshot, with the method `reposition`:",
        f"```toml\n{_feed()}```",
        "For time series with a column for each time, with the method `patterns`:",
        f"```toml\n{_series()}```",
    ]
    for name, section in SECTIONS:
        means = _meanings(section)
        keys = [
            (f"`{name}`", key.holds.expects, _default(key.default), means[name])
            for name, key in section.keys.items()
        ]
        method = section.keys.get("method")
        which = f", method {method.holds.expects}" if method else ""
        lines += [f"## [{TITLES.get(name, name)}]{which}", section.says]
        lines += [_table(("key", "holds", "default", "meaning"), keys)]
    return "\n\n".join([*lines, *_lasting()]) + "\n"


def _meanings(section: Section) -> dict[str, str]:
    """What each key means: by the docstring of its class, and what a plan adds to it."""
    documented = "" if section.of is None else cleandoc(section.of.__doc__ or "")
    told: dict[str, str] = {}
    for names, text in re.findall(r"^(\w[\w, ]*)\n((?:    .*\n|\n(?=    ))+)", documented, re.M):
        words = re.sub(r":\w+:`(\w+)`", r"`\1`", " ".join(text.split())).replace("``", "`")
        told |= dict.fromkeys(names.split(", "), words)
    return {
        name: " ".join(part for part in (told.get(name), key.says) if part)
        for name, key in section.keys.items()
    }


def _lasting() -> Iterator[str]:
    """What may change from one release of a history to the next."""
    yield "## What may change in a history"
    yield (
        "The releases of a register, and of a feed, tell of the same people. What protects these "
        "stays as it is from the first release to the last; before the first, and for a feed "
        "before its first push, everything may change. A part that changed is noted with the "
        "release. Tables of events and of series are published each for itself: there all parts "
        "may change, but the method."
    )
    titles = {"schema": "schema", **{name: f'guarantee, method "{name}"' for name in HISTORIES}}
    for name, title in titles.items():
        parts = [(f"`{part}`", how.may, how.why) for part, how in PARTS[name].items()]
        yield f"### {title}"
        yield _table(("part", "may change", "because"), parts)


def _default(default: object) -> str:
    if default is MUST:
        return "must be given"
    return "" if default in (None, BUILT_IN) else f"`{json.dumps(default)}`"


def _example() -> str:
    here = Path.cwd()
    return Plan(
        here / "visits.parquet",
        Schema("patient", "admitted", ["age", "region"], ["diagnosis"], ZONE),
        TimeGranularity(
            k=5,
            granularities=["day", "week", "month", *OWN[:2]],
            max_suppressed="0.01",
            max_share="1/2",
            ladders={"age": Ladder.bins(5, 10, 20), "region": Ladder.hierarchy(
                [["Rome", "Lazio"], ["Viterbo", "Lazio"], ["Milan", "Lombardy"]])},
        ),
        here / "releases",
        here / "ledger",
    ).to_toml(here)  # fmt: skip


def _register() -> str:
    here = Path.cwd()
    return Plan(
        here / "register.parquet",
        Schema("patient", quasi=["age", "region"], sensitive="diagnosis"),
        MInvariance(
            m=3,
            when_ineligible="hold",
            widths={"age": 5},
            domains={"age": (0, 120)},
            orders={"region": ["Milan", "Turin", "Rome", "Viterbo"]},
        ),
        here / "releases",
        here / "ledger",
    ).to_toml(here)


def _feed() -> str:
    here = Path.cwd()
    return Plan(
        here / "visits.parquet",
        Schema("patient", "admitted", ["age", "region"], "diagnosis", ZONE),
        Reposition(
            l="5/2",
            window=3,
            mu=[0, 1, 3],
            beta={"*": 5, "flu": 4},
            then="generalize",
            widths={"age": 5},
            orders={"region": ["Milan", "Turin", "Rome", "Viterbo"]},
        ),
        here / "releases",
        here / "ledger",
    ).to_toml(here)


def _series() -> str:
    here = Path.cwd()
    return Plan(
        here / "meters.parquet",
        Schema("household", series=["mon", "tue", "wed", "thu", "fri"], sensitive="tariff"),
        KPAnonymity(k=10, P=3, precision="0.5", l=2),
        here / "releases",
        here / "ledger",
    ).to_toml(here)


def granularities() -> str:
    """Every built-in granularity, and some of one's own."""
    head = ("name", "example", "from", "up to, not including")
    return (
        "\n\n".join(
            [
                "# Granularities",
                MADE,
                f"The granule that holds {MOMENT:%Y-%m-%d %H:%M:%S} in {ZONE}, by every "
                "granularity that is built in. From fine to coarse, though not each is finer than "
                "the next: a week may lie in two months.",
                _table(head, [_row(Granularity.named(name)) for name in BUILT_IN]),
                "Your own are defined in the plan under `[calendar.NAME]`, or made with "
                "`Granularity`. Here, academic terms given by their boundaries; two weeks each; "
                "4, 4 and 5 weeks; and the business days of a week, without its weekend.",
                _table(head, [_row(granularity) for granularity in OWN]),
            ]
        )
        + "\n"
    )


def _row(granularity: Granularity) -> tuple[str, ...]:
    instant = int(MOMENT.timestamp()) * 10**6
    granules = realise(granularity, span(ZONE, instant, instant))
    index = granules.index(np.array([instant]))
    ends = (datetime.fromtimestamp(int(end[0]) // 10**6, UTC) for end in granules.bounds(index))
    local = [f"{end.astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S}" for end in ends]
    return (f"`{granularity.name}`", f"`{granules.label(index)[0]}`", *local)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)


WRITERS = {"cli.md": cli, "plan.md": plan, "granularities.md": granularities}


def main() -> None:
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, write in WRITERS.items():
        (PAGES / name).write_text(write(), encoding="utf-8")
        sys.stdout.write(f"wrote {PAGES / name}\n")


if __name__ == "__main__":
    main()
