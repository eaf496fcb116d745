"""What a promise will be called in a certificate, before anything is published."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity
from anachron.reporting.html import ENGLISH, templates
from anachron.reporting.languages import language

if TYPE_CHECKING:
    from anachron.guarantees import Guarantee
    from anachron.schema import Schema

__all__ = ["promised"]


@dataclass(frozen=True)
class _Time:
    column: str


@dataclass(frozen=True)
class _Shown:
    """Of a release that is not made yet, its columns are known."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    time: _Time


def promised(guarantee: Guarantee, schema: Schema, code: str = ENGLISH) -> Markup:
    """The sentences that a certificate begins with, as HTML.

    >>> import anachron as an
    >>> schema = an.Schema(subject="who", time="day", quasi="ward")
    >>> promise = an.TimeGranularity(k=5, granularities=["week", "month"])
    >>> print(promised(promise, schema).striptags()[:90])
    Whoever knows a person’s ward and the week / month of one event finds at least 5 different
    """
    shown = _Shown(schema.quasi, schema.sensitive, _Time(schema.time))
    told = _told(guarantee, language(code).words)
    page = templates("anachron.reporting", code).get_template(f"promised_{guarantee.method}.html")
    return Markup(page.render(shown=shown, promise=guarantee, **told))  # noqa: S704 - escaped there


def _told(guarantee: Guarantee, words: Any) -> dict[str, Any]:
    """What the templates take from a release, as far as the promise says it."""
    if isinstance(guarantee, TimeGranularity):
        names = [words["spoken"](granularity.name) for granularity in guarantee.granularities]
        return {"granule": " / ".join(names)}
    if isinstance(guarantee, Reposition):
        within = guarantee.then if isinstance(guarantee.then, MInvariance) else None
        return {
            "unit": words["spoken"](guarantee.snapshot.name),
            "odds": "" if guarantee.l is None else words["odds"](guarantee.l),
            "register": None if within is None else SimpleNamespace(promise=within),
            "paper": SimpleNamespace(longest=guarantee.window - 1),
        }
    if isinstance(guarantee, KPAnonymity):
        noise = "" if guarantee.noise is None else words["exactly"](guarantee.noise)
        return {"noise": noise, "by_subgroup": guarantee.diversity == "subgroup"}
    return {}
