"""Reposition: publish every snapshot of a feed on time, l-eligible.

Wang, Xu, Wong, Fu: *Anonymizing Temporal Data*, ICDM 2010.

A record may be published a few snapshots after its own, its *home*, so that no sensitive value
is too frequent in any published snapshot. ``eligible`` says what is too frequent, ``window`` is
what is not published yet, ``relay`` and ``recycle`` are the paper's window step, ``rolling``
plans the whole window anew, and ``plan`` ties them together. ``baselines`` and ``measures`` are
for comparison. Everything here is done on counts: no function sees a record.
"""
