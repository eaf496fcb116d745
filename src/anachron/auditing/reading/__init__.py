"""What is published, as the audit reads it: with parsers and calendars of its own.

``description`` reads a description into a ``form``; ``events``, ``register``, ``feed`` and
``series`` read the rows of each kind, out of ``columns``. ``granules``, ``succession`` and
``clock`` tell times, ``values``, ``intervals`` and ``letters`` what is published of a value, and
``spelled`` when two spellings are one. ``database`` opens a file for questions in SQL.
"""
