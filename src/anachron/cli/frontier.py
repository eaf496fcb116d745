"""``anachron frontier``: candidates for a promise, by what they risk and what they lose."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anachron.cli.answer import Answer, shown
from anachron.cli.options import (
    PATH,
    accept_option,
    as_of_option,
    json_option,
    max_views_option,
    quiet_option,
)
from anachron.cli.progress import progress_bar
from anachron.cli.trial import read_parts

if TYPE_CHECKING:
    from anachron.exploring.frontier import Frontier

__all__ = ["frontier"]

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body>{body}</body></html>
"""


@click.command(short_help="Compare promises by risk and loss; writes nothing but a chart.")
@click.argument("plans", type=PATH, nargs=-1, required=True, metavar="PLAN...")
@click.option(
    "--over",
    multiple=True,
    metavar="PART=VALUES",
    help="Try these, such as k=2,5,10; repeatable, for all combinations. If nothing is said, a few "
    "dozen that suit the method.",
)
@click.option("--risk", multiple=True, metavar="NAME",
              help="What is drawn across: group, row, value, unique or attack.")  # fmt: skip
@click.option("--loss", multiple=True, metavar="NAME",
              help="What is drawn upwards, such as time, left_out or windows.")  # fmt: skip
@click.option("--table", help="Explore this table instead of the plan's.")
@as_of_option
@max_views_option
@accept_option("Go on")
@click.option("--without-past", is_flag=True, help="As if nothing had been published yet.")
@click.option("--cache", type=PATH, help="A folder in which figures are kept for the next time.")
@click.option("--chart", type=PATH, metavar="FILE", help="Draw it, as .svg or as a page, .html.")
@click.option("--dark", is_flag=True, help="Draw an .svg on dark paper.")
@click.option("--point", type=click.IntRange(min=1), help="Choose a point: look closer at it.")
@click.option("--write", type=PATH, metavar="PLAN", help="Write the plan of --point to this file.")
@click.option("--overwrite", is_flag=True, help="Write PLAN and FILE even if they are there.")
@quiet_option
@json_option
def frontier(plans: tuple[Path, ...], **options: Any) -> Answer:
    """Lay out candidates for the promise of PLAN by what they risk and what they lose.

    Every least answer of every setting is a point. Nothing is published and no ledger is touched.
    Of several plans, promises are compared by what they have in common. With --point and --write,
    the plan that publishes a point is written: it gives the figures that are shown.

    The exit code is 0 if any candidate can be kept.
    """
    if options["write"] is not None and options["point"] is None:
        raise click.UsageError("--write needs --point, which says which of them.")
    if options["chart"] is not None and options["chart"].suffix not in (".svg", ".html"):
        raise click.UsageError("--chart takes a name that ends in .svg or .html.")
    for name in ("chart", "write"):
        _check_free(options[name], overwrite=options["overwrite"])
    found = _explored(plans, options)
    told, text = found.to_dict(), [str(found)]
    if options["chart"] is not None:
        drawn = _draw(found, options["chart"], dark=options["dark"])
        text.append(f"Drawn: {shown(drawn)}")
    if options["point"] is not None and options["write"] is None:
        closer = found.details(options["point"])
        told["details"] = closer.to_dict()
        text.append(repr(closer))
    elif options["point"] is not None:
        written = found.write(options["point"], options["write"], overwrite=options["overwrite"])
        told["written"] = str(written)
        text.append(f"Written: {shown(written)}, which publishes point {options['point']}.")
    return Answer(told, "\n\n".join(text), 0 if found.line else 1)


def _explored(plans: Iterable[Path], options: dict[str, Any]) -> Frontier:
    from anachron import flow

    parts = read_parts(options["over"], "--over")
    with progress_bar() as progress:
        return flow.frontier(
            list(plans),
            parts or None,
            risk=options["risk"],
            loss=options["loss"],
            table=options["table"],
            past=not options["without_past"],
            as_of=options["as_of"],
            max_views=options["max_views"],
            accept=options["accept"],
            cache=options["cache"],
            progress=progress,
        )


def _check_free(file: Path | None, *, overwrite: bool) -> None:
    """Say what is there already before a large table is read."""
    if file is not None and file.exists() and not overwrite:
        raise click.UsageError(f"{file} exists already. Choose another name, or say --overwrite.")


def _draw(found: Frontier, file: Path, *, dark: bool) -> Path:
    if file.suffix == ".svg":
        drawn = found.chart(dark=dark).svg()
    else:
        drawn = _PAGE.format(title=escape(found.title), body=found._repr_html_())
    file.write_text(drawn, "utf-8")
    return file
