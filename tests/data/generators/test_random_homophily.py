"""Random graphs: the numbers of edges that the rule prescribes, and a homophily near the nominal one."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.data import Data

from allpass.data.generators import random_homophily_graph
from allpass.errors import InputError


@pytest.mark.parametrize("level", [0.05, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("degree", [2, 10])
def test_edges_are_placed_as_the_rule_says(level, degree, check_form, digraph, homophily):
    data = random_homophily_graph(level, nodes_per_class=100, intra_degree=degree, seed=1)
    check_form(data)
    graph = digraph(data)
    assert graph.to_undirected(reciprocal=True).number_of_edges() * 2 == data.num_edges
    mixing = torch.zeros(5, 5, dtype=torch.long)
    source, target = data.edge_index
    mixing.index_put_((data.y[source], data.y[target]), torch.ones_like(source), accumulate=True)
    assert (mixing.diag() == degree * 100).all()
    for k in range(4):
        earlier = int(mixing[k, :k].sum())
        assert mixing[k, k + 1 :].sum() == max(round(degree * 100 * (1 - level) / level - earlier) + 1, 0)
    within, edges = homophily(data)
    assert within / edges == pytest.approx(level, abs=0.01)


def test_the_seed_decides_everything_and_features_do_not_matter():
    base = Data(x=torch.rand(30, 4), y=torch.arange(30) % 3)
    draws = [random_homophily_graph(0.3, nodes_per_class=20, seed=seed) for seed in (0, 0, 1)]
    assert draws[0].fingerprint == draws[1].fingerprint != draws[2].fingerprint
    dressed = random_homophily_graph(0.3, nodes_per_class=20, features=base)
    assert torch.equal(dressed.edge_index, draws[0].edge_index)
    assert dressed.x.shape == (100, 4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"homophily": 0}, "above 0"),
        ({"homophily": 0.5, "nodes_per_class": 5, "intra_degree": 3}, "make 7.5 undirected edges"),
        (
            {"homophily": 0.5, "nodes_per_class": 5, "intra_degree": 6},
            "15 edges .* inside a class, .* 10 pairs",
        ),
        ({"homophily": 0.001, "nodes_per_class": 10}, "19981 edges .* from class 0 .* 400 pairs"),
        ({"homophily": 0.5, "intra_degree": -2}, "Got intra_degree=-2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        random_homophily_graph(**settings)
