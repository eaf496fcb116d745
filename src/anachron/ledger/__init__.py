"""The durable memory of what was published: a private folder of its owner.

::

    ledger/            mode 0700
      key              32 random bytes, made once; or elsewhere, see keys.py
      catalog.sqlite   one row for each release, each sealed with the row before it
      state/0001.encrypted …   who is in a release, and from when to when, as keyed digests
      feed/0001.encrypted      what a feed has not yet published, of the newest push alone
      outgoing/        releases on their way to a store, and nothing else

What must not be read without the key is encrypted; see encryption.py.
"""

from __future__ import annotations

from anachron.ledger.before import Before
from anachron.ledger.entry import Entry
from anachron.ledger.ledger import Ledger
from anachron.ledger.publication import Publication

__all__ = ["Before", "Entry", "Ledger", "Publication"]
