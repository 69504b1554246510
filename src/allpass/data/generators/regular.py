"""Graphs in which every node has the same number of neighbours inside and outside its class."""

from __future__ import annotations

import numpy as np
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.features import borrow
from allpass.data.generators.form import class_labels, finish, streams
from allpass.data.generators.neighbours import draw_neighbours
from allpass.data.generators.pairing import regular_between, regular_within
from allpass.data.generators.sampling import Ints, both_ways


def regular_graph(
    homophily: float,
    *,
    num_classes: int = 5,
    nodes_per_class: int = 400,
    intra_degree: int = 2,
    directed: bool = True,
    seed: int = 0,
    features: Data | None = None,
) -> Data:
    r"""The synthetic graphs of "Revisiting Heterophily For GNNs", with prescribed edge homophily.

    Every node has :math:`d_{intra}` neighbours in its own class and
    :math:`d_{inter} = \lfloor d_{intra}/h - d_{intra} \rfloor` in other classes, all different. The edge
    homophily is exactly :math:`d_{intra} / (d_{intra} + d_{inter})`, which is h only where the floor takes
    nothing away: a nominal 0.9 with ten intra-class neighbours is 0.9091, and with two every nominal level
    above 2/3 is 1. The account says so.

    **Directed**, as the authors built them: node j draws its neighbours and only row j of the aggregation
    matrix is set. An edge u -> v of allpass is a message from u to v, so a neighbour u that j drew is the edge
    u -> j: in-degrees are all equal, out-degrees vary, and nothing is symmetrised.

    **Undirected** (``directed=False``): a truly regular simple graph, every edge stored both ways. It is drawn
    by random pairing of edge ends and repaired by edge switches, which is close to uniform but not exactly so.

    Args:
        homophily: Nominal edge homophily h, above 0 and at most 1. Level 0.005 needs ``intra_degree=2``.
        num_classes: Number of classes C.
        nodes_per_class: Nodes in each class, numbered class after class.
        intra_degree: Neighbours of each node in its own class.
        directed: Whether nodes draw neighbours one-sidedly.
        seed: Where the random numbers start; the features have a stream of their own.
        features: A dataset whose features are borrowed class by class; none gives a graph without features.

    Example:
        >>> data = regular_graph(0.2, num_classes=3, nodes_per_class=50, intra_degree=2)
        >>> data.num_nodes, data.num_edges
        (150, 1500)
    """
    h = share("homophily", homophily, above_zero=True)
    C = whole_number("num_classes", num_classes, least=1)
    n = whole_number("nodes_per_class", nodes_per_class, least=1)
    d_intra = whole_number("intra_degree", intra_degree, least=1)
    d_inter = int(d_intra / h - d_intra)
    rng, feature_rng = streams(seed)
    y = class_labels(np.full(C, n))
    draw = _directed if directed else _undirected
    edge_index = draw(C, n, d_intra, d_inter, rng)
    x = None if features is None else borrow(y, features, feature_rng)
    recipe = {
        "homophily": h,
        "num_classes": C,
        "nodes_per_class": n,
        "intra_degree": d_intra,
        "directed": directed,
        "seed": seed,
        "features": features,
    }
    return finish("regular_graph", edge_index, y, x, recipe=recipe, homophily=h)


def _directed(C: int, n: int, d_intra: int, d_inter: int, rng: np.random.Generator) -> Ints:
    return draw_neighbours(np.full(C * n, d_intra), np.full(C * n, d_inter), np.full(C, n), rng)


def _undirected(C: int, n: int, d_intra: int, d_inter: int, rng: np.random.Generator) -> Ints:
    within = regular_within(C, n, d_intra, rng)
    between = regular_between(C, n, d_inter, rng)
    first, second = np.concatenate([within, between], axis=1)
    return both_ways(first, second, C * n)
