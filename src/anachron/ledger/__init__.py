"""The durable memory of what was published: a private folder of its owner.

::

    ledger/            mode 0700
      key              32 random bytes, made once
      catalog.sqlite   one row for each release, each sealed with the row before it
      state/0001.parquet …   who is in a release, and from when to when, as keyed digests
      feed/0001.parquet      what a feed has not yet published, of the newest push alone
"""

from __future__ import annotations

from anachron.ledger.entry import Entry
from anachron.ledger.ledger import Ledger
from anachron.ledger.publication import Publication

__all__ = ["Entry", "Ledger", "Publication"]
