"""The main job on invented data: one entry of :data:`JOBS` for each thing to show."""

from __future__ import annotations

from anachron.demo.jobs import JOBS, Job, prepare

__all__ = ["JOBS", "Job", "prepare"]
