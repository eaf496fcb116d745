"""All checks, by what they are about.

``files``: the folder and its bytes. ``form``: description, columns and roles. ``rows``: how many,
in what order, under what numbers. ``values``: times, quasi values and sensitive values. ``people``:
who stands behind rows; ``records``: the same of a feed. ``memory``: what the ledger remembers.
``history``: what was published before, and when it happened.
"""
