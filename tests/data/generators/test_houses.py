"""House prices: the shares of their variance, measured by other means than those that made them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LinearRegression

from allpass.data.fingerprint import fingerprint
from allpass.data.generators import house_prices
from allpass.errors import InputError


def neighbour_means(data):
    """The mean price of the neighbours of each house."""
    source, target = data.edge_index.numpy()
    y = data.y.double().numpy()
    sums = np.bincount(target, weights=y[source], minlength=len(y))
    return sums / np.bincount(target, minlength=len(y))


def explained(predicted, y):
    return float(np.corrcoef(predicted, y)[0, 1] ** 2)


def test_the_form(digraph):
    data = house_prices(300, neighbours=5, seed=1)
    graph = digraph(data)
    assert graph.to_undirected(reciprocal=True).number_of_edges() * 2 == data.num_edges
    assert min(dict(graph.out_degree).values()) >= 5
    assert data.y.dtype == torch.float32
    assert data.feature_names == ["area", "rooms", "age"]
    assert data.fingerprint == fingerprint(data) == house_prices(300, neighbours=5, seed=1).fingerprint
    assert (data.x >= 0).all()


def test_neighbours_are_the_nearest():
    """Nobody sees the places, but a smooth enough field of them is nearly the mean of its neighbours."""
    data = house_prices(3000, location=1, features=0, smoothness=0.5, seed=2)
    assert explained(neighbour_means(data), data.y.numpy()) > 0.998


def test_the_shares_of_the_variance():
    data = house_prices(4000, location=0.6, features=0.3, seed=3)
    y = data.y.double().numpy()
    assert y.mean() == pytest.approx(300, abs=0.1)
    assert y.std() == pytest.approx(100, rel=0.05)
    x = data.x.double().numpy()[:, [0, 2]]
    assert LinearRegression().fit(x, y).score(x, y) == pytest.approx(0.3, abs=0.04)
    # The mean of k neighbours has the variance l + (1 - l) / k, and its covariance with the price is l.
    k = data.num_edges / data.num_nodes
    assert explained(neighbour_means(data), y) == pytest.approx(0.6**2 / (0.6 + 0.4 / k), abs=0.04)


def test_no_share_of_the_place_leaves_nothing_to_neighbours():
    data = house_prices(3000, location=0, features=1, seed=4)
    y = data.y.double().numpy()
    assert explained(neighbour_means(data), y) < 0.01
    x = data.x.double().numpy()
    assert LinearRegression().fit(x, y).score(x, y) > 0.999


def test_edges_do_not_depend_on_the_prices():
    one, other = house_prices(200, seed=5), house_prices(200, location=0.1, features=0.5, seed=5)
    assert torch.equal(one.edge_index, other.edge_index)
    assert torch.equal(one.x, other.x)
    assert not torch.equal(one.y, other.y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"location": 0.7, "features": 0.4}, "which add up to 1.1"),
        ({"location": -0.1}, "Got location=-0.1"),
        ({"neighbours": 100}, "Got neighbours=100 and smoothness=0.2 for 100 houses"),
        ({"smoothness": 0.0}, "smoothness=0.0 for 100 houses"),
        ({"num_houses": 1}, "Got num_houses=1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        house_prices(**{"num_houses": 100, **settings})
