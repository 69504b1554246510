"""Markov decision processes as graphs: states are nodes, transitions edges, values signals on them."""

from allpass.rl.layouts import Layout
from allpass.rl.mdp import TabularMDP
from allpass.rl.policies import policy_matrix

__all__ = ["Layout", "TabularMDP", "policy_matrix"]
