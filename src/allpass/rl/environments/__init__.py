"""Environments: grids drawn as text, and any finite process as a Gymnasium environment."""
