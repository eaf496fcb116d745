"""Registers that are released again and again: a release in numbers, and how it came about."""
