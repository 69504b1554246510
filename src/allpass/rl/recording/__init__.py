"""Recorded experience: one typed table of steps, and where steps come from."""
