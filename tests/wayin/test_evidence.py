"""What names and cells say, and how many people are unique: against slower ways to find out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from anachron.database import connected
from anachron.proposing.propose import propose
from anachron.proposing.uniqueness import Identifying, People, identifying
from anachron.proposing.words import Meaning, says


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("patientID", "person"), ("age", "quasi"), ("Geburtsdatum", "birth"),
        ("Zählernummer", "id"), ("Straße", "direct"), ("numéro_patient", "person"),
        ("prénom", "direct"), ("città", "quasi"), ("diagnosi", "secret"), ("teléfono", "direct"),
        ("edad", "quasi"), ("patiëntnummer", "person"), ("opnamedatum", "time"),
        ("płeć", "quasi"), ("województwo", "quasi"), ("data_przyjęcia", "time"),
    ],
)  # fmt: skip
def test_names_are_understood(name: str, meaning: Meaning) -> None:
    assert says(name, meaning)


@pytest.mark.parametrize("name", ["agenda", "c1", "", "ageless_x"])
def test_other_names_say_nothing(name: str) -> None:
    assert not says(name, "person", "quasi", "direct", "secret")


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("p{}@example.org", "e-mail addresses"), ("+49 30 12{}45", "phone numbers"),
        ("DE44500105175407{}0000", "IBANs"), ("https://example.org/{}", "web addresses"),
        ("they came in at night and left on day {}", "free text"),
    ],
)  # fmt: skip
def test_contents_are_found_and_never_printed(cell: str, kind: str) -> None:
    cells = [cell.format(1000 + i % 50) for i in range(200)]
    found = propose(pa.table({"client": [f"K{i % 50}" for i in range(200)], "col": cells}))
    assert (found.role("col").name, found.role("col").reason) == ("home", f"holds {kind}")
    shown = repr(found) + found._repr_html_() + str(found.to_dict())
    assert not [one for one in cells if one in shown]


def random_table(seed: int) -> tuple[list[int], dict[str, list[int]]]:
    rng = np.random.default_rng(seed)
    people = [int(i) for i in rng.integers(0, 25, 60)]
    columns = {f"c{i}": rng.integers(0, 2 + i, 60).tolist() for i in range(5)}
    return people, columns


def alone(people: list[int], columns: dict[str, list[int]], names: tuple[str, ...]) -> int:
    """Who has a row whose values nobody else has, by looking at everybody."""
    held: dict[tuple[int, ...], set[int]] = {}
    for row, who in enumerate(people):
        held.setdefault(tuple(columns[name][row] for name in names), set()).add(who)
    return len({next(iter(some)) for some in held.values() if len(some) == 1})


def searched(seed: int, **budget: float) -> tuple[Identifying, dict[tuple[str, ...], int], int]:
    people, columns = random_table(seed)
    with connected() as con:
        con.register("t", pa.table({"who": people, **columns}))
        who = People(con, "t", ("who",), len(set(people)))
        found = identifying(who.unique, who.count, [*columns], Fraction(1, 5), **budget)  # type: ignore[arg-type]
    sets = [some for size in (1, 2, 3) for some in combinations(columns, size)]
    return found, {some: alone(people, columns, some) for some in sets}, who.count


@pytest.mark.parametrize("seed", range(8))
def test_identifying_sets_are_exact_minimal_and_complete(seed: int) -> None:
    found, counts, everybody = searched(seed)
    telling = {some for some, people in counts.items() if people > everybody / 5}
    minimal = {some for some in telling if not any({*other} < {*some} for other in telling)}
    assert found.complete
    assert {unique.columns: unique.people for unique in found.sets} == {
        some: counts[some] for some in minimal
    }


def test_a_budget_is_kept_and_said() -> None:
    found, _, _ = searched(1, most=3)
    assert (found.looked_at, found.complete) == (3, False)
    assert not searched(1, seconds=-1.0)[0].complete


def test_a_flag_is_never_the_person() -> None:
    flags = pa.table({
        "user": ["yes", "no"] * 300, "patient_id": [0, 1, 1] * 200,
        "day": [f"2024-01-{1 + i % 28:02}" for i in range(600)],
    })  # fmt: skip
    found = propose(flags)
    assert (found.columns("subject"), found.schema.subject) == ((), "each row")


def test_what_neighbours_know_is_never_published_as_it_is() -> None:
    rng = np.random.default_rng(3)
    known = ("sex", "race", "married", "education", "occupation", "county")
    columns = {name: rng.integers(0, 4, 600).tolist() for name in known}
    who, days = (
        [f"p{i % 150}" for i in range(600)],
        [f"2024-01-{1 + i % 28:02}" for i in range(600)],
    )
    found = propose(pa.table({"person": who, "day": days, **columns}))
    assert not found.columns("sensitive")
    assert {role.name for role in found.roles if role.column in known} <= {"quasi", "home"}
