"""Predictions against dense matrices, against averages over many drawn networks, and against the report's limits."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from tests.strategies import graphs
from torch.nn import functional as F

from allpass.errors import InputError
from allpass.graph import Operator, matrix
from allpass.nn import backward_shares, forward_shares, predict_propagation, weight_variance

CLASSES = 4


def uneven(nodes: int = 60, seed: int = 0) -> Operator:
    """A random graph whose degrees differ widely."""
    generator = torch.Generator().manual_seed(seed)
    chance = torch.rand(nodes, generator=generator) ** 3
    A = torch.rand(nodes, nodes, generator=generator) < chance[:, None] * chance[None, :]
    A = A.triu(1)
    return Operator.from_edge_index((A | A.T).nonzero().T.contiguous(), num_nodes=nodes, dtype=torch.float64)


A = uneven()
A_HAT = matrix(A, "A_hat_rw").to_dense()
D = A.row_sums


def drawn(widths: list[int], variances: list[float], draws: int, *, relu: bool = False) -> list[torch.Tensor]:
    """Mean squares of H_l, of dL/dH_l and of dL/dW_(l-1) over many networks, the gradient of the logits drawn too."""
    generator = torch.Generator().manual_seed(1)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(draws, *shape, generator=generator, dtype=torch.float64)

    Y = normal(len(D), widths[0]).requires_grad_()
    Ws = [
        (normal(i, o) * v**0.5).requires_grad_()
        for i, o, v in zip(widths, widths[1:], variances, strict=False)
    ]
    Hs = []
    for W in Ws:
        Hs.append(A_HAT @ (Y @ W))
        Y = Hs[-1].relu() if relu else Hs[-1]
    gradients = torch.autograd.grad(Hs[-1], [*Hs, *Ws], normal(len(D), widths[-1]))
    means = [[part.detach().square().mean() for part in parts] for parts in (Hs, gradients)]
    n = len(Hs)
    return [torch.stack(means[0]), torch.stack(means[1][:n]), torch.stack(means[1][n:])]


def test_shares_are_sums_of_squares_of_rows_and_of_columns():
    torch.testing.assert_close(forward_shares(A), 1 / (D + 1))
    torch.testing.assert_close(forward_shares(A), A_HAT.square().sum(1))
    torch.testing.assert_close(backward_shares(A), A_HAT.square().sum(0))
    assert backward_shares(A).mean() == pytest.approx(float(forward_shares(A).mean()))
    assert not torch.allclose(backward_shares(A), forward_shares(A))  # the report has the rows for both


@given(graphs(min_nodes=1, duplicates=False))
def test_shares_with_weights_loops_and_one_way_edges(graph):
    dense = matrix(graph.operator(), "A_hat_rw").to_dense()
    torch.testing.assert_close(forward_shares(graph.operator()), dense.square().sum(1))
    torch.testing.assert_close(backward_shares(graph.operator()), dense.square().sum(0))


def test_one_layer_is_predicted_exactly_node_by_node():
    flow = predict_propagation(A, [16, 8], [0.5], gradient_variance=1.0)
    H, _, dW = drawn([16, 8], [0.5], draws=400)
    assert flow[0].variance == pytest.approx(float(H[0]), rel=0.02)
    assert flow[0].weight_gradient_variance == pytest.approx(float(dW[0]), rel=0.05)
    assert flow[0].energy == pytest.approx(flow[0].variance * len(D) * 8)


def test_a_linear_network_is_predicted_at_every_depth_by_walks_alone():
    widths, variances = [16, 12, 20, 8], [0.3, 0.4, 0.2]
    H, dH, dW = drawn(widths, variances, draws=3000)
    walks = predict_propagation(A, widths, variances, form="walks", gradient_variance=1.0)
    nodes = predict_propagation(A, widths, variances, form="nodes", gradient_variance=1.0)
    for l in range(3):
        assert walks[l].variance == pytest.approx(float(H[l]), rel=0.06)
        assert walks[l].gradient_variance == pytest.approx(float(dH[l]), rel=0.06)
        assert walks[l].weight_gradient_variance == pytest.approx(float(dW[l]), rel=0.15)
    # Independence holds for one averaging, and not beyond: neighbours that shared a neighbour are alike.
    assert nodes[0].variance == pytest.approx(walks[0].variance)
    assert nodes[1].gradient_variance == pytest.approx(walks[1].gradient_variance)
    assert float(H[2]) > 2 * nodes[2].variance
    assert float(dH[0]) > 1.5 * nodes[0].gradient_variance


def test_relu_leaves_half():
    linear = predict_propagation(A, [16, 16, 16], [0.5, 0.5], gradient_variance=1.0)
    relu = predict_propagation(A, [16, 16, 16], [0.5, 0.5], activation="relu", gradient_variance=1.0)
    assert relu[0].variance == linear[0].variance  # the features are not rectified
    assert relu[1].variance == pytest.approx(linear[1].variance / 2)
    assert relu[0].gradient_variance == pytest.approx(linear[0].gradient_variance / 2)
    assert relu[1].weight_gradient_variance == pytest.approx(linear[1].weight_gradient_variance / 2)
    _, dH, _ = drawn([16, 16, 16], [0.5, 0.5], draws=1000, relu=True)
    assert relu[0].gradient_variance == pytest.approx(float(dH[0]), rel=0.05)  # one layer back: exact


def test_the_two_forms_are_the_two_means():
    N, F_0, v = len(D), 16, 0.3
    report = predict_propagation(A, [F_0, 8], [v], form="report")
    nodes = predict_propagation(A, [F_0, 8], [v], form="nodes")
    assert report[0].variance == pytest.approx(N * F_0 / float((D + 1).sum()) * v)
    assert nodes[0].variance == pytest.approx(F_0 * float((1 / (D + 1)).mean()) * v)
    assert nodes[0].variance > report[0].variance  # the mean of inverses is above the inverse of the mean
    regular = torch.full((10,), 3.0)
    for form in ("report", "nodes"):
        assert predict_propagation(regular, [4, 4], "forward", form=form)[0].variance == pytest.approx(1.0)


def test_combined_keeps_the_report_form_constant_and_its_weight_gradients_equal():
    flow = predict_propagation(A, [10] * 6, "combined", form="report", gradient_variance=1.0)
    assert [layer.variance for layer in flow] == pytest.approx([1.0] * 5)
    assert [layer.gradient_variance for layer in flow] == pytest.approx([1.0] * 5)
    assert len({round(layer.weight_gradient_variance, 9) for layer in flow}) == 1
    total = float((1 / (D + 1)).sum())  # sum_k 1 / (d_k + 1), eq. backward_variance
    assert flow[0].weight_gradient_variance == pytest.approx(total)


@pytest.mark.parametrize("form", ["report", "nodes"])
def test_alpha_runs_from_the_relu_doubling_to_he(form):
    widths = [10] * 4
    doubling = predict_propagation(A, widths, "forward-relu", form=form, activation="relu", alpha=0.0)
    effective = predict_propagation(A, widths, "effective-degree", form=form, activation="relu", alpha=0.0)
    assert [a.variance for a in effective] == pytest.approx([b.variance for b in doubling])
    he = predict_propagation(A, widths, "he", form=form, activation="relu", alpha=1.0)
    full = predict_propagation(A, widths, "effective-degree", form=form, activation="relu", alpha=1.0)
    assert [a.variance for a in full] == pytest.approx([2.0] * 3)
    assert [a.variance for a in he] == pytest.approx([2.0] * 3)
    for alpha in (0.0, 0.3, 1.0):  # the report's own form: its scheme keeps its prediction constant
        kept = predict_propagation(
            A, widths, "effective-degree", activation="relu", form="report", alpha=alpha
        )
        assert kept.growth() == pytest.approx([1.0, 1.0])


def test_energy_schemes_keep_the_energy():
    flow = predict_propagation(A, [10] * 4, "energy")
    assert [layer.energy for layer in flow] == pytest.approx([10.0 * len(D)] * 3)
    flow = predict_propagation(A, [10] * 4, "energy-relu", activation="relu")
    assert flow.growth("energy") == pytest.approx([1.0, 1.0])


def test_the_gradient_of_logits_near_zero():
    labels = torch.arange(400) % CLASSES
    logits = torch.zeros(400, CLASSES, requires_grad=True)
    (G,) = torch.autograd.grad(F.cross_entropy(logits, labels, reduction="sum"), logits)
    flow = predict_propagation(torch.ones(400), [3, CLASSES], "glorot")
    assert flow[-1].gradient_variance == pytest.approx(float(G.var(correction=0)))


def test_growth_is_bounded_by_the_mean_degree():
    """A layer multiplies by 1 + mean d times what its averaging still takes away, which is nothing in the end."""
    widths, factor = [8] * 33, 1 + float(D.mean())
    growth = predict_propagation(A, widths, "forward", form="walks").growth()
    assert all(
        1 < g < factor * 1.001 for g in growth
    )  # a row-wise mean may stretch a little: it is not symmetric
    assert growth[-1] == pytest.approx(factor, rel=1e-3)
    assert weight_variance("forward", 8, 8, A) == pytest.approx(factor / 8)


def test_a_table_is_printed():
    flow = predict_propagation(torch.ones(3), [2, 2, 3], [1.0, 1.0])
    lines = str(flow).splitlines()
    assert lines[0].split() == ["layer", "width", "Var(H)", "energy", "Var(dL/dH)", "Var(dL/dW)"]
    assert lines[2].split()[:3] == ["H_2", "3", "1"]
    assert len({len(line) for line in lines}) == 1
    assert len(flow) == 2
    assert [layer.name for layer in flow] == ["H_1", "H_2"]
    assert math.isnan(predict_propagation(torch.ones(3), [2, 2, 3], [0.0, 1.0]).growth()[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"widths": [3]}, r"the widths \[3\]"),
        ({"widths": [3, 0]}, r"the widths \[3, 0\]"),
        ({"weights": [1.0, 1.0]}, "2 variances for 2 widths"),
        ({"activation": "tanh"}, "depends on the size of the signal.*identity.*or measure it"),
        ({"form": "exact"}, "form='exact'.*report, nodes, walks"),
        ({"form": "walks", "graph": D}, "form='walks'"),
        ({"form": "walks", "activation": "relu"}, "form='walks'"),
        ({"alpha": 2.0}, "alpha = 2.0"),
        ({"graph": torch.zeros(2, 5)}, r"shape \[2, 5\].*the degrees \[N\]"),
    ],
)
def test_what_cannot_be_predicted_is_refused(change, message):
    given = {"graph": A, "widths": [3, 3], "weights": [1.0], **change}
    with pytest.raises(InputError, match=message):
        predict_propagation(**given)
