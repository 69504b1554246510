"""Rewards spread over the graph of states: what shaping by them saves."""
