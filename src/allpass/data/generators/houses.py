"""Numbers that are smooth over the graph: prices of houses, which are near those of their neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from torch_geometric.data import Data

from allpass.data.arguments import share, whole_number
from allpass.data.generators.form import finish, streams
from allpass.data.generators.sampling import Ints, both_ways
from allpass.errors import InputError

_COLUMNS = ("area", "rooms", "age")
_WAVES = 256  # cosines that the field of locations is made of


def house_prices(
    num_houses: int = 1500,
    *,
    location: float = 0.87,
    features: float = 0.11,
    smoothness: float = 0.2,
    neighbours: int = 6,
    seed: int = 0,
) -> Data:
    r"""A regression whose target is mostly smooth over the graph.

    Houses lie uniformly in a unit square and are joined to their nearest ones, both ways. The price of house i is

    .. math::
        y_i = 300 + 100 \, (\sqrt{l} \, g(p_i) + \sqrt{f} \, b_i + \sqrt{1 - l - f} \, e_i)

    with l = ``location`` and f = ``features``. The field g is smooth over the square: a Gaussian process with kernel
    :math:`\exp(-d^2 / 2 s^2)`, s = ``smoothness``, made of random cosines. The building b depends on area and age
    alone, and e is noise. All three have mean 0 and variance 1, so l and f are shares of the variance. Features are
    the area, the number of rooms, which follows the area, and the age; the place is not among them.

    Args:
        num_houses: Number of houses.
        location: Share of the variance of prices that the place explains.
        features: Share that area and age explain; the rest is noise.
        smoothness: Length scale of the field, in sides of the square.
        neighbours: Nearest houses to which each is joined.
        seed: Where the random numbers start; the features have a stream of their own.

    Example:
        >>> data = house_prices(200)
        >>> data.y.dtype, data.x.shape
        (torch.float32, torch.Size([200, 3]))
    """
    N = whole_number("num_houses", num_houses, least=2)
    k = whole_number("neighbours", neighbours, least=1)
    place, building = share("location", location), share("features", features)
    if place + building > 1:
        raise InputError(
            f"Got location={location} and features={features}, which add up to {place + building:.4g}.",
            "Expected shares of one variance that add up to at most 1.",
        )
    if k >= N or not smoothness > 0:
        raise InputError(
            f"Got neighbours={neighbours} and smoothness={smoothness} for {N} houses.",
            "Expected fewer neighbours than houses, and a length above 0.",
        )
    rng, feature_rng = streams(seed)
    points = rng.random((N, 2))
    field = _standard(_smooth_field(points, smoothness, rng))
    x, effect = _buildings(N, feature_rng)
    noise = feature_rng.standard_normal(N)
    shares = np.sqrt([place, building, max(1 - place - building, 0)])
    y = 300 + 100 * (shares[0] * field + shares[1] * _standard(effect) + shares[2] * _standard(noise))
    recipe = {
        "num_houses": N,
        "location": place,
        "features": building,
        "smoothness": smoothness,
        "neighbours": k,
        "seed": seed,
    }
    edge_index = _nearest(points, k)
    return finish(
        "house_prices", edge_index, y.round(2).astype(np.float32), x, recipe=recipe, feature_names=_COLUMNS
    )


def _smooth_field(
    points: npt.NDArray[np.float64], scale: float, rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """A draw of the Gaussian process at the points, by random Fourier features (Rahimi and Recht, 2007)."""
    waves = rng.standard_normal((2, _WAVES)) / scale
    values: npt.NDArray[np.float64] = np.cos(points @ waves + rng.uniform(0, 2 * np.pi, _WAVES)).sum(1)
    return values


def _buildings(
    count: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    """Area, rooms and age ``[N, 3]``, and what they add to the price."""
    area = np.exp(rng.normal(4.7, 0.35, count)).round(1)  # rounded: exp differs between processors
    rooms = np.maximum(1, np.rint(area / 28 + rng.normal(0, 0.8, count)))
    age = rng.gamma(2.0, 18.0, count).round(1)
    return np.stack([area, rooms, age], axis=1).astype(np.float32), _standard(area) - 0.5 * _standard(age)


def _nearest(points: npt.NDArray[np.float64], k: int) -> Ints:
    """Every point and its k nearest, both ways."""
    N = len(points)
    _, near = cKDTree(points).query(points, k + 1)
    first, second = np.repeat(np.arange(N), k), near[:, 1:].reshape(-1)
    pairs = np.unique(np.minimum(first, second) * N + np.maximum(first, second))
    return both_ways(pairs // N, pairs % N, N)


def _standard(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return (values - values.mean()) / values.std()
