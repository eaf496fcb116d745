"""Who stands behind a release: the table, read a second time, by code that published nothing.

A mistake in the reader of a method would be a mistake of everything that trusts it. So whatever
judges a release reads its table here: audits, attacks and measures. Nothing in this room imports
what the methods read with (``source``, ``engines``), and text files are parsed by another library.
"""

from anachron.behind.large import Large, Passing
from anachron.behind.members import Attribute, Members
from anachron.behind.microdata import Microdata, read, read_aside
from anachron.behind.spark import AT_ONCE

__all__ = [
    "AT_ONCE",
    "Attribute",
    "Large",
    "Members",
    "Microdata",
    "Passing",
    "read",
    "read_aside",
]
