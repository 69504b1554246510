"""CSBM-H: two Gaussian classes whose neighbourhoods have a prescribed homophily."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.features import gaussian
from allpass.data.generators.form import class_labels, finish, streams
from allpass.data.generators.neighbours import draw_neighbours
from allpass.data.generators.sampling import Ints
from allpass.errors import InputError


def csbm_h(
    homophily: float,
    *,
    num_nodes: tuple[int, int] = (100, 100),
    degrees: tuple[int, int] = (5, 5),
    means: Sequence[Sequence[float]] = ((-1.0, 0.0), (1.0, 0.0)),
    scales: tuple[float, float] = (1.0, 5.0),
    seed: int = 0,
) -> Data:
    r"""The contextual stochastic block model with homophily parameter of "When Do GNNs Help?" (arXiv:2304.14274).

    Features are :math:`N(\mu_c, \sigma_c^2 I)`. A node of class c draws :math:`d_c` different neighbours,
    :math:`h d_c` of its own class and :math:`(1 - h) d_c` of the other; a drawn neighbour u of node j is the
    edge u -> j. Where :math:`h d_c` is not whole, nodes draw the whole number below or above it, in turns,
    so that the class as a whole keeps the share h.

    Args:
        homophily: Share h of own-class neighbours, from 0 to 1.
        num_nodes: Sizes of the two classes.
        degrees: Neighbours that each node of either class draws.
        means: The two centres, of any equal length F.
        scales: The two standard deviations, not negative.
        seed: Where the random numbers start.

    Example:
        >>> data = csbm_h(0.4)
        >>> data.num_nodes, data.num_edges, data.x.shape
        (200, 1000, torch.Size([200, 2]))
    """
    h = share("homophily", homophily)
    sizes, degree = _two_counts("num_nodes", num_nodes, 1), _two_counts("degrees", degrees, 0)
    centres, spread = np.asarray(means, dtype=np.float64), np.asarray(scales, dtype=np.float64)
    if centres.ndim != 2 or len(centres) != 2 or spread.shape != (2,) or not (spread >= 0).all():
        raise InputError(
            f"Got means of shape {list(centres.shape)} and scales {spread.tolist()}.",
            "Pass two centres of equal length and two standard deviations that are not negative.",
        )
    rng, feature_rng = streams(seed)
    y = class_labels(sizes)
    own = np.concatenate([_in_turns(h * int(d), int(n)) for d, n in zip(degree, sizes, strict=True)])
    edge_index = draw_neighbours(own, degree[y] - own, sizes, rng)
    recipe = {
        "homophily": h,
        "num_nodes": tuple(num_nodes),
        "degrees": tuple(degrees),
        "means": centres.tolist(),
        "scales": tuple(spread.tolist()),
        "seed": seed,
    }
    x = gaussian(y, centres, spread, feature_rng)
    return finish("csbm_h", edge_index, y, x, recipe=recipe, homophily=h)


def _in_turns(mean: float, count: int) -> Ints:
    """Whole numbers next to ``mean`` that add up to ``count * mean`` rounded down."""
    steps = np.floor(np.arange(count + 1) * mean + 1e-9)  # 0.1 + 0.2 should still reach 0.3
    return np.diff(steps).astype(np.int64)


def _two_counts(name: str, values: Sequence[int], least: int) -> Ints:
    if len(values) != 2:
        raise InputError(f"Got {name}={values!r}; expected two numbers.", "Pass one for each class.")
    return np.array([whole_number(name, value, least=least) for value in values])
