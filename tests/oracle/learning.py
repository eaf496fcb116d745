"""Who of a group has which value, by what all groups teach: slowly, a number at a time."""

from __future__ import annotations

from collections import Counter, defaultdict

__all__ = ["chances"]

Groups = list[tuple[list[int], list[str]]]


def chances(groups: Groups, rounds: int = 25) -> list[list[dict[str, float]]]:
    """For each row of each group the chance of each value, given one quasi value of each row."""
    every = {quasi for rows, _ in groups for quasi in rows}
    weight = [[dict.fromkeys(values, 1.0) for _ in rows] for rows, values in groups]
    for _ in range(rounds):
        seen: dict[tuple[str, int], float] = defaultdict(lambda: 0.05)
        for (rows, values), weights in zip(groups, weight, strict=True):
            for quasi, chance in zip(rows, _scaled(weights, values, 6), strict=True):
                for value, p in chance.items():
                    seen[value, quasi] += p
        totals = {v: sum(seen[v, q] for q in every) for _, vs in groups for v in vs}
        weight = [
            [{value: seen[value, quasi] / totals[value] for value in values} for quasi in rows]
            for rows, values in groups
        ]
    return [_scaled(some, values, 30) for some, (_, values) in zip(weight, groups, strict=True)]


def _scaled(weights: list[dict[str, float]], values: list[str], sweeps: int):
    # Scaling ends before it is exact, so it matters from where it starts.
    found = [{value: p / max(one.values()) for value, p in one.items()} for one in weights]
    for _ in range(sweeps):
        for value, often in Counter(values).items():
            column = sum(one[value] for one in found)
            for one in found:
                one[value] *= often / column
        for one in found:
            row = sum(one.values())
            for value in one:
                one[value] /= row
    return found
