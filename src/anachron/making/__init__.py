"""How a release is made: recognise, plan, write, verify, remember, expose.

``conduct.py`` takes these steps, the same ones for a table, a register and a feed. What differs
between them is a *course*, as ``course.py`` says: those of ``tables.py`` and ``feeds.py``.
``refusing.py`` refuses what cannot be; ``publisher.py`` is what a live feed is pushed to.
"""
