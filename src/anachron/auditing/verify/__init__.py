"""Does the promise hold? One file for each thing that can be wrong.

``files`` looks at the folder, ``commas`` at the CSV, ``rows`` at the order and numbering of rows,
``groups`` at what is published for each group, with ``granules`` for times and ``values`` for
quasi values; ``people`` counts who stands behind a group, and ``content`` compares what the
group says with them. ``granularity`` puts together what one method promises.
"""
