"""Time series: a release in numbers and in a few groups to look at, and how it came about."""
