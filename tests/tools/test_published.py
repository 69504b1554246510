from __future__ import annotations

import pytest

from allpass.data import load
from allpass.metrics import aggregation_homophily
from tools import published, ties


def test_the_printed_values_are_complete():
    printed = published.read_printed()
    wanted = {(title, quantity.name) for title in published.DATASETS for quantity in published.QUANTITIES}
    assert set(printed) == wanted
    assert all(0 <= value <= 1 for value in printed.values())


@pytest.mark.parametrize("title", ["Cornell", "Wisconsin", "Texas"])
def test_small_graphs_reproduce_the_printed_values(title, data_dir):
    data = load(published.DATASETS[title], data_dir=data_dir)
    printed = published.read_printed()
    for quantity in published.QUANTITIES:
        assert quantity.printed(data, True) == pytest.approx(printed[title, quantity.name], abs=1e-4), (
            quantity.name
        )


@pytest.mark.parametrize("name", ["karate", "example-bipartite", "example-limitation", "cora"])
def test_whole_numbers_agree_with_the_tolerance(name):
    data = load(name)
    passed, tied = ties.count(data)
    assert passed / data.num_nodes == aggregation_homophily(data.edge_index, data.y)
    assert 0 <= tied <= passed


def test_a_tie_is_counted():
    data = load("example-bipartite")
    data.y[:] = data.y.new_tensor(
        [0, 1, 0, 1, 0, 1]
    )  # half of each side: every mix of labels is half and half
    passed, tied = ties.count(data)
    assert passed == data.num_nodes
    assert tied > 0
