"""The graph that networks are trained on."""

from __future__ import annotations

import torch
from torch_geometric.data import Data

from allpass.graph.operator import Operator


def adjacency(data: Data, dtype: torch.dtype, *, undirected: bool = True) -> Operator:
    """The adjacency of a graph; edges go both ways, as metrics take them and as published experiments do, or as stored.

    Args:
        data: The graph.
        dtype: Precision of its values.
        undirected: Add the way back to every edge that has none.

    Example:
        >>> one_way = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
        >>> adjacency(one_way, torch.float32).to_dense().tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    graph = Operator.from_edge_index(data.edge_index, data.edge_weight, data.num_nodes, dtype=dtype)
    return graph.symmetrized() if undirected else graph
