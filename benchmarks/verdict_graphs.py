"""The graphs of ``benchmarks.verdict``: real ones of the data folder, and drawn ones whose truth is known.

Named datasets are read from the folder of the variable ``ALLPASS_DATA``, or downloaded. Drawn graphs need nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from allpass.data import contextual_sbm, fraud_payments, house_prices, load, planted_partition

DATASETS = (
    "citeseer",
    "pubmed",
    "texas",
    "film",
    "chameleon-filtered",
    "squirrel-filtered",
    "tolokers",
    "minesweeper",
    "deezer-europe",
    "github",
    "cornell5",
)


def features_only() -> Data:
    """Five classes that Gaussian features predict; edges join random nodes, whatever their class."""
    data = planted_partition(3000, 5, average_degree=8, homophily=0.2, seed=11)
    return _with(data, x=_class_features(data.y, 12, strength=0.6, seed=11))


def structure_only() -> Data:
    """Five classes; 88% of the links stay inside one; features are noise."""
    data = planted_partition(1500, 5, average_degree=9, homophily=0.88, seed=12)
    return _with(data, x=_noise(1500, 4, seed=12))


def both() -> Data:
    """Four classes: features and links each predict them in part."""
    data = planted_partition(6000, 4, average_degree=4, homophily=0.6, seed=13)
    return _with(data, x=_class_features(data.y, 12, strength=0.45, seed=13))


def neither() -> Data:
    """Four classes that nothing predicts: random edges, noise as features."""
    data = planted_partition(2000, 4, average_degree=8, homophily=0.25, seed=14)
    return _with(data, x=_noise(2000, 16, seed=14))


def sixty_classes() -> Data:
    """Sixty classes of a hundred nodes, with homophilous links and weak features."""
    data = planted_partition(6000, 60, average_degree=8, homophily=0.5, seed=15)
    return _with(data, x=_class_features(data.y, 32, strength=0.4, seed=15))


def heterophilous() -> Data:
    """Four classes in two pairs: links lead from a class to its partner, hardly inside it; features are weak."""
    mixing = np.full((4, 4), 0.02)
    for one, other in ((0, 1), (1, 0), (2, 3), (3, 2)):
        mixing[one, other] = 0.2
    data = contextual_sbm([750] * 4, mixing, average_degree=8, seed=16)
    return _with(data, x=_class_features(data.y, 8, strength=0.35, seed=16))


def wild_scales() -> Data:
    """Four classes, half of whose features are counts up to many millions or times in seconds since 1970."""
    data = planted_partition(5000, 4, average_degree=5, homophily=0.55, seed=17)
    z = _class_features(data.y, 6, strength=0.6, seed=17).double()
    views, income = torch.exp(13 + 2 * z[:, 0]), torch.exp(10 + 1.2 * z[:, 1])
    joined = 1_500_000_000 + 40_000_000 * z[:, 2]
    rating = (3 + z[:, 3]).clamp(1, 5)
    x = torch.stack([views.round(), income.round(), joined.round(), rating, 1e-4 * z[:, 4], z[:, 5]], dim=1)
    return _with(data, x=x.float(), names=["views", "income", "joined", "rating", "rate", "score"])


def prices_by_features() -> Data:
    """House prices that area and age alone explain: neighbours are no more alike than strangers."""
    return house_prices(2000, location=0.0, features=0.9, seed=18)


GRAPHS: dict[str, Callable[[], Data]] = {
    "cora": partial(load, "cora-planetoid"),  # "cora" is the embedded copy where the folder has none
    **{name: partial(load, name) for name in DATASETS},
    "ids-only": partial(planted_partition, 5000, 4, average_degree=7, homophily=0.75, seed=10),
    "features-only": features_only,
    "structure-only": structure_only,
    "both": both,
    "neither": neither,
    "fraud": partial(fraud_payments, seed=19),
    "sixty-classes": sixty_classes,
    "heterophilous": heterophilous,
    "wild-scales": wild_scales,
    "house-prices": partial(house_prices, seed=20),
    "prices-by-features": prices_by_features,
}
"""How to get each graph, by name."""


def _with(data: Data, *, x: Tensor, names: list[str] | None = None) -> Data:
    """A drawn graph with features of its own, checked like any other."""
    given = Data(x=x, edge_index=data.edge_index, y=data.y, num_nodes=data.num_nodes)
    if names is not None:
        given.feature_names = names
    return load(given)


def _noise(count: int, width: int, *, seed: int) -> Tensor:
    return torch.from_numpy(
        np.random.default_rng([seed, 1]).standard_normal((count, width), dtype=np.float32)
    )


def _class_features(y: Tensor, width: int, *, strength: float, seed: int) -> Tensor:
    """Unit noise around a random centre of each class, whose coordinates have the deviation ``strength``."""
    centres = np.random.default_rng([seed, 2]).standard_normal((int(y.max()) + 1, width), dtype=np.float32)
    return _noise(len(y), width, seed=seed) + strength * torch.from_numpy(centres)[y]
