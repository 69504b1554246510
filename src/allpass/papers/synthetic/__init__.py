"""Accuracy against homophily on regular graphs that are drawn for it."""
