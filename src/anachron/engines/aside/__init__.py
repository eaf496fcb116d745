"""The engine for tables larger than memory: rows lie in pieces on a disk, one is held at a time.

A piece has all rows of some people, or of some groups. What is done to it is what the local engine
does to a table; what is said of its columns is what is said of them when they travel to a worker.
"""
