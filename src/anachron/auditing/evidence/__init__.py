"""What stands behind a release: its people and records, and what the ledger remembers of them.

Of events: ``events``. Of a register: ``register`` reads the memory, ``lifespans`` and ``modes``
follow people through releases, ``people`` finds them in the microdata, ``draw`` asks whether lots
were drawn. Of a feed: ``feed`` reads the memory, ``records`` gathers records, ``laid`` lays them
against the rows, with ``compared``, ``boxes`` and ``matching``; ``ontime``, ``strange``,
``account`` and ``snapshot`` answer a question each. Of series: ``series`` reads them again,
``standing`` finds everyone's row, ``possible``, ``breaches`` and ``crowds`` look at what an
adversary finds.
"""
