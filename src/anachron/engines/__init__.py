"""Engines move rows: they read a table, reduce it to counts and carry out a plan.

``base`` says what an engine must do, ``local`` does it inside this process with DuckDB.
"""
