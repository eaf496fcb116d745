"""Where tables come from: files, databases and frames, all opened as one thing to scan.

``read`` is the door. ``delimited``, ``parquet``, ``arrow``, ``databases`` and ``frames`` each
know one kind of table; ``base`` holds what they share.
"""
