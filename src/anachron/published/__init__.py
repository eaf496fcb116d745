"""What a release is: ways to publish a column, and how they make a release of each kind.

Methods say in these words what they published; they are written down in ``datapackage.json``, and
whoever reads a release reads them there. The audit alone reads that file with eyes of its own.
"""
