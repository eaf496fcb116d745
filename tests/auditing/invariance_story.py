"""Three releases of a small register: people come, leave, return and change."""

from __future__ import annotations

from tests.auditing.invariance_draft import Draft, Group, Person

PEOPLE = {
    "Ann": Person(21, 1.23, "north", "flu"),
    "Bob": Person(24, 1.30, "middle", "gout"),
    "Cid": Person(33, 0.70, "south", "flu"),
    "Dan": Person(39, 2.05, "middle", "gout"),
    "Eve": Person(41, 3.00, "north", "cold"),
    "Fay": Person(47, 3.33, "north", "acne"),
    "Gus": Person(22, 1.11, "south", "gout"),
    "Hal": Person(58, 0.15, "south", "flu"),
    "Ivy": Person(60, 2.22, "middle", "cold"),
    "Jon": Person(63, 2.51, "south", "flu"),
    "Kim": Person(0, 9.90, "north", "=ache"),
    "Lou": Person(4, 0.00, "south", "gout"),
    "Max": Person(21, 1.23, "north", "flu"),
    "Ned": Person(21, 1.23, "north", "gout"),
    "Oda": Person(22, 1.25, "north", "flu"),
}


def _only(names: str, **changed: Person) -> dict[str, Person]:
    return {name: PEOPLE[name] for name in names.split()} | changed


def first() -> Draft:
    """Everyone is new."""
    groups = [
        Group(["Ann", "Bob"], ["flu", "gout"]),
        Group(["Cid", "Dan"], ["flu", "gout"]),
        Group(["Eve", "Fay"], ["cold", "acne"]),
    ]
    return Draft(1, _only("Ann Bob Cid Dan Eve Fay"), groups, {})


def second() -> Draft:
    """Bob and Fay left; Gus fills a gap, counterfeits the others, Hal is held back."""
    groups = [
        Group(["Ann", "Gus"], ["flu", "gout"]),
        Group(["Cid", "Dan"], ["flu", "gout"]),
        Group(["Eve"], ["cold", "acne"]),
        Group(["Ivy", "Jon"], ["cold", "flu"]),
        Group(["Oda"], ["flu", "gout"]),
    ]
    return Draft(2, _only("Ann Cid Dan Eve Gus Hal Ivy Jon Oda"), groups, first().remembered())


def third() -> Draft:
    """Bob and Fay are back, Cid moved house, Jon left, and Dan now has a cold.

    Two groups have the same intervals and values, and differ in their counterfeits.
    """
    groups = [
        Group(["Ann", "Bob"], ["flu", "gout"]),
        Group(["Cid", "Gus"], ["flu", "gout"]),
        Group(["Dan", "Fay"], ["cold", "acne"]),
        Group(["Eve"], ["cold", "acne"]),
        Group(["Ivy"], ["cold", "flu"]),
        Group(["Kim", "Lou"], ["=ache", "gout"]),
        Group(["Max", "Ned"], ["flu", "gout"]),
        Group(["Oda"], ["flu", "gout"]),
    ]
    for twin in groups[-2:]:
        twin.box = {"age_low": 20, "age_high": 24, "pay_low": 1.2, "pay_high": 1.3}
    people = _only(
        "Ann Bob Cid Dan Eve Fay Gus Hal Ivy Kim Lou Max Ned Oda",
        Cid=Person(34, 0.80, "north", "flu"),
        Dan=Person(39, 2.05, "middle", "cold"),
    )
    return Draft(3, people, groups, second().remembered())
