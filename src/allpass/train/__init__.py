"""The training engine: many runs at once, each with its own split, settings, seed and end."""
