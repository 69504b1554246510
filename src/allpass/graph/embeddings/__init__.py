"""Positions of nodes in the plane, from the graph alone. Each is computed once for a graph and kept by it."""

from allpass.graph.embeddings.catalog import EMBEDDINGS, Embedding
from allpass.graph.embeddings.isomap import isomap_embedding
from allpass.graph.embeddings.poincare import poincare_embedding
from allpass.graph.embeddings.struc2vec import struc2vec_embedding

__all__ = ["EMBEDDINGS", "Embedding", "isomap_embedding", "poincare_embedding", "struc2vec_embedding"]
