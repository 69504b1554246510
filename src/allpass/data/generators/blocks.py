"""Stochastic block models with prescribed numbers of edges between classes; made for large test graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.features import gaussian_classes
from allpass.data.generators.form import class_labels, finish, streams
from allpass.data.generators.sampling import Ints, both_ways, draw_distinct, pair_of
from allpass.errors import InputError


def contextual_sbm(
    class_sizes: Sequence[int],
    mixing: npt.ArrayLike,
    *,
    average_degree: float = 10.0,
    num_features: int = 0,
    seed: int = 0,
) -> Data:
    """An undirected simple graph with a prescribed class mixing matrix and Gaussian features.

    Of all stored edges the share ``mixing[c, k]`` leads from class c to class k, up to the rounding to whole
    edges; which pairs of nodes are joined is uniformly random. (Numbers of edges are fixed rather than
    binomial, so the graph has the mixing that was asked for.)

    Args:
        class_sizes: Nodes of each class, numbered class after class.
        mixing: Symmetric matrix ``[C, C]``, not negative; it is scaled to add up to 1.
        average_degree: Mean number of neighbours.
        num_features: Width of the features, a random centre for each class plus unit noise; 0 for none.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = contextual_sbm([30, 20], [[0.5, 0.1], [0.1, 0.3]], average_degree=4, num_features=3)
        >>> data.num_nodes, data.num_edges, data.x.shape
        (50, 200, torch.Size([50, 3]))
    """
    sizes = np.array([whole_number("class_sizes", size, least=1) for size in class_sizes], dtype=np.int64)
    M = np.asarray(mixing, dtype=np.float64)
    C = len(sizes)
    if (
        C == 0
        or M.shape != (C, C)
        or not (M >= 0).all()
        or not np.allclose(M, M.T)
        or not 0 < M.sum() < np.inf
    ):
        raise InputError(
            f"Got a mixing matrix of shape {list(M.shape)} for {C} classes.",
            "Expected it symmetric, of one row for each class, with numbers of 0 or more and not all 0.",
        )
    first, second = np.triu_indices(C)
    weight = np.where(first == second, 1, 2) * M[first, second] / M.sum()
    counts = _largest_remainder(weight, _num_edges(int(sizes.sum()), average_degree))
    recipe = {
        "class_sizes": sizes.tolist(),
        "mixing": M.tolist(),
        "average_degree": average_degree,
        "num_features": num_features,
        "seed": seed,
    }
    edge_index, y, x = _draw(sizes, counts, num_features, seed)
    return finish("contextual_sbm", edge_index, y, x, recipe=recipe)


def planted_partition(
    num_nodes: int,
    num_classes: int,
    average_degree: float,
    homophily: float,
    *,
    num_features: int = 0,
    seed: int = 0,
) -> Data:
    """An undirected simple graph of equal classes in which the share ``homophily`` of edges stays inside one.

    Of E = round(N degree / 2) undirected edges round(E homophily) join nodes of one class, evenly over the
    classes, and the others are spread evenly over the pairs of classes. A million nodes with 20 million stored
    edges take seconds.

    Args:
        num_nodes: Number of nodes, numbered class after class; class sizes differ by at most one.
        num_classes: Number of classes.
        average_degree: Mean number of neighbours.
        homophily: Edge homophily, from 0 to 1.
        num_features: Width of the features, a random centre for each class plus unit noise; 0 for none.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = planted_partition(1000, 4, average_degree=10, homophily=0.3)
        >>> data.num_edges, float((data.y[data.edge_index[0]] == data.y[data.edge_index[1]]).float().mean())
        (10000, 0.30000001192092896)
    """
    C = whole_number("num_classes", num_classes, least=1)
    N = whole_number("num_nodes", num_nodes, least=C)
    h = share("homophily", homophily)
    if C == 1 and h < 1:
        raise InputError(f"One class cannot have homophily {h}.", "Take homophily=1 or more classes.")
    E = _num_edges(N, average_degree)
    E_within = round(E * h)
    first, second = np.triu_indices(C)
    inside = first == second
    counts = np.zeros(len(first), dtype=np.int64)
    counts[inside] = _largest_remainder(np.full(C, 1 / C), E_within)
    if C > 1:
        counts[~inside] = _largest_remainder(np.full(int((~inside).sum()), 2 / (C * (C - 1))), E - E_within)
    sizes = N // C + (np.arange(C) < N % C)
    recipe = {
        "num_nodes": N,
        "num_classes": C,
        "average_degree": average_degree,
        "homophily": h,
        "num_features": num_features,
        "seed": seed,
    }
    edge_index, y, x = _draw(sizes, counts, num_features, seed)
    return finish("planted_partition", edge_index, y, x, recipe=recipe, homophily=h)


def _num_edges(num_nodes: int, average_degree: float) -> int:
    if not 0 <= average_degree < num_nodes:
        raise InputError(
            f"Got average_degree={average_degree} for {num_nodes} nodes.",
            f"Expected a number from 0 to {num_nodes - 1}.",
        )
    return round(num_nodes * average_degree / 2)


def _largest_remainder(weight: npt.NDArray[np.float64], total: int) -> Ints:
    """Whole numbers near ``weight * total`` that add up to ``total``, for weights that add up to 1."""
    quota = weight * total
    counts = np.floor(quota).astype(np.int64)
    order = np.argsort(counts - quota, kind="stable")
    counts[order[: total - int(counts.sum())]] += 1
    return counts


def _draw(sizes: Ints, counts: Ints, num_features: int, seed: int) -> tuple[Ints, Ints, Any]:
    """Edges, classes and features: ``counts`` edges for every pair of classes in the order of ``triu_indices``."""
    width = whole_number("num_features", num_features)
    rng, feature_rng = streams(seed)
    one, other = np.triu_indices(len(sizes))
    inside = one == other
    pools = np.where(inside, sizes[one] * (sizes[one] - 1) // 2, sizes[one] * sizes[other])
    if (counts > pools).any():
        worst = int((counts - pools).argmax())
        raise InputError(
            f"{counts[worst]} edges are wanted between class {one[worst]} and class {other[worst]}, where there "
            f"are {pools[worst]} pairs of nodes.",
            "Take a smaller average_degree, another mixing, or larger classes.",
        )
    pair, index = draw_distinct(counts, pools, rng)
    starts = np.cumsum(sizes) - sizes
    cut = int(counts[inside].sum())  # edges inside classes come first, then those across
    order = np.argsort(~inside[pair], kind="stable")
    pair, index = pair[order], index[order]
    within = pair_of(index[:cut], sizes[one[pair[:cut]]])
    across = np.divmod(index[cut:], sizes[other[pair[cut:]]])
    first = np.concatenate([within[0], across[0]]) + starts[one[pair]]
    second = np.concatenate([within[1], across[1]]) + starts[other[pair]]
    y = class_labels(sizes)
    x = gaussian_classes(y, width, feature_rng) if width else None
    return both_ways(first, second, len(y)), y, x
