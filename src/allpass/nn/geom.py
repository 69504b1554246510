"""Geometric aggregation: neighbours in the graph and in a plane, told apart by where they lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from allpass.errors import InputError
from allpass.graph.embeddings.catalog import EMBEDDINGS
from allpass.graph.embeddings.nearness import nearest_pairs
from allpass.graph.operator import Operator
from allpass.nn.initialisation import Init, initialise_
from allpass.nn.inputs import Features, Graph, read
from allpass.nn.linear import empty_weight, times

Positions: TypeAlias = str | Callable[[Operator], Tensor]
"""The name of an embedding (``allpass.graph.EMBEDDINGS``), or a function of the adjacency that gives ``[N, 2]``."""

Merge = Literal["sum", "concat", "mean"]
Overlap = Literal["latent", "both"]
Degrees = Literal["all", "graph"]
Index: TypeAlias = NDArray[np.int64]

PEI = "Pei et al.: Geom-GCN: Geometric Graph Convolutional Networks, ICLR 2020"
QUADRANTS = 4


class GeomConv(nn.Module):
    r"""The bi-level aggregation of Geom-GCN (`Pei et al., ICLR 2020 <https://arxiv.org/abs/2002.05287>`_).

    Every node v has a position :math:`z_v` in the plane, its neighbours :math:`N_g(v)` in the graph, and
    :math:`N_s(v)`, the nodes nearer than :math:`\rho` in the plane. A neighbour lies to the upper left, upper right,
    lower left or lower right: :math:`\tau(z_v, z_u)`. Each of these relations r has a virtual node and a weight:

    .. math::
        e_v^{(i, r)} = \sum_{u \in N_i(v), \, \tau(z_v, z_u) = r} \frac{h_u}{\sqrt{d_v d_u}}, \quad
        i \in \{g, s\}

    .. math::
        h'_v = \sum_{i, r} e_v^{(i, r)} W_{(i, r)}

    The sum is the paper's W on the concatenated virtual nodes. :math:`\rho` is as large as it can be without N_s
    having more members than N_g, over all nodes. A coordinate that is equal counts as upper or right (:math:`\le`).

    Args:
        in_channels: Columns of H.
        out_channels: Columns of a product with a W.
        embedding: Where the positions come from: a name of ``allpass.graph.EMBEDDINGS`` (computed once for a graph and
            kept by it), or a function of the adjacency; ``lambda A: z`` for positions of one's own.
        merge: ``"sum"``, ``"mean"`` (the sum over the number of relations) or ``"concat"`` (the products side by side).
        shared: One W for all relations.
        self_relation: The node itself as a ninth relation.
        overlap: What a neighbour in both the graph and the plane is: in the plane alone (``"latent"``), or both.
        degrees: :math:`d_v` counts the neighbours in all relations (``"all"``) or in the graph (``"graph"``).
        init: Initialisation of every W.

    Shapes:
        x ``[N, in_channels]``, dense or sparse; result ``[N, out_channels]``, for ``"concat"`` as many times wider as
        there are relations.

    Notes:
        Weights and self-loops of the graph are not looked at. In a directed graph N_g(v) are the nodes with an edge to
        v (the authors' files have both directions); named embeddings see the undirected graph. Pairs in a tie at
        :math:`\rho` are left out, so nodes that are all in one place have no latent neighbours.

        The defaults are the authors' code: a ninth relation; a common neighbour is a latent one (its line in their
        files comes last); degrees of the joint graph; ``merge="concat"`` in the hidden layer and ``"mean"`` in the
        last. The paper has ``self_relation=False, overlap="both", degrees="graph"`` (a node without graph neighbours
        then gets nothing), ``merge="sum"`` in hidden layers and ``merge="mean", shared=True`` in the last. It prints
        the degrees to the power +1/2; the code divides, as here. In the Poincaré disc nearness is that of the
        coordinates, as we read the paper's tangent planes.

    Example:
        >>> edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> GeomConv(3, 4)(torch.ones(3, 3), edge_index).shape
        torch.Size([3, 4])
        >>> GeomConv(3, 4, merge="concat")(torch.ones(3, 3), edge_index).shape
        torch.Size([3, 36])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        embedding: Positions = "isomap",
        merge: Merge = "sum",
        shared: bool = False,
        self_relation: bool = True,
        overlap: Overlap = "latent",
        degrees: Degrees = "all",
        init: Init = "glorot",
    ) -> None:
        super().__init__()
        for what, got, kind in (
            ("merge", merge, Merge),
            ("overlap", overlap, Overlap),
            ("degrees", degrees, Degrees),
        ):
            if got not in get_args(kind):
                raise InputError(f"Got {what}={got!r}.", f"Expected one of {', '.join(get_args(kind))}.")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.embedding: Callable[[Operator], Tensor] = (
            EMBEDDINGS[embedding].build if isinstance(embedding, str) else embedding
        )
        self.merge, self.shared, self.init = merge, shared, init
        self.self_relation, self.overlap, self.degrees = self_relation, overlap, degrees
        blocks = 1 if shared else self.num_relations
        self.weight = empty_weight(in_channels, out_channels, beside=blocks)
        self.reset_parameters()

    @property
    def num_relations(self) -> int:
        """Relations: four in the graph, four in the plane, and the node itself."""
        return 2 * QUADRANTS + self.self_relation

    def reset_parameters(self) -> None:
        """Draw new weights."""
        initialise_(self.weight, self.init, blocks=self.weight.shape[1] // self.out_channels)

    def forward(self, x: Features, edge_index: Graph, edge_weight: Tensor | None = None) -> Tensor:
        x, A = read(x, edge_index, edge_weight)
        HW = times(x, self.weight).reshape(-1, self.out_channels)  # row u R + r is h_u W_r
        return (self._aggregation(A) @ HW).reshape(x.shape[0], -1)

    def _aggregation(self, A: Operator) -> Operator:
        """All relations as one sparse map, kept by A: columns (u, r), rows v, or (v, r) for ``"concat"``."""
        key = (id(self.embedding), self.merge, self.shared, self.self_relation, self.overlap, self.degrees)
        _, kept = A.derived(f"geom {key}", lambda: (self.embedding, self._built(A)))  # the id stays its own
        return kept

    def _built(self, A: Operator) -> Operator:
        v, u, r, value = _relations(
            A, checked(self.embedding(A), A), self.self_relation, self.overlap, self.degrees
        )
        R, N = self.num_relations, A.shape[0]
        row = v * R + r if self.merge == "concat" else v
        col = u if self.shared else u * R + r
        shape = (N * R if self.merge == "concat" else N, N if self.shared else N * R)
        value = value / R if self.merge == "mean" else value
        return Operator.from_scipy(sp.coo_array((value, (row, col)), shape=shape), dtype=A.dtype).to(A.device)

    def extra_repr(self) -> str:
        return f"{self.in_channels}, {self.out_channels}, {self.num_relations} relations, merge={self.merge}"


def checked(positions: Tensor, A: Operator) -> NDArray[np.float64]:
    """The positions as an array; complains when they are not finite ``[N, 2]``."""
    if positions.shape != (A.shape[0], 2) or not bool(positions.isfinite().all()):
        raise InputError(
            f"Got positions of shape {list(positions.shape)} for {A.shape[0]} nodes.",
            f"Expected finite numbers of shape [{A.shape[0]}, 2].",
        )
    return positions.detach().to("cpu", torch.float64).numpy()


def _relations(
    A: Operator, z: NDArray[np.float64], self_relation: bool, overlap: Overlap, degrees: Degrees
) -> tuple[Index, Index, Index, Any]:
    """Entries (v, u), their relations, and 1 / sqrt(d_v d_u)."""
    N = A.shape[0]
    graph = A.detached().to("cpu").to_scipy().tocoo()
    real = (graph.data != 0) & (graph.row != graph.col)
    g = np.stack([graph.row[real], graph.col[real]]).astype(np.int64)
    s = nearest_pairs(z, g.shape[1] // 2)
    s = np.concatenate([s, s[::-1]], axis=1)
    counted = np.bincount(g[0], minlength=N)
    if overlap == "latent":
        g = g[:, ~np.isin(g[0] * N + g[1], s[0] * N + s[1])]
    loops = np.tile(np.arange(N if self_relation else 0), (2, 1))
    v, u = np.concatenate([g, s, loops], axis=1)
    r = np.concatenate([_quadrant(z, g), QUADRANTS + _quadrant(z, s), np.full(loops.shape[1], 2 * QUADRANTS)])
    d = counted if degrees == "graph" else np.bincount(v, minlength=N)
    scale = np.where(d > 0, 1 / np.sqrt(np.maximum(d, 1)), 0)
    return v, u, r, scale[v] * scale[u]


def _quadrant(z: NDArray[np.float64], pairs: Index) -> Index:
    """tau: 0 upper left, 1 upper right, 2 lower left, 3 lower right, of u as seen from v."""
    right, upper = (z[pairs[0]] <= z[pairs[1]]).T
    return np.where(upper, 0, 2) + right
