"""Datasets by name: what they are, where their files come from, how they become graphs."""
