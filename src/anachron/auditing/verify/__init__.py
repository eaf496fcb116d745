"""Does the promise hold? One file for each thing that can be wrong.

``files`` looks at the folder, ``commas`` at the CSV, ``rows`` at the order and numbering of rows,
``groups`` at what is published for each group, with ``granules`` for times and ``values`` for
quasi values; ``people`` counts who stands behind a group, and ``content`` compares what the
group says with them. ``granularity`` puts together what one method promises.

For registers that are released again and again, ``invariance`` puts together the files of that
name: ``alone`` and ``intervals`` look at what is published (``shape``, ``groups``), ``people`` at
the microdata, ``unaided`` at them without a ledger. ``past`` lays releases and the ledger's memory
(``state``) against each other: ``hosts`` finds everyone's group, ``lifespans`` follows signatures,
``candidates`` counts the values left, and ``modes`` knows what modes add.
"""
