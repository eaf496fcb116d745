"""Tests of anachron.calendar; always imported as tests.calendar."""  # noqa: A005
