"""The prepared graph: what it counts, and what it refuses to count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import LabelledGraph

EDGES = torch.tensor([[0, 1], [1, 2]])
Y = torch.tensor([0, 1, 1])


@given(case=cases(), self_loops=st.sampled_from(["drop", "keep", "add"]))
def test_counts_equal_dense_products(case: Case, self_loops: str) -> None:
    graph = LabelledGraph.build(case.edge_index, case.y, case.x, **case.options)
    stored = reference.adjacency(case)
    np.testing.assert_array_equal(graph.adjacency.to_dense(), reference.dense(stored))
    Z = np.array([[float(z) for z in row] for row in reference.one_hot(case.labels)])
    Z = Z.reshape(case.num_nodes, len(reference.classes_of(case.labels)))
    A = reference.dense(reference.with_loops(stored, self_loops))
    np.testing.assert_array_equal(graph.Z, Z)
    np.testing.assert_array_equal(graph.neighbour_classes(self_loops), A @ Z)
    np.testing.assert_array_equal(graph.mixing(self_loops), Z.T @ A @ Z)
    np.testing.assert_array_equal(graph.class_sizes, Z.sum(0))
    np.testing.assert_array_equal(graph.degrees, reference.dense(stored).sum(1))
    known = Z.sum(1) > 0
    np.testing.assert_array_equal(
        graph.take_own(graph.neighbour_classes(self_loops)), ((A @ Z) * Z).sum(1)[known]
    )
    assert graph.num_nodes == case.num_nodes
    assert graph.num_classes == Z.shape[1]
    assert graph.all_known == known.all()


def test_gaps_and_large_numbers_in_labels_do_not_matter() -> None:
    graph = LabelledGraph.build(EDGES, torch.tensor([10**15, -7, 3]))
    assert graph.labels.tolist() == [1, -1, 0]
    assert graph.Z.tolist() == [[0, 1], [0, 0], [1, 0]]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.bool])
def test_every_whole_type_is_a_label(dtype: torch.dtype) -> None:
    assert LabelledGraph.build(EDGES, Y.to(dtype)).labels.tolist() == [0, 1, 1]


def test_work_is_shared() -> None:
    graph = LabelledGraph.build(EDGES, Y)
    assert graph.neighbour_classes() is graph.neighbour_classes()
    assert graph.neighbour_classes() is graph.neighbour_classes("keep")  # there are no loops
    assert graph.mixing() is graph.mixing()
    asked = []
    assert (
        graph.once("key", lambda: asked.append(1) or "kept") == graph.once("key", lambda: "other") == "kept"
    )
    assert asked == [1]


def test_reading_says_how_edges_were_taken() -> None:
    assert LabelledGraph.build(EDGES, Y).reading == ("Edges are taken as undirected.",)
    assert "outgoing edges" in LabelledGraph.build(EDGES, Y, directed=True).reading[0]
    assert "ingoing edges" in LabelledGraph.build(EDGES, Y, directed=True, neighbours="in").reading[0]
    assert LabelledGraph.build(Operator.from_edge_index(EDGES), Y).reading == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"y": Y.float()}, r"labels of type torch.float32.*integers"),
        ({"y": Y[:2], "num_nodes": 3}, r"labels of shape \[2\] for 3 nodes.*\[3\]"),
        ({"y": Y.unsqueeze(1)}, r"labels of shape \[3, 1\]"),
        ({"y": Y, "x": torch.ones(2, 4)}, r"features of shape \[2, 4\] for 3 nodes.*\[3, F\]"),
        ({"y": Y, "x": torch.ones(3)}, r"features of shape \[3\]"),
        ({"y": Y, "x": torch.tensor([[1.0], [np.nan], [2.0]])}, r"NaN or infinite.*Fill or drop"),
        ({"y": Y, "x": torch.tensor([[1.0], [np.inf], [2.0]]).to_sparse()}, r"NaN or infinite"),
        ({"y": Y, "x": torch.ones(3, 1, dtype=torch.complex64)}, r"complex64.*real"),
        ({"y": Y, "edge_weight": torch.tensor([1.0, -1.0])}, r"1 of the edge weights are negative"),
        ({"y": Y, "edge_weight": torch.tensor([np.nan, np.inf])}, r"2 of the edge weights are.*NaN"),
        ({"y": Y, "edge_weight": torch.ones(3)}, r"edge_weight of shape \[3\] for 2 edges"),
        ({"y": Y[:2]}, r"edge to node 2 in a graph of 2 nodes"),
        ({"y": Y, "neighbours": "all"}, r"neighbours='all'"),
    ],
)
@pytest.mark.parametrize("directed", [False, True])
def test_bad_input_is_refused(arguments: dict[str, Any], said: str, directed: bool) -> None:
    with pytest.raises(InputError, match=said):
        LabelledGraph.build(EDGES, directed=directed, **arguments)


def test_bad_operators_are_refused() -> None:
    with pytest.raises(InputError, match=r"shape \[2, 3\].*each node"):
        LabelledGraph(Operator.from_scipy(np.ones((2, 3))), None)
    with pytest.raises(InputError, match="negative"):
        LabelledGraph(Operator.from_scipy(-np.eye(2)), None)
    for option in ({"directed": True}, {"neighbours": "in"}, {"edge_weight": torch.ones(2)}):
        with pytest.raises(InputError, match=r"Operator together with.*symmetrized\(\)"):
            LabelledGraph.build(Operator.from_edge_index(EDGES), Y, **option)  # type: ignore[arg-type]


@pytest.mark.parametrize("part", [lambda graph: graph.labels, lambda graph: graph.known])
def test_missing_labels_are_named(part: Callable[[LabelledGraph], Tensor]) -> None:
    with pytest.raises(InputError, match="without labels"):
        part(LabelledGraph.build(EDGES, None, num_nodes=3))
    with pytest.raises(InputError, match="without features"):
        _ = LabelledGraph.build(EDGES, Y).features


def test_uncoalesced_features_are_added_up() -> None:
    twice = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]), torch.tensor([1.0, 2.0]), (3, 2))
    assert LabelledGraph.build(EDGES, Y, twice).features.to_dense().tolist() == [[0, 3], [0, 0], [0, 0]]


def test_other_types_than_tensors_are_refused_by_name():
    edges = torch.tensor([[0], [1]])
    with pytest.raises(InputError, match="Got ndarray for the edges"):
        LabelledGraph.build(edges.numpy(), torch.tensor([0, 1]))
    with pytest.raises(InputError, match="Got list for the labels"):
        LabelledGraph.build(edges, [0, 1])
