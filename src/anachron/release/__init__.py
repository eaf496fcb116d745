"""A release: a numbered folder of Parquet files with a description that states the promise."""

from __future__ import annotations

from anachron.release.read import Release

__all__ = ["Release"]
