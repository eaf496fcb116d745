"""m-invariance: release a changing table again and again.

Xiao, Tao: *m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets*,
SIGMOD 2007.

A person is published each time among rows with the same set of sensitive values, his
*signature*, of at least m values. The paper's four phases have a module each: ``divide``
gathers known people by signature, ``balance`` evens the buckets out, ``assign`` places the new
people, and ``kernels.split`` cuts buckets into groups. ``pool`` lets new people join others first,
``changes`` and ``settle`` treat people whose sensitive value changed, ``sticky`` keeps groups
for ever, ``memory`` is what is remembered, and ``plan`` ties them together.
"""
