"""Anachron publishes temporal personal data without exposing the people in it.

The flow, and where to look::

    table → schema → method → release + ledger → audit → ask → report

    to begin with a table           propose, which gives a Proposal
    to say what a table is          Schema; Source, to say how a file is to be read
    to say what is promised         TimeGranularity, with Granularity and Ladder; MInvariance;
                                    Reposition; KPAnonymity
    to keep both in a file          Plan
    to try promises out             trial, which gives a Trial; frontier, which gives a Frontier
    to publish, check and show      publish, audit, report; open, for a live feed
    to use what was published       ask; utility, to see how good the answers are
    to try to break it              attack
    what comes out                  Release, Verdict, Ledger
    what goes wrong                 AnachronError

The same verbs are commands: ``anachron publish``, ``anachron ask``, ``anachron audit``, …
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anachron.auditing.verdict import Verdict
    from anachron.calendar.definitions import Granularity
    from anachron.errors import AnachronError
    from anachron.exploring.frontier import Frontier
    from anachron.flow import (
        ask,
        attack,
        audit,
        frontier,
        open,  # noqa: A004
        publish,
        report,
        trial,
        utility,
    )
    from anachron.guarantees import KPAnonymity, MInvariance, Reposition, TimeGranularity
    from anachron.ladders import Ladder
    from anachron.ledger import Ledger
    from anachron.plan import Plan, Source
    from anachron.proposing.proposal import Proposal
    from anachron.proposing.propose import propose
    from anachron.release import Release
    from anachron.schema import Schema
    from anachron.trying.trial import Trial

__version__ = "0.1.0"

__all__ = [
    "AnachronError",
    "Frontier",
    "Granularity",
    "KPAnonymity",
    "Ladder",
    "Ledger",
    "MInvariance",
    "Plan",
    "Proposal",
    "Release",
    "Reposition",
    "Schema",
    "Source",
    "TimeGranularity",
    "Trial",
    "Verdict",
    "ask",
    "attack",
    "audit",
    "frontier",
    "open",
    "propose",
    "publish",
    "report",
    "trial",
    "utility",
]

# Loaded when first used, so that importing Anachron, and asking its command line for
# help, does not wait for engines that the question does not need.
_HOME = {
    "AnachronError": "anachron.errors",
    "Frontier": "anachron.exploring.frontier",
    "Granularity": "anachron.calendar.definitions",
    "KPAnonymity": "anachron.guarantees",
    "Ladder": "anachron.ladders",
    "Ledger": "anachron.ledger",
    "MInvariance": "anachron.guarantees",
    "Plan": "anachron.plan",
    "Proposal": "anachron.proposing.proposal",
    "Release": "anachron.release",
    "Reposition": "anachron.guarantees",
    "Schema": "anachron.schema",
    "Source": "anachron.plan",
    "TimeGranularity": "anachron.guarantees",
    "Trial": "anachron.trying.trial",
    "Verdict": "anachron.auditing.verdict",
    "ask": "anachron.flow",
    "attack": "anachron.flow",
    "audit": "anachron.flow",
    "frontier": "anachron.flow",
    "open": "anachron.flow",
    "propose": "anachron.proposing.propose",
    "publish": "anachron.flow",
    "report": "anachron.flow",
    "trial": "anachron.flow",
    "utility": "anachron.flow",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'anachron' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
