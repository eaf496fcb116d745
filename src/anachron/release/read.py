"""Open a release that was published."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from anachron.errors import InputError, ReleaseError
from anachron.release.describe import DESCRIPTION, FORMAT
from anachron.release.durable import digest_of, failures_as
from anachron.release.labels import in_time_order

if TYPE_CHECKING:
    from anachron.asking.answer import Answer
    from anachron.asking.published import Published
    from anachron.reporting.gallery import Charts

__all__ = ["Release"]

_LARGEST_DESCRIPTION = 64 << 20
_FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\.(parquet|csv)")
_RESOURCE = {"name": str, "path": str, "format": str, "hash": str, "bytes": int, "rows": int}
_KINDS = ("arrow", "duckdb", "pandas", "polars")


class Release:
    """A published release: the folder, what it promises and its rows.

    Parameters
    ----------
    path
        The folder of the release, such as ``"releases/0003"``.
    explanation
        For the owner: how the release came about. It is not part of what was published.

    Example
    -------
    >>> import tempfile
    >>> import anachron as an
    >>> import pyarrow as pa
    >>> visits = pa.table({"patient": ["Ann", "Bob", "Cid", "Dan"],
    ...                    "admitted": ["2006-01-02", "2006-01-03", "2006-01-11", "2006-01-12"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     published = an.publish(
    ...         visits, an.Schema(subject="patient", time="admitted"),
    ...         an.TimeGranularity(k=2, granularities=["day", "week", "month"]),
    ...         ledger=f"{folder}/ledger", to=f"{folder}/releases")
    ...     release = an.Release(f"{folder}/releases/0001")
    ...     release.table()["admitted"].to_pylist()
    ['2006-W01', '2006-W01', '2006-W02', '2006-W02']
    """

    __slots__ = ("_asked", "_charts", "_description", "_explanation", "_path")

    def __init__(self, path: str | Path, *, explanation: Mapping[str, Any] | None = None) -> None:
        self._path = Path(path)
        self._explanation = explanation
        self._asked: Published | None = None
        self._charts: Charts | None = None
        with failures_as(ReleaseError, f"Opening the release {self._path}"):
            self._description = _opened(self._path)

    @property
    def path(self) -> Path:
        """The folder of the release."""
        return self._path

    @property
    def description(self) -> Mapping[str, Any]:
        """The content of its ``datapackage.json``."""
        return MappingProxyType(self._description)

    @property
    def explanation(self) -> Mapping[str, Any] | None:
        """How the release came about, if the owner's ledger was at hand."""
        return self._explanation

    @property
    def number(self) -> int:
        """The number of the release in its ledger."""
        return int(self._description["anachron"]["release"])

    @property
    def guarantee(self) -> Mapping[str, Any]:
        """What is promised, as plain values."""
        return MappingProxyType(self._description["anachron"]["guarantee"])

    @property
    def rows(self) -> int:
        """How many rows the first table has."""
        return int(self._description["resources"][0]["rows"])

    def table(self, name: str = "data") -> pa.Table:
        """Read one of the published tables."""
        for resource in self._description["resources"]:
            if resource["name"] == name and resource["format"] == "parquet":
                return _table(self._path / resource["path"])
        raise ReleaseError(f"{self._path} has no table {name!r}.")

    def to(self, kind: str, name: str = "data") -> Any:
        """Give a table in the form you work with.

        In pandas, labels whose text does not sort in time order (``morning``, ``afternoon``)
        are an ordered category.

        Parameters
        ----------
        kind
            ``"arrow"``, ``"duckdb"``, ``"pandas"`` or ``"polars"``. The last three need that
            library.
        name
            Which table of the release.
        """
        if kind not in _KINDS:
            raise InputError(f"A release can be given as one of {', '.join(_KINDS)}.")
        table = self.table(name)
        if kind == "pandas":
            table = in_time_order(table, self._description["anachron"].get("columns", {}))
        try:
            return _converted(table, kind)
        except ImportError:
            raise InputError(
                f"{kind} is not installed. Install it with: pip install {kind}"
            ) from None

    def ask(self, question: str) -> Answer:
        """Answer a question from what was published, with an estimate and hard bounds.

        The first question reads the release; further ones are quick. Questions to several
        releases of a feed go to :func:`anachron.ask`.

        Parameters
        ----------
        question
            ``SELECT COUNT(*) WHERE … GROUP BY …``, also with ``SUM`` and ``AVG``.
        """
        # A release is what questions are about, and asking knows releases: hence here, not above.
        from anachron.asking.published import opened
        from anachron.asking.run import ask

        if self._asked is None:
            self._asked = opened([self])
        return ask(self._asked, question)

    @property
    def charts(self) -> Charts:
        """Charts of what was published: ``release.charts.groups`` and others.

        A notebook draws them. Each has its records (``data``), its Vega-Lite specification
        (``spec``) and its drawing (``svg()``).
        """
        # Drawing knows releases, and not the other way round but for this door.
        from anachron.reporting.gallery import Charts

        if self._charts is None:
            self._charts = Charts(self)
        return self._charts

    def check_digests(self) -> None:
        """Refuse a release of which any file is not as it was published."""
        with failures_as(ReleaseError, f"Checking the release {self._path}"):
            named = {resource["path"] for resource in self._description["resources"]}
            for file in sorted(self._path.iterdir()):
                if file.name not in named | {DESCRIPTION}:
                    raise ReleaseError(f"{file} does not belong to the release. Remove it.")
            for resource in self._description["resources"]:
                if f"sha256:{digest_of(self._path / resource['path'])}" != resource["hash"]:
                    raise _altered(self._path / resource["path"])

    def __str__(self) -> str:
        promise = ", ".join(f"{name} {value}" for name, value in self._promise().items())
        return f"Release {self.number}: {self.rows:,} rows, {promise} ({self._path})"

    def __repr__(self) -> str:
        return f"Release({str(self._path)!r})"

    def _repr_html_(self) -> str:
        from anachron.notebook import facts, framed

        said = {"rows": f"{self.rows:,}", **self._promise(), "folder": self._path}
        return framed(facts(f"Release {self.number}", said))

    def _promise(self) -> dict[str, Any]:
        """Pick the parameters of the guarantee that fit on a line."""
        named = {name: self.guarantee.get(name) for name in ("method", "k", "l", "m", "P")}
        return {name: value for name, value in named.items() if value is not None}


def _converted(table: pa.Table, kind: str) -> Any:
    if kind == "pandas":
        return table.to_pandas()
    if kind == "polars":
        import polars

        return polars.from_arrow(table)
    if kind == "duckdb":
        import duckdb

        return duckdb.from_arrow(table)
    return table


def _table(path: Path) -> pa.Table:
    try:
        # Arrow's own file: a thread that lets go of a Python one after Python has ended aborts.
        with failures_as(ReleaseError, f"Reading {path}"), pa.OSFile(str(path), "rb") as file:
            return pq.read_table(file)
    except pa.ArrowException:
        raise _altered(path) from None


def _opened(folder: Path) -> dict[str, Any]:
    file = folder / DESCRIPTION
    if not folder.is_dir():
        raise ReleaseError(f"{folder} is not a folder. A release is one, such as releases/0001.")
    if file.is_symlink() or not file.is_file():
        raise ReleaseError(f"{folder} is not a release: it has no {DESCRIPTION}.")
    if file.stat().st_size > _LARGEST_DESCRIPTION:
        raise ReleaseError(f"{file} is too large to be the description of a release.")
    try:
        description = json.loads(file.read_bytes())
        _check_form(file, description)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise ReleaseError(
            f"{file} is not the description of a release, or it was altered."
        ) from None
    for resource in description["resources"]:
        _check_file(folder, resource)
    return dict(description)


def _check_form(file: Path, description: Any) -> None:
    """Raise for anything that the rest of this module would stumble over."""
    ours = description["anachron"]
    if ours["format"] != FORMAT:
        raise ReleaseError(
            f"{file} is of format {ours['format']!r}, this version of Anachron reads {FORMAT}. "
            "Use a newer version."
        )
    if not isinstance(ours["guarantee"], dict):
        raise TypeError
    int(ours["release"])
    if not description["resources"]:
        raise ValueError
    for resource in description["resources"]:
        for name, kind in _RESOURCE.items():
            if not isinstance(resource[name], kind):
                raise TypeError


def _check_file(folder: Path, resource: Mapping[str, Any]) -> None:
    # A release from elsewhere must not make us read outside its folder.
    if not _FILE_NAME.fullmatch(resource["path"]):
        raise ReleaseError(
            f"{folder / DESCRIPTION} names a file outside the release. Do not use it."
        )
    file = folder / resource["path"]
    if file.is_symlink():
        raise ReleaseError(f"{file} is a link, and a release has none. Do not use it.")
    if not file.is_file():
        raise ReleaseError(f"{file} is missing. Fetch the whole release again.")
    if file.stat().st_size != resource["bytes"]:
        raise _altered(file)


def _altered(file: Path) -> ReleaseError:
    return ReleaseError(f"{file} is not as it was published. Fetch the release again.")
