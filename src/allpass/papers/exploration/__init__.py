"""Exploring where rewards are sparse: steps up to the first one, by bonus."""
