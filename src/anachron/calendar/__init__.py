"""Time granularities: what they are, which is finer, how they are written.

``definitions`` says what a granularity is, ``zones`` turns wall clocks into instants,
``granules`` holds a granularity as sets of instants, ``realise`` makes one from the other,
``order`` compares them.
"""
