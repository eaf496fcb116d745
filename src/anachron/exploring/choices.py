"""The candidates of one plan, one after the other: tried, measured, or looked up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from anachron.behind import Microdata, read
from anachron.errors import InternalError
from anachron.exploring.cache import Cache, key_of
from anachron.exploring.point import Point
from anachron.exploring.rehearsal import Rehearsal, rehearsing
from anachron.exploring.yardsticks import Exploring, Resolution, Yardstick
from anachron.guarantees import Guarantee
from anachron.plan import Plan
from anachron.trying.figures import Figures
from anachron.trying.run import Looked

__all__ = ["Choices"]


@dataclass(frozen=True, eq=False)
class _Answer:
    """What one answer of a setting comes to."""

    figures: Figures | None
    reason: str
    measures: dict[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        told = self.figures
        plain = None if told is None else {f.name: getattr(told, f.name) for f in fields(told)}
        return {"figures": plain, "reason": self.reason, "measures": self.measures}

    @classmethod
    def of(cls, kind: type[Figures], told: Mapping[str, Any]) -> _Answer:
        """Read back what :meth:`to_dict` gave; lists were tuples."""
        held = told["figures"]
        if held is not None:
            held = kind(**{n: tuple(v) if isinstance(v, list) else v for n, v in held.items()})
        return cls(held, told["reason"], dict(told["measures"]))


@dataclass(frozen=True, eq=False)
class Choices:
    """All settings of a plan, and what each is to be measured by."""

    looked: Looked
    plan: Plan
    """What is written if a candidate is chosen, with another promise."""
    exploring: Exploring
    risks: Sequence[str]
    losses: Sequence[str]
    cache: Cache | None
    until: ExitStack
    """Closes what is opened on the way."""

    @property
    def order(self) -> list[int]:
        """The settings, the plan's own first."""
        settings = self.looked.settings
        return sorted(range(len(settings)), key=lambda at: not settings[at].own)

    def points(self, at: int, number: int) -> Iterator[Point]:
        """The points of a setting, numbered from ``number``."""
        setting, answers = self.looked.settings[at], self._answers(at)
        numbers = range(number, number + len(answers))
        for place, answer in enumerate(answers):
            promise = self._promise(at, place, answer)
            yield Point(
                number=numbers[place],
                method=self.plan.guarantee.method,
                setting=setting.parts,
                plan=None if promise is None else replace(self.plan, guarantee=promise),
                own=setting.own,
                first=answer.figures is not None and not place,
                risks={name: answer.measures.get(name) for name in self.risks},
                losses={name: answer.measures.get(name) for name in self.losses},
                resolution=Resolution("")
                if answer.figures is None
                else self.exploring.resolution(promise, answer.figures),
                figures=answer.figures,
                beside=tuple(other for other in numbers if other != numbers[place]),
                reason=answer.reason,
            )

    def _promise(self, at: int, place: int, answer: _Answer) -> Guarantee | None:
        """The promise under which an answer is published."""
        promise = self.looked.settings[at].guarantee
        if promise is None or answer.figures is None or not place:
            return promise
        return self.exploring.narrowed(promise, answer.figures)

    def _answers(self, at: int) -> list[_Answer]:
        key = self._key(at)
        known = None if self.cache is None or key is None else self.cache.find(key)
        if known is None:
            rows = self.looked.rows(at)
            found = (_Answer(row.figures, row.reason, {}) for row in rows)
            answers = [self._by_itself(at, place, one) for place, one in enumerate(found)]
        else:
            answers = [_Answer.of(self.looked.trying.figures, one) for one in known]
        lacking = [self._measure(at, place, one) for place, one in enumerate(answers)]
        if self.cache is not None and key is not None and (known is None or any(lacking)):
            self.cache.keep(key, [one.to_dict() for one in answers])
        return answers

    def _by_itself(self, at: int, place: int, answer: _Answer) -> _Answer:
        """An answer that is not the first is another release to a ledger, which may refuse it."""
        promise = self._promise(at, place, answer)
        if not place or promise is None or not self.looked.ledger.entries:
            return answer
        reason = self.looked.refusal(at, promise)
        return _Answer(None, reason, {}) if reason else answer

    def _measure(self, at: int, place: int, answer: _Answer) -> bool:
        """Measure what is not known yet; whether anything was not."""
        promise = self._promise(at, place, answer)
        if answer.figures is None or promise is None:
            return False
        names = [*self.risks, *self.losses]
        lacking = [self._yardsticks[name] for name in names if name not in answer.measures]
        for one in lacking:
            if one.told is not None:
                answer.measures[one.name] = one.told(answer.figures, promise)
        slow = [one for one in lacking if one.told is None]
        if slow:
            answer.measures.update(self._rehearsed(at, promise, slow))
        return bool(lacking)

    def _rehearsed(
        self, at: int, promise: Guarantee, slow: Sequence[Yardstick]
    ) -> dict[str, float | None]:
        found: dict[str, float | None] = {}
        with self.rehearsal(at, promise) as rehearsal:
            for one in slow:
                if one.find is None:
                    raise InternalError(f"nothing tells the measure {one.name}.")
                found[one.name] = one.find(rehearsal)
        return found

    def rehearsal(
        self, at: int, promise: Guarantee | None = None
    ) -> AbstractContextManager[Rehearsal]:
        """Rehearse a setting, or another promise in its place."""
        looked, work = self.looked, self.looked.works[at]
        work = work if promise is None else replace(work, guarantee=promise)
        return rehearsing(work, looked.held, looked.ledger, self._microdata)

    @cached_property
    def _yardsticks(self) -> dict[str, Yardstick]:
        return {one.name: one for one in self.exploring.yardsticks}

    @cached_property
    def _microdata(self) -> Microdata:
        """The table, as those read it who judge a release."""
        held = self.looked.held
        return self.until.enter_context(closing(read(held.given, held.schema)))

    @cached_property
    def _rests_on(self) -> list[Any]:
        """All that the figures of every setting rest on: table, roles, ledger."""
        ledger, held = self.looked.ledger, self.looked.held
        last = ledger.entries[-1].chain if ledger.entries else ""
        return [
            held.digest(), held.schema.to_dict(), ledger.secret("frontier").hex(), last, ledger.push
        ]  # fmt: skip

    def _key(self, at: int) -> str | None:
        """By which a setting is looked up; None if it makes no promise."""
        work = self.looked.works.get(at)
        if self.cache is None or work is None:
            return None
        wish = [work.as_of, work.max_views, sorted(work.accept)]
        return key_of(self._rests_on, work.guarantee.to_dict(), wish)
