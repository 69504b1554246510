"""Markov decision processes as graphs."""
