"""The embeddings by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from allpass.graph.embeddings.isomap import isomap_embedding
from allpass.graph.embeddings.poincare import poincare_embedding
from allpass.graph.embeddings.struc2vec import struc2vec_embedding
from allpass.graph.operator import Operator
from allpass.registry import Registry


@dataclass(frozen=True)
class Embedding:
    """A way to give nodes positions.

    Args:
        name: Its name.
        build: ``build(A)`` gives the positions ``[N, d]``, which A keeps.
        summary: What comes close.
        citation: Its paper.
        aliases: Other names.
    """

    name: str
    build: Callable[[Operator], Tensor]
    summary: str
    citation: str
    aliases: tuple[str, ...] = ()


EMBEDDINGS: Registry[Embedding] = Registry("embedding")
for _entry in (
    Embedding(
        "isomap",
        isomap_embedding,
        "nodes a few steps apart",
        "Tenenbaum, de Silva and Langford: A Global Geometric Framework for Nonlinear Dimensionality Reduction, "
        "Science 2000",
        aliases=("mds",),
    ),
    Embedding(
        "poincare",
        poincare_embedding,
        "neighbours, with hubs in the middle of the disc",
        "Nickel and Kiela: Poincaré Embeddings for Learning Hierarchical Representations, NeurIPS 2017",
    ),
    Embedding(
        "struc2vec",
        struc2vec_embedding,
        "nodes with the same role, wherever they are",
        "Ribeiro, Saverese and Figueiredo: struc2vec: Learning Node Representations from Structural Identity, KDD 2017",
    ),
):
    EMBEDDINGS.add(_entry)
