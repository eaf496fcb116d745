"""Two releases of a small feed: snapshots of a week, one of them empty, and a few who are late."""

from __future__ import annotations

from tests.auditing.feed_draft import Draft, Group, Record

MON, TUE, WED, THU, FRI, SAT, SUN = (f"2024-05-{day:02d}" for day in range(6, 13))

RECORDS = {
    "A1": Record("Ann", f"{MON} 08:00", 21, 1.23, "north", "flu"),
    "A2": Record("Bob", f"{MON} 09:30", 24, 1.30, "middle", "gout"),
    "A3": Record("Cid", f"{MON} 10:00", 33, 0.70, "south", "flu"),
    "A4": Record("Dan", f"{MON} 11:11", 39, 2.05, "middle", "flu"),
    "B1": Record("Ann", f"{TUE} 00:00", 21, 1.23, "north", "flu"),
    "B2": Record("Eve", f"{TUE} 01:00", 41, 3.00, "north", "gout"),
    "B3": Record("Fay", f"{TUE} 12:00", 47, 3.33, "north", "cold"),
    "B4": Record("Gus", f"{TUE} 23:59", 22, 1.11, "south", "flu"),
    "C1": Record("Hal", f"{WED} 07:00", 58, 0.15, "south", "gout"),
    "C2": Record("Ivy", f"{WED} 07:30", 60, 2.22, "middle", "cold"),
    "C3": Record("Jon", f"{WED} 08:00", 63, 2.51, "south", "acne"),
    "C4": Record("Kim", f"{WED} 09:00", 2, 9.90, "north", "gout"),
    "C5": Record("Lou", f"{WED} 10:00", 4, 0.00, "south", "gout"),
    "E1": Record("Max", f"{FRI} 11:00", 21, 1.23, "north", "flu"),
    "E2": Record("Ned", f"{FRI} 12:00", 23, 1.25, "north", "gout"),
    "E3": Record("Oda", f"{FRI} 13:00", 71, 1.23, "north", "flu"),
    "E4": Record("Pat", f"{FRI} 14:00", 72, 1.24, "middle", "cold"),
    "F1": Record("Quy", f"{SAT} 15:00", 30, 5.00, "south", "=ache"),
    "F2": Record("Ann", f"{SAT} 16:00", 31, 5.05, "south", "flu"),
    "G1": Record("Ron", f"{SUN} 17:00", 40, 4.00, "south", "cold"),
}


def first(then: str) -> Draft:
    """Monday alone: three of four fit."""
    return Draft(then, 1, dict(RECORDS), [MON], [Group(MON, ["A1", "A2"])])


def second(then: str) -> Draft:
    """Tuesday to Saturday: one of Monday comes, two are moved, one is left out."""
    groups = [
        Group(TUE, ["B1", "B2"]),
        Group(TUE, ["A4", "B3"]),
        Group(WED, ["C1", "B4"]),
        Group(WED, ["C2", "C3"]),
        Group(FRI, ["E1", "E2"]),
        Group(FRI, ["C5", "E3", "E4"]),
        Group(SAT, ["F1", "F2"]),
    ]
    return Draft(then, 2, dict(RECORDS), [TUE, WED, THU, FRI, SAT], groups)
