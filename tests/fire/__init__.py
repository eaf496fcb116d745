"""Campaigns under fire: what hostile people, poisoned files and broken machines can do."""
