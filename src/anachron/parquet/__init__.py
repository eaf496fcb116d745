"""Is every byte of a Parquet file accounted for?

``thrift`` reads the structures that it knows and no other; ``footer`` takes the end of the file
apart and says where each column chunk lies; ``measure`` says how much it is before anything is
unpacked; ``walk`` goes over its pages one after the other, ``packed`` sees that nothing stands
behind what a page holds, and ``values`` lays dictionaries, plain values and statistics against the
rows that a reader gets. All who read a release come here; the audit shares nothing else with them.

What cannot be seen: which of several equal ways of writing the same values was chosen.
"""

from __future__ import annotations

from anachron.parquet.measure import allowed, check_size
from anachron.parquet.thrift import Beside, Unfit
from anachron.parquet.walk import walk

__all__ = ["Beside", "Unfit", "allowed", "check_size", "walk"]
