"""Everything that the certificate of an event table is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anachron.reporting.certificate import Certificate, Proof, shared
from anachron.reporting.granularity.published import Published, read
from anachron.reporting.granularity.search import Search
from anachron.reporting.words import name

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Events", "Promise", "gather"]


@dataclass(frozen=True)
class Promise:
    """What the release says that it keeps."""

    k: int
    offered: tuple[str, ...]
    """The granularities that were on offer."""
    max_suppressed: Fraction
    max_share: Fraction | None
    ladders: tuple[str, ...]
    """The columns that could be made coarser."""

    @classmethod
    def read(cls, guarantee: Mapping[str, Any]) -> Promise:
        """Read the guarantee as the release states it."""
        share = guarantee.get("max_share")
        offered = guarantee.get("granularities", ())
        return cls(
            k=int(guarantee["k"]),
            offered=tuple(str(g if isinstance(g, str) else g["name"]) for g in offered),
            max_suppressed=Fraction(str(guarantee.get("max_suppressed", 0))),
            max_share=None if share is None else Fraction(str(share)),
            ladders=tuple(guarantee.get("ladders", ())),
        )


@dataclass(frozen=True)
class Events(Certificate):
    """A release of events, its promise and, for the owner, its search."""

    promise: Promise
    published: Published
    search: Search | None
    granularity: str
    time_zone: str
    steps: Mapping[str, str]
    """For each column that could be made coarser: how it was published."""
    suppressed_rows: int | None

    @property
    def granule(self) -> str:
        """The published granularity as people write it."""
        return name(self.granularity)

    @property
    def left_out(self) -> int | None:
        """How many rows of the table were not published, if that is known."""
        if self.search is not None:
            return max(self.search.rows - self.published.rows, 0)
        return self.suppressed_rows


def gather(release: Release, proof: Proof) -> Events:
    """Read the release and the record of the search."""
    about = release.description["anachron"]
    search = None if proof.explanation is None else Search.read(proof.explanation)
    published = read(release.table("data"), str(about["time_zone"]))
    return Events(
        **shared(release, proof),
        promise=Promise.read(release.guarantee),
        published=published,
        search=search,
        granularity=_granularity(about, published.time, search),
        time_zone=str(about["time_zone"]),
        steps=_steps(about, search),
        suppressed_rows=about.get("suppressed_rows"),
    )


def _granularity(about: Mapping[str, Any], time: str, search: Search | None) -> str:
    """The published granularity, as the release says it, or else the search."""
    stated = about.get("columns", {}).get(time, {}).get("granularity")
    if stated is None and search is not None and search.chosen is not None:
        stated = search.chosen.granularity
    return str((stated["name"] if isinstance(stated, Mapping) else stated) or "granule")


def _steps(about: Mapping[str, Any], search: Search | None) -> dict[str, str]:
    """How the columns with ladders were published, in the words of the search if it is there."""
    if search is not None and search.chosen is not None:
        return dict(zip(search.ladders, search.step_names(search.chosen.steps), strict=True))
    ladders = about["guarantee"].get("ladders", ())
    columns = about.get("columns", {})
    return {column: _step(columns.get(column, {})) for column in ladders}


def _step(stated: Mapping[str, Any]) -> str:
    kind = stated.get("step")
    if kind == "bins":
        return f"bins of {stated['width']}"
    if kind == "prefix":
        return f"first {stated['length']} characters"
    return "classes" if kind == "parents" else str(kind or "as it is")
