"""Registers that live: whatever happens, no history of releases gives anybody away.

People come, leave, return, fall ill anew and move; the owner publishes, publishes again, loses
a folder, crashes, and puts an old backup of the ledger in place. After every publication the
whole history is judged by a slow and obvious reader of the published files, who knows the true
registers and shares no code with the method or the audit.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

import anachron as an
from anachron import steps
from anachron.errors import GuaranteeError, LedgerError
from tests.flow.registers import DISTRICTS, ILLS, Person, as_table, clinic, promise, released
from tests.flow.tables import contents
from tests.property.register_judge import Told, judge_history, judge_release, listen

MODES = ("paper", "transparent", "sticky")
MEMORY = Path("/dev/shm")


class Crashed(BaseException):
    """Nothing that runs may catch it."""


@dataclass
class Story:
    """A register, its owner, and everything that was published so far."""

    root: Path
    m: int
    mode: str
    balance: str
    when_ineligible: str
    named: bool = False
    """Whether every release has a name of its own, and is there whatever is in it."""
    here: dict[str, Person] = field(default_factory=dict)
    gone: dict[str, Person] = field(default_factory=dict)
    history: list[Told] = field(default_factory=list)
    refusals: int = 0
    _names: int = 0

    def __post_init__(self) -> None:
        if self.mode != "paper":  # who is held back would be known by it
            self.when_ineligible = "refuse"

    def insert(self, *people: Person) -> None:
        for person in people:
            self._names += 1
            self.here[f"person {self._names}"] = person

    def delete(self, which: int) -> None:
        who = _pick(self.here, which)
        self.gone[who] = self.here.pop(who)

    def come_back(self, which: int) -> None:
        who = _pick(self.gone, which)
        self.here[who] = self.gone.pop(who)

    def fall_ill(self, which: int, ill: str) -> None:
        who = _pick(self.here, which)
        self.here[who] = (*self.here[who][:3], ill)

    def relapse(self, which: int) -> None:
        """Have an illness again that one had in an earlier release, if there is another."""
        who = _pick(self.here, which)
        had = [told.truth[who][3] for told in self.history if who in told.host]
        other = [ill for ill in had if ill != self.here[who][3]]
        if other:
            self.here[who] = (*self.here[who][:3], other[which % len(other)])

    def move(self, which: int, age: int, pay: float, district: str) -> None:
        who = _pick(self.here, which)
        self.here[who] = (age, pay, district, self.here[who][3])

    @property
    def ledger(self) -> Path:
        return self.root / "ledger"

    def publish(self) -> bool:
        """Publish, and judge all releases there are; or be refused, and nothing has changed."""
        before = contents(self.root / "releases")
        expected = len(self.history) + 1
        if self.history and self.history[-1].truth == self.here and not self.named:
            expected -= 1
        try:
            release = self._released(self.here)
        except GuaranteeError:
            self.refusals += 1
            self._judge_refusal()
            assert contents(self.root / "releases") == before
            assert len(an.Ledger.open(self.ledger).entries()) == len(self.history)
            return False
        assert release.number == expected
        after = contents(self.root / "releases")
        assert before.items() <= after.items()
        if expected == len(self.history):
            assert after == before
            return True
        self._listen(release)
        return True

    def publish_again(self) -> None:
        """The last register gives the last release, even if its folder was lost."""
        before = contents(self.root / "releases")
        shutil.rmtree(self.root / "releases" / f"{len(self.history):04d}")
        last = len(self.history)
        assert self._released(self.history[-1].truth, last).number == last
        assert contents(self.root / "releases") == before

    def crash(self, step: int) -> None:
        """Die at a step of a publication; then open the ledger again, and publish."""
        known = len(self.history)
        with dying_at(step), suppress(Crashed, GuaranteeError):
            self._released(self.here)
        ledger = an.Ledger.open(self.ledger)
        ledger.recover()
        assert ledger.check() == []
        assert len(ledger.entries()) in (known, known + 1)
        if len(ledger.entries()) > known:
            self._listen(an.Release(ledger.entries()[-1].path))
        self.publish()

    def back_up(self) -> None:
        shutil.rmtree(self.root / "backup", ignore_errors=True)
        shutil.copytree(self.ledger, self.root / "backup")

    def restore(self) -> None:
        """Put an old ledger beside newer releases: it must be noticed, and cost nothing."""
        if len(an.Ledger.open(self.root / "backup").entries()) == len(self.history):
            return
        self.ledger.rename(self.root / "newest")
        shutil.copytree(self.root / "backup", self.ledger)
        before = contents(self.root / "releases")
        with pytest.raises(LedgerError, match="older than the releases"):
            self._released(self.here)
        assert contents(self.root / "releases") == before
        shutil.rmtree(self.ledger)
        (self.root / "newest").rename(self.ledger)

    def end(self) -> None:
        """Let the audit look at the whole history, too."""
        assert an.Ledger.open(self.ledger).check() == []
        if self.history:
            verdict = an.audit(
                self.root / "releases" / f"{len(self.history):04d}",
                table=as_table(self.history[-1].truth),
                ledger=self.ledger,
            )
            assert verdict.holds, [check for check in verdict.checks if not check.holds]

    def _released(self, people: dict[str, Person], number: int | None = None) -> an.Release:
        guarantee = promise(self.m, self.mode, self.balance, self.when_ineligible)
        name = f"number {number or len(self.history) + 1}" if self.named else None
        return released(people, self.root, guarantee, as_of=name)

    def _listen(self, release: an.Release) -> None:
        names = [f"person {number + 1}" for number in range(self._names)]
        told = listen(self.root, release.number, dict(self.here), names)
        judge_release(told, self.m, self.mode, self.history)
        missing = set(self.here) - set(told.host)
        assert release.explanation is None or len(missing) == (
            release.explanation["held"] + release.explanation["refused"]
        )
        assert not missing or self.when_ineligible == "hold"
        self.history.append(told)
        judge_history(self.history, self.m, self.mode)

    def _judge_refusal(self) -> None:
        """The first release is refused if, and only if, a value is too frequent."""
        ills = [person[3] for person in self.here.values()]
        if not self.history and len(set(ills)) >= self.m:
            assert self.when_ineligible == "refuse"
            assert any(self.m * ills.count(ill) > len(ills) for ill in ills)


@contextmanager
def dying_at(number: int) -> Iterator[None]:
    """From that step on nothing durable happens any more."""
    left, real = number, steps.reached

    def reached(step: str) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Crashed

    steps.reached = reached
    try:
        yield
    finally:
        steps.reached = real


def _pick(people: dict[str, Person], which: int) -> str:
    return sorted(people)[which % len(people)]


def room() -> Path:
    """A new folder, in memory where that is possible."""
    return Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))


WHICH = st.integers(0, 10**6)
AGE, PAY = st.integers(0, 99), st.integers(0, 300).map(lambda cents: cents / 100)
DISTRICT, ILL = st.sampled_from(DISTRICTS), st.sampled_from(ILLS)
PERSON = st.tuples(AGE, PAY, DISTRICT, ILL)


class RegisterHistory(RuleBasedStateMachine):
    """The story, told by Hypothesis."""

    @initialize(
        m=st.integers(2, 3),
        mode=st.sampled_from(MODES),
        balance=st.sampled_from(("exact", "paper", "pooled")),
        when_ineligible=st.sampled_from(("hold", "refuse")),
        named=st.booleans(),
        people=st.lists(PERSON, min_size=6, max_size=14),
    )
    def begin(
        self, m: int, mode: str, balance: str, when_ineligible: str, named: bool,
        people: list[Person],
    ) -> None:  # fmt: skip
        if mode != "transparent" and balance == "pooled":
            balance = "exact"
        self.story = Story(room(), m, mode, balance, when_ineligible, named)
        self.story.insert(*people)
        self.story.publish()
        self.story.back_up()

    @rule(people=st.lists(PERSON, min_size=1, max_size=4))
    def insert(self, people: list[Person]) -> None:
        self.story.insert(*people)

    @precondition(lambda self: len(self.story.here) > 3)
    @rule(which=st.lists(WHICH, min_size=1, max_size=3))
    def delete(self, which: list[int]) -> None:
        for one in which[: len(self.story.here) - 1]:
            self.story.delete(one)

    @precondition(lambda self: self.story.gone)
    @rule(which=WHICH)
    def come_back(self, which: int) -> None:
        self.story.come_back(which)

    @rule(which=WHICH, ill=ILL)
    def fall_ill(self, which: int, ill: str) -> None:
        self.story.fall_ill(which, ill)

    @rule(which=st.lists(WHICH, min_size=1, max_size=4))
    def relapse(self, which: list[int]) -> None:
        for one in which:
            self.story.relapse(one)

    @rule(which=WHICH, age=AGE, pay=PAY, district=DISTRICT)
    def move(self, which: int, age: int, pay: float, district: str) -> None:
        self.story.move(which, age, pay, district)

    @rule()
    def publish(self) -> None:
        self.story.publish()

    @precondition(lambda self: self.story.history)
    @rule()
    def publish_again(self) -> None:
        self.story.publish_again()

    @rule(step=st.integers(1, 60))
    def crash(self, step: int) -> None:
        self.story.crash(step)

    @rule()
    def restore(self) -> None:
        self.story.restore()

    def teardown(self) -> None:
        if hasattr(self, "story"):
            self.story.end()
            shutil.rmtree(self.story.root)


TestRegisterHistory = RegisterHistory.TestCase
TestRegisterHistory.settings = settings(
    max_examples=3,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", MODES)
def test_who_relapses_has_the_old_candidates_again(tmp_path: Path, mode: str) -> None:
    story = Story(tmp_path, 2, mode, "exact", "refuse")
    story.insert(*clinic(32, ills=8).values())
    story.publish()
    first = story.history[0].candidates("person 1")
    story.fall_ill(0, next(ill for ill in ILLS if ill not in first))
    story.publish()
    story.relapse(0)
    story.publish()
    second, third = (told.candidates("person 1") for told in story.history[1:])
    assert not first & second
    assert third == first
