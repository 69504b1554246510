"""Small clusters on a large one: its sizes, and that diversification indeed fails there."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data.generators import small_clusters_on_large
from allpass.errors import InputError


def test_sizes_links_and_densities_are_exact(check_form, digraph):
    data = small_clusters_on_large(
        num_small=3, small_size=10, large_size=50, links=7, small_density=0.2, large_density=0.1, seed=1
    )
    check_form(data)
    graph = digraph(data)
    assert graph.to_undirected(reciprocal=True).number_of_edges() * 2 == data.num_edges
    assert torch.bincount(data.y).tolist() == [50, 10, 10, 10]
    y = data.y.tolist()
    for node in range(50, 80):
        assert sum(y[neighbour] == 0 for neighbour in graph[node]) == 7
    kinds = [tuple(sorted((y[u], y[v]))) for u, v in graph.edges]
    assert kinds.count((0, 0)) == 2 * 122  # a tenth of 1225 pairs, rounded to even
    assert [kinds.count((k, k)) for k in (1, 2, 3)] == [18, 18, 18]
    assert all(one == other or one == 0 for one, other in kinds)


def test_diversification_cannot_tell_the_small_clusters_apart():
    data = small_clusters_on_large(seed=2)
    A = torch.zeros(data.num_nodes, data.num_nodes, dtype=torch.float64)
    A[data.edge_index[1], data.edge_index[0]] = 1
    A += torch.eye(data.num_nodes)
    H = data.x.double() - (A / A.sum(dim=1, keepdim=True)) @ data.x.double()
    S = H @ H.T
    same = data.y[:, None] == data.y
    small = data.y > 0
    others = torch.where(same, 0.0, S).sum(dim=1) / (~same).sum(dim=1)
    assert (S[small][:, small] > 0).all()  # also across different small clusters
    assert (
        others[small] > 0
    ).all()  # nodes of other classes look alike: condition two of diversification fails


def test_features_by_name_from_a_base_or_none():
    sizes = {"num_small": 2, "small_size": 5, "large_size": 20}
    one_hot = small_clusters_on_large(**sizes)
    assert torch.equal(one_hot.x.argmax(dim=1), one_hot.y)
    assert torch.equal(one_hot.x.sum(dim=1), torch.ones(30))
    assert small_clusters_on_large(**sizes, features="gaussian", num_features=4).x.shape == (30, 4)
    base = Data(x=torch.rand(30, 6), y=torch.arange(30) % 3)
    assert small_clusters_on_large(**sizes, features=base).x.shape == (30, 6)
    bare = small_clusters_on_large(**sizes, features=None)
    assert bare.get("x") is None
    assert torch.equal(bare.edge_index, one_hot.edge_index)
    assert one_hot.fingerprint == small_clusters_on_large(**sizes).fingerprint
    assert one_hot.fingerprint != small_clusters_on_large(**sizes, seed=1).fingerprint


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"links": 501}, "501 neighbours in a large cluster of 500 nodes"),
        ({"num_small": 0}, "Got num_small=0"),
        ({"small_size": -3}, "Got small_size=-3"),
        ({"large_density": 1.5}, "Got large_density=1.5"),
        ({"small_density": -0.5}, "Got small_density=-0.5"),
        ({"features": "onehot"}, "Did you mean 'one-hot'"),
        ({"num_features": 0}, "Got num_features=0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        small_clusters_on_large(**settings)
