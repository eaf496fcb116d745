"""Everything that the certificate of series is written from, gathered once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anachron.reporting.certificate import Certificate, Proof, shared
from anachron.reporting.patterns.published import Published, read

if TYPE_CHECKING:
    from anachron.release import Release

__all__ = ["Promise", "Record", "Series", "gather"]


@dataclass(frozen=True)
class Promise:
    """What the release says that it keeps."""

    k: int
    few: int
    """How many people of a group share each pattern, at least: P."""
    ell: int | None
    by_subgroup: bool
    """Whether ``ell`` is promised of each set of people of one pattern, without noise."""
    noise: str | None
    algorithm: str
    finest: int

    @classmethod
    def read(cls, guarantee: Mapping[str, Any]) -> Promise:
        """Read the guarantee as the release states it."""
        return cls(
            k=int(guarantee["k"]),
            few=int(guarantee["P"]),
            ell=guarantee.get("l"),
            by_subgroup=guarantee.get("diversity", "subgroup") == "subgroup",
            noise=guarantee.get("noise"),
            algorithm=str(guarantee.get("algorithm", "kapra")),
            finest=int(guarantee["max_level"]),
        )


@dataclass(frozen=True)
class Record:
    """How the release came about, as the owner's ledger keeps it; counts are of series."""

    series: int
    times: int
    suppressed: int
    bad: int
    dropped: int
    trimmed: int
    interpolated: int
    value_loss: float
    pattern_loss: float
    """Both summed over the published series."""
    notes: tuple[str, ...]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Record:
        """Read the record."""
        counted = (
            "series", "times", "suppressed", "bad", "dropped", "trimmed", "interpolated",
        )  # fmt: skip
        return cls(
            **{name: int(record[name]) for name in counted},
            value_loss=float(record["value_loss"]),
            pattern_loss=float(record["pattern_loss"]),
            notes=tuple(record.get("notes", ())),
        )


@dataclass(frozen=True)
class Series(Certificate):
    """A release of series, its promise and, for the owner, how it came about."""

    promise: Promise
    published: Published
    record: Record | None

    @property
    def is_whole(self) -> bool:
        """Whether values and shapes of all times are published."""
        shown = self.published
        return len(shown.values) == len(shown.patterns) == shown.times

    @property
    def followed(self) -> bool:
        """Whether the audit had the ledger, and knew whose row is whose."""
        return any(check.name == "memory" for check in self.verdict.checks)


def gather(release: Release, proof: Proof) -> Series:
    """Read the release and the record of how it came about."""
    return Series(
        **shared(release, proof),
        promise=Promise.read(release.guarantee),
        published=read(release),
        record=None if proof.explanation is None else Record.read(proof.explanation),
    )
