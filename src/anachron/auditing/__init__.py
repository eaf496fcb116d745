"""The audit: does a release keep its promise?

It reads what was published and, for the owner of the data, the ledger and the microdata. It
works from the published columns themselves and shares no code with the methods.

``verdict`` is what an audit gives back, ``run`` carries one out. ``check`` is the language in
which checks are declared: small functions that say only what is wrong. ``checks/`` has them all,
by subject; ``promises/`` lists for each promise what is checked, and how what checks need is come
by. ``reading/`` reads what is published, ``evidence/`` what stands behind it: people, records, and
what the ledger remembers. ``whole`` audits all releases of a folder, with ``chain`` for what they
are together. ``foreign/`` checks tables that other tools wrote, ``parquet/`` walks over every byte
of a file.
"""
