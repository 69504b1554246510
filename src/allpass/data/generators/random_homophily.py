"""Undirected random graphs with prescribed edge homophily and varying degrees."""

from __future__ import annotations

import numpy as np
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.features import borrow
from allpass.data.generators.form import class_labels, finish, streams
from allpass.data.generators.sampling import Ints, both_ways, draw_distinct, pair_of
from allpass.errors import InputError


def random_homophily_graph(
    homophily: float,
    *,
    num_classes: int = 5,
    nodes_per_class: int = 400,
    intra_degree: int = 2,
    seed: int = 0,
    features: Data | None = None,
) -> Data:
    r"""The "random" synthetic graphs of the code of "Revisiting Heterophily For GNNs".

    Every class of n nodes gets exactly :math:`d_{intra} n / 2` undirected edges inside it, uniformly at
    random. Then the classes, in order, each place
    :math:`\mathrm{round}(d_{intra} n (1 - h)/h - \text{edges to earlier classes}) + 1` edges to later classes,
    uniformly at random; the last class takes what it got. The measured homophily is near h, not equal to it
    (the authors' graphs differ by about 0.004); at h = 1 every class but the last still places one edge.

    Args:
        homophily: Nominal edge homophily h, above 0 and at most 1.
        num_classes: Number of classes.
        nodes_per_class: Nodes n in each class, numbered class after class.
        intra_degree: Mean number of neighbours in the own class.
        seed: Where the random numbers start; the features have a stream of their own.
        features: A dataset whose features are borrowed class by class; none gives a graph without features.

    Example:
        >>> random_homophily_graph(0.5, num_classes=2, nodes_per_class=10, intra_degree=2).num_nodes
        20
    """
    h = share("homophily", homophily, above_zero=True)
    C = whole_number("num_classes", num_classes, least=1)
    n = whole_number("nodes_per_class", nodes_per_class, least=1)
    d = whole_number("intra_degree", intra_degree, least=1)
    rng, feature_rng = streams(seed)
    within, between = _within(C, n, d, rng), _between(C, n, d, h, rng)
    first, second = np.concatenate([within, between], axis=1)
    y = class_labels(np.full(C, n))
    x = None if features is None else borrow(y, features, feature_rng)
    recipe = {
        "homophily": h,
        "num_classes": C,
        "nodes_per_class": n,
        "intra_degree": d,
        "seed": seed,
        "features": features,
    }
    edge_index = both_ways(first, second, C * n)
    return finish("random_homophily_graph", edge_index, y, x, recipe=recipe, homophily=h)


def _within(C: int, n: int, d: int, rng: np.random.Generator) -> Ints:
    """d n / 2 distinct pairs inside each class, ``[2, E]``."""
    if d * n % 2:
        raise InputError(
            f"{n} nodes of mean degree {d} in a class make {d * n / 2} undirected edges.",
            "Take an even intra_degree or an even nodes_per_class.",
        )
    _check(d * n // 2, n * (n - 1) // 2, "inside a class")
    label, index = draw_distinct(np.full(C, d * n // 2), np.full(C, n * (n - 1) // 2), rng)
    return np.stack(pair_of(index, np.full(1, n))) + label * n


def _between(C: int, n: int, d: int, h: float, rng: np.random.Generator) -> Ints:
    """Distinct pairs across classes, ``[2, E]``, placed class by class."""
    pairs = np.empty((2, 0), dtype=np.int64)
    for label in range(C - 1):
        first_later = (label + 1) * n
        placed = int((pairs[1] // n == label).sum())
        count = max(round(d * n * (1 - h) / h - placed) + 1, 0)
        pool = n * (C * n - first_later)
        _check(count, pool, f"from class {label} to later classes")
        index = draw_distinct(np.array([count]), np.array([pool]), rng)[1]
        near, far = np.divmod(index, C * n - first_later)
        pairs = np.concatenate([pairs, np.stack([near + label * n, far + first_later])], axis=1)
    return pairs


def _check(wanted: int, there: int, where: str) -> None:
    if wanted > there:
        raise InputError(
            f"{wanted} edges are wanted {where}, where there are {there} pairs of nodes.",
            "Take a smaller intra_degree, a higher homophily, or larger classes.",
        )
