"""What can be hidden in the description of a release: tables, keys, texts, and the spelling."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from anachron.release.describe import DESCRIPTION
from tests.auditing.smuggling import SECRET, Smuggle, smuggler
from tests.release.forging import Said, reseal, restate, write_parquet

OTHER_TABLES = "resources: they are not the tables of this method"
NOT_KNOWN = "its key number \\d+ does not belong there"
NOT_OURS = "it is not what Anachron writes there"


def said(change: Callable[[Said], object]) -> Smuggle:
    """Change what the description says."""
    return lambda folder: restate(folder, change)


# Tables


def another_table(at: int, name: str) -> Smuggle:
    """Add a table, and tell of it at a place."""

    def hide(folder: Path) -> None:
        write_parquet(folder / "evil.parquet", pa.table({"raw": [SECRET]}))
        more = {"name": name, "path": "evil.parquet"}
        restate(folder, lambda said: said["resources"].insert(at, said["resources"][0] | more))
        reseal(folder)

    return hide


smuggler(OTHER_TABLES)(
    a_table_more=another_table(99, "evil"),
    a_second_data_before_the_first=another_table(0, "data"),
    a_second_data_behind_the_first=another_table(1, "data"),
    a_table_twice=said(lambda said: said["resources"].append(said["resources"][0])),
)


@smuggler(OTHER_TABLES)
def a_csv_that_is_no_table_of_the_method(folder: Path) -> None:
    (folder / "evil.csv").write_text(SECRET)
    more = {"name": "evil-csv", "path": "evil.csv", "format": "csv"}
    restate(folder, lambda said: said["resources"].append(said["resources"][0] | more))
    reseal(folder)


@smuggler(OTHER_TABLES)
def a_table_of_another_name(folder: Path) -> None:
    (folder / "data.parquet").rename(folder / "dаta.parquet")
    restate(folder, lambda said: said["resources"][0].update(path="dаta.parquet"))


# Keys

PLACES: dict[str, tuple[str, Callable[[Said], Said]]] = {
    "the top": ("altered \\(" + NOT_KNOWN, lambda said: said),
    "a resource": ("resources\\[0\\]: " + NOT_KNOWN, lambda said: said["resources"][0]),
    "a schema": (
        "resources\\[0\\].schema: " + NOT_KNOWN,
        lambda said: said["resources"][0]["schema"],
    ),
    "a field": (
        "schema.fields\\[1\\]: " + NOT_KNOWN,
        lambda said: said["resources"][0]["schema"]["fields"][1],
    ),
    "the promise's side": ("anachron: " + NOT_KNOWN, lambda said: said["anachron"]),
    "the guarantee": (
        "anachron.guarantee: it is no promise",
        lambda said: said["anachron"]["guarantee"],
    ),
    "a column": (
        r"anachron.columns.\w+: " + NOT_KNOWN,
        lambda said: next(iter(said["anachron"]["columns"].values())),
    ),
}
for where, (place, find) in PLACES.items():
    for key in ("note", SECRET):
        with_a_key = said(lambda said, find=find, key=key: find(said).update({key: SECRET}))
        smuggler(place)(**{f"a key more in {where}, {len(key)} letters": with_a_key})
smuggler("resources\\[1\\].dialect: " + NOT_KNOWN, csv=True)(
    a_key_more_in_the_dialect=said(
        lambda said: said["resources"][1]["dialect"].update(comment=SECRET)
    )
)
smuggler(r"anachron.columns.…: |anachron.columns.….role")(
    a_column_more=said(
        lambda said: said["anachron"]["columns"].update({SECRET: {"role": "x", "published": []}})
    )
)
MORE = {"role": "sensitive", "published": ["more"]}
smuggler(r"schema: its columns are not those|anachron.columns: 2 of its columns are sensitive")(
    a_sensitive_column_more=said(lambda said: said["anachron"]["columns"].update(more=MORE))
)

# Texts

TEXTS: dict[str, tuple[str, Callable[[Said], object]]] = {
    "title": (f"title: {NOT_OURS}", lambda said: said.update(title=SECRET)),
    "name": (f"name: {NOT_OURS}", lambda said: said.update(name=SECRET)),
    "profile": (f"profile: {NOT_OURS}", lambda said: said.update(profile=SECRET)),
    "resource's profile": (
        rf"resources\[0\].profile: {NOT_OURS}",
        lambda said: said["resources"][0].update(profile=SECRET),
    ),
    "resource's name": (
        rf"resources\[0\].name: {NOT_OURS}",
        lambda said: said["resources"][0].update(name=SECRET),
    ),
    "mediatype": (
        rf"resources\[0\].mediatype: {NOT_OURS}",
        lambda said: said["resources"][0].update(mediatype=SECRET),
    ),
    "description of a field": (
        r"schema.fields\[\d+\].description: |schema.fields\[0\]: ",
        lambda said: said["resources"][0]["schema"]["fields"][-1].update(description=SECRET),
    ),
    "format of a field": (
        rf"schema.fields\[0\].format: {NOT_OURS}",
        lambda said: said["resources"][0]["schema"]["fields"][0].update(format=SECRET),
    ),
    "type of a field": (
        r"schema.fields\[0\].type: it is no type",
        lambda said: said["resources"][0]["schema"]["fields"][0].update(type=SECRET),
    ),
    "name of a field": (
        r"resources\[0\].schema: its columns",
        lambda said: said["resources"][0]["schema"]["fields"][0].update(name=SECRET),
    ),
    "time zone": (
        "anachron.time_zone: it is no time zone",
        lambda said: said["anachron"].update(time_zone=SECRET),
    ),
    "release before": (
        "anachron.previous: ",
        lambda said: said["anachron"].update(previous=SECRET),
    ),
    "role": (
        r"anachron.columns.\w+.role: it is no role",
        lambda said: next(iter(said["anachron"]["columns"].values())).update(role=SECRET),
    ),
    "kind of a text": (
        "title: it is of another kind",
        lambda said: said.update(title=[SECRET]),
    ),
    "number, too long": (
        "it holds a number that no release has",
        lambda said: said["anachron"].update(release=int.from_bytes(SECRET.encode(), "big")),
    ),
}  # fmt: skip
for what, (place, change) in TEXTS.items():
    smuggler(place)(**{f"another {what}": said(change)})
smuggler(r"resources\[1\].description: " + NOT_OURS, csv=True)(
    another_rule_for_the_csv=said(lambda said: said["resources"][1].update(description=SECRET))
)
smuggler(r"resources\[1\].schema.missingValues: it has 2 items", csv=True)(
    another_missing_value=said(
        lambda said: said["resources"][1]["schema"]["missingValues"].append(SECRET)
    )
)


@smuggler(r"anachron.guarantee: it is no promise|anachron.guarantee.\w+: ")
def a_part_of_the_promise_for_a_column_that_is_none(folder: Path) -> None:
    def change(said: Said) -> None:
        promise = said["anachron"]["guarantee"]
        part = {"granularity": "ladders", "patterns": "values"}.get(promise["method"], "widths")
        held = {"bins": ["1"]} if part == "ladders" else "1"
        promise[part] = [SECRET, "x"] if part == "values" else {SECRET: held}

    restate(folder, change)


# Spelling

ODD = "it is not written as Anachron writes it"


def respelt(change: Callable[[str], str]) -> Smuggle:
    """Write the description in another way."""

    def hide(folder: Path) -> None:
        file = folder / DESCRIPTION
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8", newline="")

    return hide


def turned(text: str) -> str:
    """Keys in another order."""
    return json.dumps(dict(reversed(json.loads(text).items())), indent=2, ensure_ascii=False) + "\n"


smuggler("a key stands twice in one place")(
    a_key_twice=respelt(
        lambda text: text.replace('"title":', f'"title": "{SECRET}",\n  "title":', 1)
    )
)
smuggler(f"the end: {ODD}|line [\\d,]+: {ODD}")(
    blanks_at_the_end=respelt(lambda text: text + " \t" * 100 + "\n")
)
smuggler(f"line 1: {ODD}")(
    blanks_in_a_line=respelt(lambda text: text.replace("{\n", "{ \t \n", 1)),
    everything_in_one_line=respelt(lambda text: json.dumps(json.loads(text))),
)
smuggler(f"line [\\d,]+: {ODD}")(
    letters_by_their_numbers=respelt(
        lambda text: text.replace('"title": "R', '"title": "\\u0052', 1)
    ),
    keys_in_another_order=respelt(turned),
)
smuggler("is not the description of a release")(
    words_behind_the_end=respelt(lambda text: text + SECRET),
    a_mark_before_the_beginning=respelt(lambda text: "\ufeff" + text),
)
