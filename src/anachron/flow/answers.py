"""Ask: what a release answers, and how good its answers are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anachron.errors import InputError
from anachron.flow.blame import blamed
from anachron.flow.evidence import (
    Place,
    Progress,
    Where,
    check_sound,
    evidence,
    releases_of,
    remembered_of,
)
from anachron.progress import between, heard
from anachron.schema import Schema
from anachron.stopping import stoppable

if TYPE_CHECKING:
    from anachron.asking.answer import Answer
    from anachron.asking.published import Estimated
    from anachron.measuring.utility import Utility
    from anachron.release import Release

__all__ = ["ask", "askable", "utility"]


def ask(
    releases: Release | Where | Sequence[Release | Where],
    question: str,
    *,
    estimate: Estimated = "learned",
) -> Answer:
    """Answer a question from what was published, with an estimate and hard bounds.

    Parameters
    ----------
    releases
        A release, its folder, a folder of releases, or several of these. Releases of one feed,
        or of different times, are asked together; of a register, one at a time.
    question
        ``SELECT COUNT(*) WHERE … GROUP BY …``, also with ``SUM`` and ``AVG``.
    estimate
        How rows and sensitive values that are published apart are counted together, as with
        ``then="anatomy"``: ``"learned"`` learns from all groups which values go with which
        rows; ``"even"`` takes every row of a group to have any of its values as likely.

    Returns
    -------
    Answer
        The estimate, the smallest and the largest number that are consistent with the release,
        a standard error, and why the bounds are as wide as they are.

    Raises
    ------
    QuestionError
        If the release cannot answer the question; the message shows one that it can.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> visits = pa.table({"who": ["a", "b", "c", "d"], "diagnosis": ["flu", "flu", "cold", "flu"],
    ...                    "when": ["2024-05-01", "2024-05-02", "2024-05-01", "2024-05-02"]})
    >>> schema = an.Schema(subject="who", time="when", sensitive="diagnosis")
    >>> release = an.publish(visits, schema, an.TimeGranularity(k=2),
    ...                      ledger=folder + "/ledger", to=folder + "/releases")
    >>> print(an.ask(folder + "/releases", "SELECT COUNT(*) WHERE diagnosis = 'flu'"))
    3 exactly
    """
    from anachron.asking.published import opened as published
    from anachron.asking.run import ask as answer

    opened = releases_of(releases)
    with blamed(opened):
        if len(opened) == 1:
            return opened[0].ask(question, estimate=estimate)
        return answer(published(opened, estimate), question)


def askable(
    releases: Release | Where | Sequence[Release | Where],
) -> tuple[list[tuple[str, str]], list[str]]:
    """Say what releases can be asked about, column by column, with questions that work."""
    from anachron.asking.published import opened
    from anachron.asking.suggest import askable as told

    several = releases_of(releases)
    with blamed(several):
        return told(opened(several).catalogue)


@stoppable()
def utility(
    releases: Release | Where | Sequence[Release | Where],
    *,
    table: object,
    schema: Schema | None = None,
    ledger: Place | None = None,
    questions: int = 1000,
    seed: int = 0,
    theta: float = 0.1,
    window: int | None = None,
    dimensions: int | None = None,
    progress: Progress | None = None,
) -> Utility:
    """Measure how good the answers of a release are, by asking its table the same questions.

    Parameters
    ----------
    releases
        A release, its folder, or the folder of all releases of a feed.
    table, schema, ledger
        As for :func:`audit`. The table is needed: the truth is in it.
    questions
        How many random questions each workload has.
    seed
        The same seed, the same questions.
    theta
        The share of the table that a question is about, were its values spread evenly.
    window
        How many snapshots or granules the window of a question has.
    dimensions
        How many quasi columns, or predicates on series, a question has.
    progress
        True to show how far it is, False not to; or a function that is called with what is being
        done and the share of the work that is done. If not given, a notebook shows it.

    Returns
    -------
    Utility
        The distribution of relative errors, how wide bounds are, and whether the truth was
        always within them.

    Example
    -------
    >>> import anachron as an, pyarrow as pa, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> people = pa.table({"who": range(40), "age": range(20, 60),
    ...                    "illness": ["flu", "cold", "gout", "cough"] * 10})
    >>> release = an.publish(people, an.Schema("who", quasi="age", sensitive="illness"),
    ...                      an.MInvariance(m=2), ledger=folder + "/l", to=folder + "/r")
    >>> an.utility(release, table=people, ledger=folder + "/l", questions=50).holds
    True
    """
    from anachron.measuring.asked import Wanted
    from anachron.measuring.run import measure

    opened = releases_of(releases)
    wanted = Wanted(questions, seed, theta, window, dimensions)
    with heard(progress, "utility") as tell:
        tell("reading the table", 0.0)
        with evidence(opened[-1], table=table, schema=schema, ledger=ledger) as shown:
            if shown.microdata is None:
                raise InputError("the truth is in the table: give it.")
            past = []
            for one in opened:
                entry, before, _ = remembered_of(one, ledger)
                check_sound(one, entry)
                past.append(before)
            told = between(tell, 0.1, 1.0)
            with blamed(opened):
                return measure(opened, wanted, microdata=shown.microdata, past=past, tell=told)
