"""Check tables that Anachron did not make: the output of any tool, against what it claims.

``claim`` is what a person says of a table, ``opened`` reads it, ``cells`` looks at generalised
cells, ``groups`` counts who stands in each group, ``diversity`` what values they have, and
``invariance`` follows people through several tables. ``run`` puts a verdict together.

A group is all rows with equal cells in all quasi columns, exactly as they are written; a missing
cell equals another missing one and nothing else.
"""

from anachron.auditing.foreign.claim import FORMS, MODELS, Claim
from anachron.auditing.foreign.run import verify_table

__all__ = ["FORMS", "MODELS", "Claim", "verify_table"]
