"""Small clusters on one large cluster: the case where diversification fails."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.features import borrow, gaussian_classes
from allpass.data.generators.form import class_labels, finish, streams
from allpass.data.generators.sampling import Ints, both_ways, draw_distinct, pair_of
from allpass.errors import InputError, did_you_mean


def small_clusters_on_large(
    *,
    num_small: int = 5,
    small_size: int = 20,
    large_size: int = 500,
    links: int = 10,
    small_density: float = 0.1,
    large_density: float = 0.1,
    features: Literal["one-hot", "gaussian"] | Data | None = "one-hot",
    num_features: int = 16,
    seed: int = 0,
) -> Data:
    r"""An imbalanced graph in which small clusters look alike to a high-pass filter.

    Several small clusters, each a class of its own, hang densely on one large cluster (class 0). A small
    cluster's node differs from its neighbours mostly by not being in the large cluster, which is as true of
    every other small cluster: rows of :math:`(I - \hat{A}) X` of different small clusters point the same way,
    and diversification cannot tell them apart. The graph is undirected and simple.

    Args:
        num_small: Number of small clusters.
        small_size: Nodes of each.
        large_size: Nodes of the large cluster, numbered first.
        links: Neighbours of each small cluster's node in the large cluster, exactly.
        small_density: Share of the pairs inside a small cluster that are joined.
        large_density: Share of the pairs inside the large cluster that are joined.
        features: ``"one-hot"`` (the labels themselves), ``"gaussian"`` (a random centre for each class plus
            unit noise), a dataset whose features are borrowed, or nothing.
        num_features: Width of Gaussian features.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = small_clusters_on_large(num_small=3, small_size=10, large_size=100)
        >>> data.num_nodes, int(data.y.max())
        (130, 3)
    """
    K, n = whole_number("num_small", num_small, least=1), whole_number("small_size", small_size, least=1)
    M, k = whole_number("large_size", large_size, least=1), whole_number("links", links)
    if k > M:
        raise InputError(
            f"Every small cluster's node should have {k} neighbours in a large cluster of {M} nodes.",
            "Take fewer links or a larger large_size.",
        )
    rng, feature_rng = streams(seed)
    sizes = np.array([M, *[n] * K])
    density = np.array([share("large_density", large_density), *[share("small_density", small_density)] * K])
    label, index = draw_distinct(np.rint(density * _pairs(sizes)).astype(np.int64), _pairs(sizes), rng)
    within = np.stack(pair_of(index, sizes[label])) + (np.cumsum(sizes) - sizes)[label]
    node, target = draw_distinct(np.full(K * n, k), np.full(K * n, M), rng)
    first, second = np.concatenate([within, np.stack([node + M, target])], axis=1)
    y = class_labels(sizes)
    x = _features(features, y, whole_number("num_features", num_features, least=1), feature_rng)
    recipe = {
        "num_small": K,
        "small_size": n,
        "large_size": M,
        "links": k,
        "small_density": small_density,
        "large_density": large_density,
        "features": features,
        "num_features": num_features,
        "seed": seed,
    }
    return finish("small_clusters_on_large", both_ways(first, second, len(y)), y, x, recipe=recipe)


def _pairs(sizes: Ints) -> Ints:
    return sizes * (sizes - 1) // 2


def _features(kind: str | Data | None, y: Ints, width: int, rng: np.random.Generator) -> Any:
    if kind is None:
        return None
    if isinstance(kind, Data):
        return borrow(y, kind, rng)
    if kind == "one-hot":
        return np.eye(int(y.max()) + 1, dtype=np.float32)[y]
    if kind == "gaussian":
        return gaussian_classes(y, width, rng)
    raise InputError(f"There are no features {kind!r}.", did_you_mean(str(kind), ("one-hot", "gaussian")))
