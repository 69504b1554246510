"""The graph as a linear operator on node signals. Knows nothing of labels or learning."""

from allpass.graph.linear import Combination, Composition, Identity, LinearMap
from allpass.graph.operator import Operator

__all__ = ["Combination", "Composition", "Identity", "LinearMap", "Operator"]
