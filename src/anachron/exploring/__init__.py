"""Which promise to choose: one point for each candidate, its risk against its loss.

Choices are settings of a promise, as in trials (``trying``), and every least answer of one is a
point of its own. What points are measured by is declared once (``yardsticks.py``): what follows
from the figures of a trial costs nothing, and what only a release can tell is measured on one that
is rehearsed and thrown away (``rehearsal.py``). ``run.py`` gives the points one by one, as they are
ready; ``frontier.py`` is what comes of them all, and ``details.py`` looks closer at one. Each
method declares its part: ``granularity.py``, ``register.py``, ``feed.py``, ``series.py``.
"""
