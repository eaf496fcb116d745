"""Events that were published once: their release in numbers, and the search for their times."""
