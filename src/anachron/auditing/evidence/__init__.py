"""What stands behind a release: its people and records, and what the ledger remembers of them.

Of events: ``events``. Of a register: ``register`` reads the memory, ``lifespans`` follows people
through releases, ``people`` finds them in the microdata. Of a feed: ``feed`` reads the memory,
``records`` gathers records, ``laid`` lays them against the rows, with ``compared``, ``boxes`` and
``matching``, and ``account`` counts them. Of series: ``series`` reads them again, ``standing``
finds everyone's row, ``possible`` the rows that an adversary finds, and ``breaches`` what these
give away. ``digests`` finds those whom the ledger knows by digests only.
"""
