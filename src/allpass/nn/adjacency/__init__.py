"""Learning the adjacency: base, candidates, fusion, each exchangeable. One idea a file."""

from allpass.nn.adjacency.base import BASES
from allpass.nn.adjacency.candidates import CANDIDATES
from allpass.nn.adjacency.learner import AdjacencyLearner
from allpass.nn.adjacency.pattern import CandidateGraph
from allpass.nn.adjacency.selection import Candidates, Selection

__all__ = ["BASES", "CANDIDATES", "AdjacencyLearner", "CandidateGraph", "Candidates", "Selection"]
