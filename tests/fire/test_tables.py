"""A fair sample of the campaign of malformed tables and plans; the thousands are in ``tables``."""

from __future__ import annotations

from tests.fire.tables import campaign


def test_a_sample_of_malformed_tables_ends_as_it_must() -> None:
    assert campaign(cases=20, seed=3, workers=1, step=11) == 0
