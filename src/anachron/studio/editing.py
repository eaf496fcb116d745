"""Writing plans from pages: new ones as ``anachron init`` does, and changes of what is there."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anachron.errors import PlanError, Refusal
from anachron.guarantees import Guarantee
from anachron.guarantees.promise import Promise
from anachron.ladders import Ladder
from anachron.parts.part import parts_of
from anachron.plan import Plan, Source
from anachron.schema import Schema
from anachron.studio.folder import Folder
from anachron.studio.projects import Project

if TYPE_CHECKING:
    from anachron.proposing.columns import Facts
    from anachron.proposing.proposal import Proposal

__all__ = ["begun", "changed", "refitted", "state_of"]

_PLAN = "plan.toml"


def begun(folder: Folder, name: str, source: Source, found: Proposal) -> str:
    """Begin a project: a folder with a plan, where its ledger and releases will be, too."""
    from anachron.proposing.notes import notes_of

    home = folder.new_file(name)
    table = os.path.realpath(folder.root / source.table) if folder.holds(source.table) else None
    given = source if table is None else source.at(table)
    proposed = replace(found, table=given if given.options else given.table)
    plan = proposed.plan(home / "releases", home / "ledger")
    home.mkdir(mode=0o700)
    plan.write(home / _PLAN, notes_of(plan, proposed))
    return f"{name}/{_PLAN}"


def state_of(file: Path) -> str:
    """What changes when a plan does: a form that was shown for another state is not taken."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def changed(project: Project, shown: str, plan: Plan) -> None:
    """Put another plan into the place of the one that was shown; the text of before is kept."""
    file = project.file
    before = file.read_bytes()
    if shown != hashlib.sha256(before).hexdigest():
        raise Refusal(
            f"{project.name} was changed by somebody else since this page was shown. Load it again."
        )
    text = plan.to_toml(file.parent).encode()
    if Plan.read(file) == plan:
        return
    _put(file.with_suffix(".toml.before"), before)
    _put(file, text)


def _put(file: Path, content: bytes) -> None:
    """Write a file at once, for its owner alone."""
    aside = file.with_name(f".{secrets.token_hex(8)}")
    try:
        made = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(made, "wb") as written:
            written.write(content)
            written.flush()
            os.fsync(made)
        aside.replace(file)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise PlanError(f"cannot be written: {error.strerror}.", file=str(file)) from None


def refitted(promise: Guarantee, schema: Schema, columns: Mapping[str, Facts]) -> Guarantee:
    """The same promise for other roles: quasi columns that are new get a ladder to begin with.

    What it says of columns that are no longer quasi is left out.
    """
    from anachron.trying.settings import with_parts

    changes: dict[str, Any] = {}
    for name, part in parts_of(type(promise)).items():
        kept = getattr(promise, name)
        if isinstance(kept, Promise):
            changes[name] = refitted(kept, schema, columns)
        elif part.by_column:
            held = {column: value for column, value in kept if column in schema.quasi}
            if part.by_column == "ladder":
                held = {**_ladders(schema, columns), **held}
            changes[name] = held
    return with_parts(promise, changes)


def _ladders(schema: Schema, columns: Mapping[str, Facts]) -> dict[str, Ladder]:
    from anachron.proposing.ladders import ladder

    offered = {name: ladder(columns[name]) for name in schema.quasi if name in columns}
    return {name: Ladder.from_dict(steps) for name, steps in offered.items() if steps is not None}
