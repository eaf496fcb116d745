"""k-anonymity of event tables by the least general time granularity.

Mascetti, Bettini, Wang, Jajodia: *k-Anonymity in Databases with Timestamped Data*, TIME 2006.

``recode`` climbs the ladders of quasi columns, ``lattice`` spans the product of the ladders
and the order of granularities, ``search`` finds its least nodes that hold, ``plan`` compares
and explains them, ``apply`` turns the chosen one into what is published.
"""
