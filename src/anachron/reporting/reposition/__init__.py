"""Feeds that are published snapshot by snapshot: a release in numbers, and how it came about."""
