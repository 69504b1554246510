"""Potentials: rewards spread over the graph of states, for shaping."""
