"""How a part of a promise is declared: once, on the field that keeps it.

A schema, a promise and a plan are frozen dataclasses. The metadata of each field is a ``part``: of
which kind it is, and how it may change in a history. From that follow what the constructor takes
and refuses, what ledgers and releases hold, what stands in a plan file, the reference page, and
what may follow what. What a part means is said by the docstring of the class.
"""
