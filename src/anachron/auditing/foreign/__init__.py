"""Check tables that Anachron did not make: the output of any tool, against what it claims.

``claim`` is what a person says of a table, ``opened`` reads it and looks at generalised cells,
``invariance`` follows people through several tables. ``run`` counts who stands in each group and
what values they have, and puts a verdict together.

A group is all rows with equal cells in all quasi columns, exactly as they are written; a missing
cell equals another missing one and nothing else.
"""

from anachron.auditing.foreign.claim import FORMS, MODELS, Claim
from anachron.auditing.foreign.run import verify_table

__all__ = ["FORMS", "MODELS", "Claim", "verify_table"]
