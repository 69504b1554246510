from __future__ import annotations

import pytest

from allpass.data import load
from allpass.metrics import aggregation_homophily
from tools import ties


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
