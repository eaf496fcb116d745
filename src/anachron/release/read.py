"""Open a release that was published."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from anachron.errors import ReleaseError
from anachron.notebook import facts, framed
from anachron.published.cells import check_cells
from anachron.published.form import Form
from anachron.published.groups import groups_of
from anachron.published.strict import Misfit
from anachron.release.durable import digest_of, failures_as
from anachron.release.fetching import fetched
from anachron.release.labels import in_time_order
from anachron.release.package import read_package
from anachron.release.sound import check_content, check_folder
from anachron.release.tables import TableFile, read_table
from anachron.stores import Address, Place, placed
from anachron.tabular import Frame, Tabular, converted

if TYPE_CHECKING:
    from anachron.asking.answer import Answer
    from anachron.asking.published import Estimated, Published
    from anachron.reporting.gallery import Charts

__all__ = ["Release", "examined", "vouched"]


class Release(Tabular):
    """A published release: the folder, what it promises and its rows.

    Parameters
    ----------
    path
        The folder of the release, such as ``"releases/0003"``, or its address in a store, such as
        ``"s3://bucket/releases/0003"``, from where it is fetched.
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

    __slots__ = (
        "__weakref__",
        "_asked",
        "_charts",
        "_explanation",
        "_package",
        "_path",
        "_place",
        "_sound",
    )

    def __init__(
        self, path: str | Path | Address, *, explanation: Mapping[str, Any] | None = None
    ) -> None:
        self._place = placed(path)
        if isinstance(self._place, Address):
            self._path, remove = fetched(self._place)
            weakref.finalize(self, remove)
        else:
            self._path = self._place
        self._explanation = explanation
        self._asked: dict[str, Published] = {}
        self._charts: Charts | None = None
        self._sound = False
        with self._told("Opening"):
            self._package = read_package(self._path)

    @property
    def path(self) -> Path:
        """The folder of the release; of one in a store, a private copy of it for reading.

        A copy goes with this object.
        """
        return self._path

    @property
    def place(self) -> Place:
        """Where the release lies: its folder, or its address in a store."""
        return self._place

    @property
    def description(self) -> Mapping[str, Any]:
        """The content of its ``datapackage.json``."""
        return MappingProxyType(self._package.description)

    @property
    def explanation(self) -> Mapping[str, Any] | None:
        """How the release came about, if the owner's ledger was at hand."""
        return self._explanation

    @property
    def number(self) -> int:
        """The number of the release in its ledger."""
        return int(self._package.description["anachron"]["release"])

    @property
    def guarantee(self) -> Mapping[str, Any]:
        """What is promised, as plain values."""
        return MappingProxyType(self._package.description["anachron"]["guarantee"])

    @property
    def form(self) -> Form:
        """What it is made of: the way in which each column is published."""
        return self._package.form

    @property
    def tables(self) -> Mapping[str, TableFile]:
        """The published tables, by name."""
        return MappingProxyType(dict(self._package.tables))

    @property
    def rows(self) -> int:
        """How many rows the table ``data`` has."""
        return self._package.tables["data"].rows

    def table(self, name: str = "data") -> pa.Table:
        """Read one of the published tables.

        Before the first is read, all files are examined: nothing may be in the folder, or in one
        of its files, beside what was published.
        """
        if name not in self._package.tables:
            raise ReleaseError(f"{self._place} has no table {name!r}.")
        self._examine()
        return self._rows(name)

    def to_arrow(self, name: str = "data") -> pa.Table:
        """Give one of the published tables as an Arrow table."""
        return self.to("arrow", name)

    def to_pandas(self, name: str = "data") -> Any:
        """Give one of the published tables as a pandas DataFrame.

        Labels whose text does not sort in time order (``morning``, ``afternoon``) are an ordered
        category.
        """
        return self.to("pandas", name)

    def to_polars(self, name: str = "data") -> Any:
        """Give one of the published tables as a polars DataFrame."""
        return self.to("polars", name)

    def to(self, kind: Frame, name: str = "data") -> Any:
        """Give one of the published tables in the form you work with.

        Parameters
        ----------
        kind
            ``"arrow"``, ``"duckdb"``, ``"pandas"`` or ``"polars"``. The last three need that
            library.
        name
            Which table of the release.
        """
        table = self.table(name)
        return converted(
            in_time_order(table, self._package.form.columns) if kind == "pandas" else table, kind
        )

    def ask(self, question: str, *, estimate: Estimated = "learned") -> Answer:
        """Answer a question from what was published, with an estimate and hard bounds.

        The first question reads the release; further ones are quick. Questions to several
        releases of a feed go to :func:`anachron.ask`.

        Parameters
        ----------
        question
            ``SELECT COUNT(*) WHERE … GROUP BY …``, also with ``SUM`` and ``AVG``.
        estimate
            As for :func:`anachron.ask`.
        """
        # A release is what questions are about, and asking knows releases: hence here, not above.
        from anachron.asking.published import opened
        from anachron.asking.run import ask

        if estimate not in self._asked:
            self._asked[estimate] = opened([self], estimate)
        return ask(self._asked[estimate], question)

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
        with self._told("Checking"):
            check_folder(self._path, self._package.tables.values())

    def _examine(self) -> None:
        """Refuse a release that holds anything beside what was published; look at it once."""
        if not self._sound:
            self.check_digests()
            with self._told("Reading"):
                check_content(self._package.tables.values())
                try:
                    groups_of(self.form, self._rows)
                except Misfit as misfit:
                    raise ReleaseError(f"{self._place}: {misfit}. Do not use it.") from None
            self._sound = True

    def _rows(self, name: str) -> pa.Table:
        with self._told("Reading"):
            table = read_table(self._package.tables[name])
        try:
            check_cells(self.form, name, table)
        except Misfit as misfit:
            raise ReleaseError(f"{self._place}: {misfit}. Do not use it.") from None
        return table

    def _recorded(self, files: Mapping[str, str]) -> bool:
        """Whether the folder holds files with these digests, and no other."""
        with self._told("Checking"):
            there = {file.name for file in self._path.iterdir()}
            return there == set(files) and all(
                digest_of(self._path / name) == digest for name, digest in files.items()
            )

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        """Say of a release that was fetched where it lies, and not where its copy is."""
        try:
            with failures_as(ReleaseError, f"{doing} the release {self._place}"):
                yield
        except ReleaseError as error:
            if self._place == self._path:
                raise
            raise ReleaseError(str(error).replace(str(self._path), str(self._place))) from None

    def __str__(self) -> str:
        promise = ", ".join(f"{name} {value}" for name, value in self._promise().items())
        return f"Release {self.number}: {self.rows:,} rows, {promise} ({self._place})"

    def __repr__(self) -> str:
        return f"Release({str(self._place)!r})"

    def _repr_html_(self) -> str:
        said = {"rows": f"{self.rows:,}", **self._promise(), "folder": self._place}
        return framed(facts(f"Release {self.number}", said))

    def _promise(self) -> dict[str, Any]:
        """Pick the parameters of the guarantee that fit on a line."""
        named = {name: self.guarantee.get(name) for name in ("method", "k", "l", "m", "P")}
        return {name: value for name, value in named.items() if value is not None}


def vouched(release: Release) -> Release:
    """Take a release that need not be examined any more: an audit judged it just now."""
    release._sound = True
    return release


def examined(release: Release, recorded: Mapping[str, str] | None = None) -> Release:
    """Refuse a release that holds anything beside what was published, before it is used.

    An audit does not come here: it has eyes of its own.

    Parameters
    ----------
    recorded
        The digests of its files, if a ledger recorded it: a release that has them is vouched for.
    """
    if recorded is not None and not release._sound and release._recorded(recorded):
        return vouched(release)
    release._examine()
    return release
