"""The audit: does a release keep its promise?

It reads what was published and, for the owner of the data, the ledger and the microdata. It
works from the published columns themselves and shares no code with the methods.

``verdict`` is what an audit gives back, ``run`` carries one out, ``verify/`` holds the checks.
``whole`` audits all releases of a folder, with ``chain`` for their order and ``times`` for what
must not be published twice. ``foreign/`` checks tables that other tools wrote.
"""
