"""From SQL text to conditions: ``syntax`` reads, ``conditions`` and what it calls understand."""
