"""All checks, by what they are about.

``files``: the folder and its bytes, with ``commas`` for CSV. ``form``: description, columns, roles.
``rows``: how many, in what order, under what numbers. ``values``: times, quasi values and sensitive
values. ``people``: who stands behind rows. ``memory``: what the ledger remembers. ``history``: what
was published before, and when it happened.
"""
