"""The rooms of the house: what each is for, and what it may import.

``docs/architecture.md`` shows this table; ``python -m tests.house.rooms`` prints it again.
The standard library, ``errors`` and ``arrays`` are free to all.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FREE", "ROOMS", "Room", "table"]

FREE = {"errors", "arrays"}


@dataclass(frozen=True)
class Room:
    """A folder, or a module by itself."""

    name: str
    does: str
    imports: frozenset[str] = frozenset()
    libraries: frozenset[str] = frozenset()


def _room(name: str, does: str, imports: str = "", libraries: str = "") -> Room:
    return Room(name, does, frozenset(imports.split()), frozenset(libraries.split()))


ROOMS = (
    _room("errors", "the tree of errors"),
    _room("arrays", "the kinds of arrays, each under one name",
          "",
          "numpy"),
    _room("registry", "the methods: where each room keeps its part of them"),
    _room("steps", "what a crash may fall between"),
    _room("stopping", "signals: one door"),
    _room("given", "small text files that people give: one door"),
    _room("scratch", "private folders for what is put aside: one door"),
    _room("stores", "object stores, where releases may lie: one door",
          "",
          "boto3 botocore"),
    _room("memory", "how much memory there is, whether a table fits, and giving it back",
          "",
          "pyarrow"),
    _room("instances", "databases in memory that are as new",
          "",
          "duckdb"),
    _room("database", "DuckDB: one door",
          "instances memory scratch stopping",
          "duckdb"),
    _room("arrow_files", "how much an Arrow file becomes, by what it declares",
          "",
          "pyarrow"),
    _room("streamed", "tables that nobody holds: rows in batches, as often as asked for",
          "",
          "numpy pyarrow"),
    _room("notebook", "the look that results share in a notebook"),
    _room("tabular", "results that are tables: Arrow, pandas, polars, and as they are shown",
          "notebook",
          "duckdb polars pyarrow"),
    _room("progress", "how far long work is: told, and shown in a notebook or on a terminal",
          "notebook",
          "IPython rich"),
    _room("spelling", "when two ways of writing are one",
          "",
          "numpy pyarrow"),
    _room("ladders", "how far a column may be generalised"),
    _room("calendar", "granularities: definitions, zones, granules, order, labels",
          "",
          "holidays numpy"),
    _room("parts", "how a part of a schema, a promise or a plan is declared, once",
          "calendar"),
    _room("schema", "which column plays which role",
          "parts"),
    _room("guarantees", "what is promised, as frozen values",
          "calendar ladders parts registry schema"),
    _room("identity", "who publishes what, for whom: what a certificate names",
          "parts"),
    _room("plan", "source + schema + guarantee + destination ⇄ plan.toml",
          "calendar given guarantees identity ladders parts registry schema stores"),
    _room("kernels", "numbers in, numbers out; the paper's letters",
          "",
          "numba numpy scipy"),
    _room("parquet", "is every byte of a Parquet file accounted for, and how many are there?",
          "",
          "pyarrow"),
    _room("source", "any table → a DuckDB relation",
          "arrow_files database plan scratch",
          "adbc_driver_postgresql duckdb narwhals numpy openpyxl pyarrow pyreadstat "
          "python_calamine"),
    _room("proposing", "any table → roles with reasons, and a plan to begin with",
          "calendar database guarantees ladders notebook plan registry schema scratch source "
          "spelling tabular",
          "duckdb numpy pyarrow"),
    _room("engines", "`base.py` the protocol; `local/` DuckDB and numpy; "
          "`aside/` larger than memory; `spark/` many machines",
          "calendar database kernels memory plan schema scratch source spelling "
          "streamed",
          "duckdb numpy pyarrow pyspark"),
    _room("published", "what a release is: ways to publish a column, layouts, forms, groups",
          "calendar guarantees registry",
          "numpy pyarrow"),
    _room("methods", "one folder per paper",
          "calendar engines guarantees kernels ladders progress published schema spelling streamed",
          "numpy pyarrow"),
    _room("release", "write, read and describe release folders",
          "asking guarantees notebook parquet published registry reporting scratch steps stores "
          "tabular",
          "pyarrow"),
    _room("ledger", "what was published, for ever",
          "release schema scratch spelling steps stores streamed",
          "numpy pyarrow"),
    _room("behind", "who stands behind a release: its table, read by eyes that published nothing",
          "arrow_files database memory plan schema scratch",
          "adbc_driver_postgresql duckdb narwhals numpy pandas pyarrow"),
    _room("auditing", "does the promise hold?",
          "behind calendar database guarantees ladders ledger memory notebook parquet plan "
          "progress registry release source stores streamed tabular",
          "duckdb holidays numpy pyarrow"),
    _room("placing", "who is in a release, and in which group: table, release and ledger together",
          "auditing behind calendar guarantees registry release",
          "numpy pyarrow"),
    _room("asking", "answers from what was published, with hard bounds",
          "calendar guarantees kernels methods notebook published release tabular",
          "numpy pyarrow scipy sqlglot"),
    _room("measuring", "how good those answers are, against the table",
          "asking auditing behind calendar guarantees kernels methods notebook placing progress "
          "registry release tabular",
          "numpy pyarrow"),
    _room("attacking", "what an adversary would learn, one file for each attack",
          "auditing behind engines given kernels methods notebook placing progress published "
          "registry release schema tabular",
          "duckdb numpy pyarrow"),
    _room("reporting", "the certificate, charts",
          "attacking auditing database guarantees identity measuring notebook published "
          "registry release schema",
          "duckdb jinja2 markupsafe numpy pyarrow vl_convert"),
    _room("making", "how a release is made: recognise, plan, write, verify, remember, expose",
          "attacking auditing behind engines guarantees ledger memory methods progress published "
          "registry release schema scratch stopping stores",
          "pyarrow"),
    _room("trying", "what promises would give: planned on counts, written nowhere",
          "calendar engines guarantees ledger making methods notebook parts plan progress "
          "registry schema tabular",
          "pyarrow"),
    _room("exploring", "which promise to choose: candidates by risk and loss, written nowhere",
          "asking attacking auditing behind calendar engines guarantees ladders ledger making "
          "measuring methods notebook parts placing plan progress registry release reporting "
          "scratch streamed tabular trying",
          "numpy pyarrow"),
    _room("flow", "the verbs: trial, frontier, publish, open, audit, attack, ask, utility, report",
          "asking attacking auditing behind engines exploring guarantees identity ledger making "
          "measuring plan progress published release reporting schema scratch stopping stores "
          "trying"),
    _room("demo", "invented data, to see it all",
          "guarantees ladders plan schema",
          "numpy pyarrow"),
    _room("studio", "a local page on a folder, for those who do not live on a command line",
          "asking calendar exploring flow given guarantees ladders ledger making parts plan "
          "progress proposing registry release reporting schema scratch stores trying",
          "anyio jinja2 markupsafe python_multipart starlette uvicorn"),
    _room("cli", "parse → flow → print",
          "attacking auditing demo exploring flow ledger making measuring plan progress "
          "proposing registry release scratch stopping stores studio trying",
          "click rich"),
    _room("__init__", "the public names",
          "auditing calendar exploring flow guarantees ladders ledger plan proposing release "
          "schema trying"),
    _room("__main__", "`python -m anachron`",
          "cli"),
)  # fmt: skip


def table() -> str:
    """The rooms as a table of Markdown."""
    lines = ["| room | what it does | imports | libraries |", "|---|---|---|---|"]
    for room in ROOMS:
        imports, libraries = (", ".join(sorted(some)) for some in (room.imports, room.libraries))
        lines.append(f"| `{room.name}` | {room.does} | {imports} | {libraries} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
