"""Does the promise hold? One file for each thing that can be wrong.

``files`` looks at the folder, ``commas`` at the CSV, ``rows`` at the order and numbering of rows,
``groups`` at what is published for each group, with ``granules`` for times and ``values`` for
quasi values; ``people`` counts who stands behind a group, and ``content`` compares what the
group says with them. ``granularity`` puts together what one method promises.

For registers that are released again and again, ``invariance`` puts together the files of that
name: ``alone`` and ``intervals`` look at what is published (``shape``, ``groups``), ``people`` at
the microdata, ``unaided`` at them without a ledger. ``past`` lays releases and the ledger's memory
(``state``) against each other: ``hosts`` finds everyone's group, ``lifespans`` follows signatures,
``candidates`` counts the values left, ``modes`` knows what modes add, and ``draw`` asks whether
lots were drawn.

For feeds, ``reposition`` puts together the files of that name: ``alone`` and ``order`` look at what
is published (``shape``, ``rows``), ``state`` at what the ledger remembers, with ``succession`` to
count snapshots and ``keys`` to recognise records. ``records`` gathers those behind a release and
``places`` puts them where the ledger says; ``content`` compares them with the published rows, and
``coverage`` with published boxes (``boxes``, ``matching``). ``unaided`` does without a ledger, and
``composed`` judges feeds whose snapshots are m-invariant.
"""
