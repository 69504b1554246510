"""The classical measures against exact fractions, PyG, and a path counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases
from torch_geometric.data import Data
from torch_geometric.utils import homophily

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import (
    LabelledGraph,
    class_homophily,
    classwise_homophily,
    edge_homophily,
    label_smoothness,
    node_homophily,
    profile,
)
from allpass.metrics.homophily import measure_class, measure_edge, measure_label_smoothness, measure_node
from allpass.metrics.labelled import Loops

MEASURES = (
    (edge_homophily, measure_edge, reference.edge_homophily),
    (node_homophily, measure_node, reference.node_homophily),
    (label_smoothness, measure_label_smoothness, reference.label_smoothness),
    (class_homophily, measure_class, reference.class_homophily),
)


@settings(max_examples=300)
@given(case=cases(), self_loops=st.sampled_from(["drop", "keep", "add"]))
def test_equals_exact_fractions(case: Case, self_loops: Loops) -> None:
    stored = reference.adjacency(case)
    A = reference.with_loops(stored, self_loops)
    graph = LabelledGraph.build(Operator.from_scipy(reference.dense(stored)), case.y)
    for function, measure, by_hand in MEASURES:
        expected = by_hand(A, case.labels)
        value = function(case.edge_index, case.y, case.num_nodes, self_loops=self_loops, **case.options)
        measured = measure(graph, self_loops)
        assert reference.agree(value, expected)
        assert reference.agree(measured.value, expected)
        assert bool(measured.reason) == (expected is None)
    h = classwise_homophily(case.edge_index, case.y, self_loops=self_loops, **case.options).tolist()
    by_class = reference.classwise_homophily(A, case.labels)
    assert all(reference.agree(value, wanted) for value, wanted in zip(h, by_class, strict=True))
    zero = measure_class(graph, self_loops, "zero").value
    assert reference.agree(zero, reference.class_homophily(A, case.labels, "zero"))


@pytest.mark.parametrize("seed", range(20))
def test_pyg_agrees_where_every_node_has_edges(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    N, C = 40, 4
    ring = torch.arange(N)
    ends = torch.cat(
        [torch.stack([ring, ring.roll(1)]), torch.randint(0, N, (2, 60), generator=generator)], 1
    )
    ends = torch.unique(torch.cat([ends, ends.flip(0)], 1)[:, torch.cat([ends[0] != ends[1]] * 2)], dim=1)
    y = torch.randint(0, C, (N,), generator=generator)
    for measure, method in (
        (edge_homophily, "edge"),
        (node_homophily, "node"),
        (class_homophily, "edge_insensitive"),
    ):
        assert measure(ends, y) == pytest.approx(float(homophily(ends, y, method=method)), abs=1e-6)


def test_conventions_on_a_path() -> None:
    """0 -> 1 -> 2 -> 2 with classes 0, 0, 1, and a fourth node, without a label, that points at 0."""
    edge_index, y = torch.tensor([[0, 1, 2, 3], [1, 2, 2, 0]]), torch.tensor([0, 0, 1, -1])
    assert edge_homophily(edge_index, y) == 1 / 2
    assert edge_homophily(edge_index, y, self_loops="keep") == 3 / 5
    assert edge_homophily(edge_index, y, self_loops="add") == 5 / 7
    assert edge_homophily(edge_index, y, directed=True, self_loops="keep") == 2 / 3
    assert node_homophily(edge_index, y, directed=True) == 1 / 2
    assert node_homophily(edge_index, y, directed=True, neighbours="in") == 1 / 2
    assert node_homophily(edge_index, y) == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert classwise_homophily(edge_index, y).tolist() == [pytest.approx(2 / 3), 0.0]
    weight = torch.tensor([3.0, 1.0, 1.0, 1.0])
    assert edge_homophily(edge_index, y, edge_weight=weight) == 3 / 4
    assert label_smoothness(edge_index, y, edge_weight=weight) == 1 / 4


def test_undefined_values_say_why() -> None:
    alone = LabelledGraph.build(torch.zeros(2, 0, dtype=torch.int64), torch.tensor([0, 1]))
    for measure in (measure_edge, measure_node, measure_label_smoothness):
        assert measure(alone).reason == "no edge joins two labelled nodes"
    assert measure_class(alone).reason == "2 of the classes have no edges"
    one = LabelledGraph.build(torch.tensor([[0], [1]]), torch.tensor([3, 3]))
    assert measure_class(one).reason == "fewer than two classes"
    assert measure_edge(one).value == 1
    assert measure_edge(one).reason == ""


@pytest.mark.parametrize("measure", [edge_homophily, node_homophily, label_smoothness, class_homophily])
def test_unknown_options_are_refused(measure: Callable[..., float]) -> None:
    edge_index, y = torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, 1, 1])
    with pytest.raises(InputError, match=r"self_loops='remove'.*'drop', 'keep' or 'add'"):
        measure(edge_index, y, self_loops="remove")
    with pytest.raises(InputError, match=r"neighbours='both'.*'out' or 'in'"):
        measure(edge_index, y, neighbours="both")


def test_unknown_rule_for_empty_classes_is_refused() -> None:
    with pytest.raises(InputError, match=r"empty_class='skip'.*'undefined' or 'zero'"):
        class_homophily(torch.tensor([[0], [1]]), torch.tensor([0, 1]), empty_class="skip")  # type: ignore[arg-type]


def test_classes_without_nodes_are_classes() -> None:
    """Two classes of a half each, all edges within them: h_k - 1/2 is 1/2 twice, over C - 1."""
    edges, y = torch.tensor([[0, 2], [1, 3]]), torch.tensor([0, 0, 2, 2])
    assert class_homophily(edges, y) == 0.5
    assert class_homophily(edges, y // 2) == 1.0
    assert class_homophily(edges, y // 2, num_classes=3) == 0.5
    assert class_homophily(edges, y, num_classes=5) == 0.25
    data = Data(edge_index=edges, y=y // 2, num_nodes=4, class_names=["a", "b", "c"])
    assert profile(data, ["class_homophily"]).to_dict() == {"class_homophily": 0.5}
    assert class_homophily(edges, 10**9 * y) == 1.0  # ids, of which only those that occur can be counted


@pytest.mark.parametrize("wrong", [2, 2.5, True, "3"])
def test_a_number_of_classes_that_does_not_fit_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="labels up to 2"):
        class_homophily(torch.tensor([[0], [1]]), torch.tensor([0, 2]), num_classes=wrong)
