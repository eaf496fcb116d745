"""Find who stands behind which group: the table, laid against a release.

The table is read by ``behind``, the release and what the ledger remembers of it by the audit's own
readers; methods differ in how the three are laid together, and each has a file. Attacks and
measures of usefulness ask here who is in a release, and so cannot differ about it.
"""

from anachron.placing.members import members_of, rows_of

__all__ = ["members_of", "rows_of"]
