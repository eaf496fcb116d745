"""The judge of small worlds: what somebody who has read our source learns from what we publish.

The adversary knows the algorithm, everybody's quasi values, who is present when, and all that
is published, refusals included; neither the sensitive values nor the ledger's key. A *world*
gives everyone a value, and all worlds of a story are equally likely beforehand. The real
publisher runs in every world, with every draw of lots it can make, and each release is set
against all worlds that could have led to it.

=============  ============================================================================
``story``      people, who is there when, what may change, and the promise, as one value
``lots``       all draws of a run, one after the other, each with its probability
``tables``     a table of a world, held in memory
``desk``       a ledger held in memory, and the writer replaced by somebody who looks
``play``       a story in one world: all that may be seen, and how likely it is
``judge``      posteriors against the promise
``leaks``      stories with a known weakness, which the judge must find
``stories``    random stories of every method and mode
=============  ============================================================================
"""
