from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.rl.processes import random_mdp
from torch_geometric.data import Data
from torch_geometric.nn import SimpleConv

from allpass.errors import InputError
from allpass.rl import TabularMDP


def assert_same(one: TabularMDP, other: TabularMDP) -> None:
    np.testing.assert_allclose(one.P.toarray(), other.P.toarray(), atol=1e-15)
    np.testing.assert_allclose(one.r, other.r, atol=1e-12)
    np.testing.assert_array_equal(one.mask, other.mask)
    np.testing.assert_allclose(one.start, other.start)
    assert (one.discount, one.states, one.actions) == (other.discount, other.states, other.actions)


@given(st.integers(0, 500), st.booleans())
def test_graphs_and_back(seed: int, masked: bool) -> None:
    mdp = random_mdp(seed, masked=masked)
    assert_same(TabularMDP.from_data(mdp.to_data()), mdp)
    assert_same(TabularMDP.from_networkx(mdp.to_networkx()), mdp)


def test_names_places_and_rewards_of_transitions_are_kept() -> None:
    mdp = TabularMDP.from_grid("S.\nHG", slip=0.2, hole_reward=-1.0)
    data = mdp.to_data()
    np.testing.assert_array_equal(data.pos.numpy(), mdp.positions)
    assert_same(TabularMDP.from_data(data), mdp)
    graph = mdp.to_networkx()
    back = TabularMDP.from_networkx(graph)
    assert (back.states, back.actions) == (mdp.states, mdp.actions)
    assert_same(back, mdp)
    del graph.graph["actions"]
    assert TabularMDP.from_networkx(graph).actions == sorted(mdp.actions or [])


def test_values_flow_against_the_edges_of_a_one_way_chain() -> None:
    """k products with P are the truncated series of the report; k layers of messages against the edges are the same."""
    length, discount = 6, 0.9
    graph = nx.path_graph(length, create_using=nx.DiGraph)
    graph.edges[length - 2, length - 1]["reward"] = 1.0
    mdp = TabularMDP.from_networkx(graph, discount)
    data = mdp.to_data()
    steps = data.edge_index[:, data.edge_index[0] != data.edge_index[1]]
    assert steps.tolist() == [[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]]  # from state to next state
    P, r = mdp.state_chain("uniform"), mdp.state_rewards("uniform")
    layer = SimpleConv(aggr="sum", flow="target_to_source")
    messages, power, series = torch.from_numpy(r)[:, None], r.copy(), r.copy()
    for k in range(1, length):
        power = discount * (P @ power)
        series = series + power
        passed = layer(messages, data.edge_index, data.edge_weight)
        messages = torch.from_numpy(r)[:, None] + discount * passed
        np.testing.assert_allclose(messages[:, 0], series, atol=1e-12)
        assert np.count_nonzero(series) == min(k + 1, length - 1)  # one more state hears of the reward
    np.testing.assert_allclose(series, mdp.values(), atol=1e-12)
    np.testing.assert_allclose(series, [0.9**4, 0.9**3, 0.9**2, 0.9, 1, 0])


def test_bad_graphs_are_named() -> None:
    with pytest.raises(InputError, match="Got Graph"):
        TabularMDP.from_networkx(nx.path_graph(3))
    half = nx.DiGraph()
    half.add_edge("a", "b", probability=0.5)
    with pytest.raises(InputError, match=r"action 0 in state 'a' sum to 0\.5"):
        TabularMDP.from_networkx(half)
    with pytest.raises(InputError, match="without edges"):
        TabularMDP.from_data(Data(num_nodes=3))
    edges = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(InputError, match="reward of length 3 for 2 edges"):
        TabularMDP.from_data(Data(edge_index=edges, reward=torch.zeros(3), num_nodes=2))
