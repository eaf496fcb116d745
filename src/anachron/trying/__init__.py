"""What promises would give, before anything is published: planned on counts, written nowhere.

``settings.py`` makes settings of a plan and of what is to be tried; ``run.py`` reads table and
ledger once and tries each; ``trial.py`` is the table that comes of it. What a method can tell of a
setting are its *figures*, risks and costs (``figures.py``): those of ``granularity.py`` come from
one look at each view, those of the others from a publication that is rehearsed (``rehearsing.py``).
"""
