"""Regular graphs: exact degrees, exact homophily, simple, symmetric where they should be."""

from __future__ import annotations

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

from allpass.data.generators import regular_graph
from allpass.errors import InputError
from allpass.graph import Operator

LEVELS = (0.005, 0.05, 0.1, 0.165, 0.2, 0.35, 0.5, 0.65, 0.9, 0.95, 1.0)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("level", LEVELS)
def test_degrees_and_homophily_are_exact(level, directed, check_form):
    data = regular_graph(level, directed=directed, seed=1)
    check_form(data)
    inter = int(2 / level - 2)
    source, target = data.edge_index
    inside = data.y[source] == data.y[target]
    assert torch.bincount(data.y).tolist() == [400] * 5
    assert torch.equal(torch.bincount(target[inside], minlength=2000), torch.full((2000,), 2))
    assert torch.equal(torch.bincount(target[~inside], minlength=2000), torch.full((2000,), inter))
    assert int(inside.sum()) * (2 + inter) == 2 * data.num_edges
    assert ("homophily-rounded" in data.account) == (abs(2 / (2 + inter) - level) > 5e-5)


def test_the_directed_graph_is_simple_and_one_sided(digraph):
    graph = digraph(regular_graph(0.2, intra_degree=10, nodes_per_class=100, seed=2))
    assert set(dict(graph.in_degree).values()) == {50}
    assert len(set(dict(graph.out_degree).values())) > 10  # only the drawing side is regular


def test_row_j_of_the_operator_lists_what_j_drew():
    data = regular_graph(0.5, nodes_per_class=20, num_classes=3)
    A = Operator.from_edge_index(data.edge_index, num_nodes=data.num_nodes)
    assert torch.equal(A.row_sums, torch.full((60,), 4.0))


@pytest.mark.parametrize(("level", "degree"), [(0.2, 10), (0.9, 10), (0.15, 3), (0.05, 2)])
def test_the_undirected_graph_is_symmetric_simple_and_regular(level, degree, digraph):
    data = regular_graph(level, nodes_per_class=50, intra_degree=degree, directed=False, seed=3)
    graph = digraph(data)
    assert graph.to_undirected(reciprocal=True).number_of_edges() * 2 == data.num_edges
    assert nx.is_regular(graph.to_undirected())


def test_the_nominal_nine_tenths_is_ten_elevenths():
    data = regular_graph(0.9, intra_degree=10)
    notes = [note.what for note in data.account if note.code == "homophily-rounded"]
    assert notes == ["Asked for edge homophily 0.9; whole numbers of edges give 0.9091."]


@pytest.mark.parametrize("directed", [True, False])
def test_the_seed_decides_everything(directed):
    def draw(seed: int) -> str:
        return regular_graph(0.3, nodes_per_class=30, directed=directed, seed=seed).fingerprint

    assert draw(4) == draw(4)
    assert draw(4) != draw(5)


def test_features_leave_the_edges_alone():
    base = Data(x=torch.rand(30, 4), y=torch.arange(30) % 3)
    plain, dressed = (regular_graph(0.3, nodes_per_class=20, features=features) for features in (None, base))
    assert plain.get("x") is None
    assert dressed.x.shape == (100, 4)
    assert torch.equal(plain.edge_index, dressed.edge_index)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"homophily": 0}, "Got homophily=0; expected a number above 0"),
        ({"homophily": 1.2}, "Got homophily=1.2"),
        ({"homophily": float("nan")}, "Got homophily=nan"),
        ({"homophily": 0.005, "intra_degree": 10}, "1990 different neighbours .* 1600 others"),
        ({"homophily": 0.5, "intra_degree": 400}, "400 different neighbours .* 399 others"),
        ({"homophily": 0.5, "num_classes": 1}, "2 different neighbours from other classes, which have 0"),
        ({"homophily": 0.5, "intra_degree": 0}, "Got intra_degree=0"),
        ({"homophily": 0.5, "nodes_per_class": -5}, "Got nodes_per_class=-5"),
        ({"homophily": 0.5, "num_classes": 2.5}, "Got num_classes=2.5"),
        ({"homophily": 0.5, "seed": -1}, "Got seed=-1"),
        ({"homophily": 0.5, "nodes_per_class": 5, "intra_degree": 3, "directed": False}, "odd number"),
        ({"homophily": 0.005, "intra_degree": 10, "directed": False}, "1990 neighbours .* 1600 others"),
    ],
)
def test_what_cannot_be_drawn_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        regular_graph(**settings)


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_million_nodes(directed):
    data = regular_graph(0.2, nodes_per_class=200_000, intra_degree=4, directed=directed)
    assert data.num_edges == 20_000_000
    assert torch.equal(torch.bincount(data.edge_index[1]), torch.full((1_000_000,), 20))
