"""Slow, obvious re-implementations. Only tests import them, and they import no Anachron."""
