"""The whole flow, and the only place that knows all of it: one file for each verb or two."""

from anachron.flow.answers import ask, askable, utility
from anachron.flow.attacks import attack
from anachron.flow.certificates import TWIN, report
from anachron.flow.evidence import Progress
from anachron.flow.frontiers import frontier
from anachron.flow.releases import open, publish, publish_plan, standing  # noqa: A004
from anachron.flow.trials import trial
from anachron.flow.verdicts import audit, audit_history, audit_table

__all__ = [
    "TWIN",
    "Progress",
    "ask",
    "askable",
    "attack",
    "audit",
    "audit_history",
    "audit_table",
    "frontier",
    "open",
    "publish",
    "publish_plan",
    "report",
    "standing",
    "trial",
    "utility",
]
