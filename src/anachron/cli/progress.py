"""A bar for long work, on stderr and only where a person can see it."""

from anachron.progress import terminal_bar as progress_bar

__all__ = ["progress_bar"]
