"""Section 3 of the report, heterophily: homophily metrics, similarity, diversification, filterbanks, ACM and ACMII."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.report_formulas.dense import (
    CASES,
    C,
    Case,
    F,
    close,
    relu,
    rw_hat,
    sigmoid,
    softmax,
    sym_hat,
)
from tests.report_formulas.dense import (
    case as draw,
)

from allpass import metrics
from allpass.graph import FilterBank, matrix
from allpass.models import create
from allpass.nn import ACM, ACMConv, GCNConv
from allpass.papers.costs import Size, convolution_as_printed, mixing, mixing_as_printed

pytestmark = pytest.mark.parametrize("case", CASES)


def neighbours(case: Case, v: int) -> np.ndarray:
    return np.flatnonzero(case.A[v])


def similarity(case: Case, high: bool = False) -> np.ndarray:
    """S(A_hat, X) or S(I - A_hat, X), with A_hat the random-walk matrix."""
    A = rw_hat(case.A)
    M = (np.eye(len(A)) - A if high else A) @ case.X
    return M @ M.T


def means(case: Case, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the own class, the node itself included, and over the other classes."""
    same = case.y[:, None] == case.y[None, :]
    return (S * same).sum(1) / same.sum(1), (S * ~same).sum(1) / (~same).sum(1)


def test_edge_homophily(case: Case) -> None:
    rows, cols = case.A.nonzero()
    close(metrics.edge_homophily(case.edge_index, case.labels), (case.y[rows] == case.y[cols]).mean())


def test_node_homophily(case: Case) -> None:
    shares = [(case.y[neighbours(case, v)] == case.y[v]).mean() for v in range(len(case.y))]
    close(metrics.node_homophily(case.edge_index, case.labels), np.mean(shares))


def test_class_homophily(case: Case) -> None:
    """1 / (C - 1) times the sum over k of [h_k - |V_k| / N]_+."""
    total, N = 0.0, len(case.y)
    for k in range(C):
        members = np.flatnonzero(case.y == k)
        alike = sum((case.y[neighbours(case, v)] == k).sum() for v in members)
        total += max(alike / case.degrees[members].sum() - len(members) / N, 0)
    close(metrics.class_homophily(case.edge_index, case.labels), total / (C - 1))


def test_gradient_descent_update(case: Case) -> None:
    """For Y = softmax(A_hat X W), a step along -dL/dW moves Y' by S(A_hat, X) (Z - Y)."""
    A, W = rw_hat(case.A), np.random.default_rng(0).normal(size=(F, C))
    AX = matrix(case.operator, "A_hat_rw") @ case.features
    weight = torch.from_numpy(W).requires_grad_()
    torch.nn.functional.cross_entropy(AX @ weight, case.labels, reduction="sum").backward()
    Y = softmax(A @ case.X @ W)
    close(AX @ -weight.grad, similarity(case) @ (case.Z - Y))


@pytest.mark.parametrize("high", [False, True])
def test_similarity_matrix(case: Case, high: bool) -> None:
    """S(A_hat, X) = A_hat X (A_hat X)^T, all rows and some."""
    for nodes in (torch.arange(len(case.y)), torch.tensor([7, 2])):
        rows = metrics.node_similarity(case.edge_index, case.features, nodes, high_pass=high)
        close(rows, similarity(case, high)[nodes.numpy()])


def test_aggregation_similarity(case: Case) -> None:
    """The share of nodes with mean to the own class >= mean to the others; rescaled, [2 S - 1]_+."""
    own, other = means(case, similarity(case))
    share = (own >= other).mean()
    given = (case.edge_index, case.features, case.labels)
    close(metrics.aggregation_similarity(*given), share)
    close(metrics.modified_aggregation_similarity(*given), max(2 * share - 1, 0))


def test_aggregation_homophily(case: Case) -> None:
    """The same with the labels as features."""
    with_labels = Case(case.A, case.Z, case.y)
    own, other = means(case, similarity(with_labels))
    share = (own >= other - 1e-12).mean()
    close(metrics.aggregation_homophily(case.edge_index, case.labels), share)
    close(metrics.modified_aggregation_homophily(case.edge_index, case.labels), max(2 * share - 1, 0))


def test_example_of_harmless_heterophily(case: Case) -> None:
    """In a complete bipartite graph of two classes the others are 0, and H_agg = H_agg^M = 1."""
    y = torch.tensor([0] * 4 + [1] * 4)
    edges = torch.tensor([[u, v] for u in range(4) for v in range(4, 8)]).T
    for plain in (metrics.edge_homophily, metrics.node_homophily, metrics.class_homophily):
        assert plain(edges, y) == 0
    assert metrics.aggregation_homophily(edges, y) == 1
    assert metrics.modified_aggregation_homophily(edges, y) == 1


def test_diversification_distinguishability(case: Case) -> None:
    """Mean over the own class > 0 and over the others <= 0 in S(I - A_hat, X), features as given."""
    own, other = means(case, similarity(case, high=True))
    given = (case.edge_index, case.features, case.labels)
    close(metrics.diversification_distinguishability(*given, strict=True), ((own > 0) & (other <= 0)).mean())


def test_theorem_3(case: Case) -> None:
    """For two classes, X = Z and A_hat_rw, every node is diversification distinguishable."""
    two = draw(int(case.degrees.sum()), classes=2)
    Z = torch.from_numpy(two.Z)
    assert metrics.diversification_distinguishability(two.edge_index, Z, two.labels) == 1


def test_filterbank_reconstructs_perfectly(case: Case) -> None:
    """H_LP + H_HP = I for each of the affinity matrices."""
    for name in ("A_sym", "A_rw", "A_hat_sym", "A_hat_rw"):
        bank = FilterBank.from_low_pass(matrix(case.operator, name))
        close(bank.low @ case.features + bank.high @ case.features, case.X)


def test_spatial_form_filterbank(case: Case) -> None:
    """(H_LP x)_i = sum_j A_hat_ij x_j and (H_HP x)_i = x_i - sum_j A_hat_ij x_j, over the neighbours and i."""
    A, bank = sym_hat(case.A), FilterBank.from_low_pass(matrix(case.operator, "A_hat_sym"))
    low = np.zeros_like(case.X)
    for i in range(len(A)):
        for j in [*neighbours(case, i), i]:
            low[i] += A[i, j] * case.X[j]
    close(bank.low @ case.features, low)
    close(bank.high @ case.features, case.X - low)


def mixture(channels: list[np.ndarray], mixing: torch.nn.Module, T: float) -> np.ndarray:
    """Steps 2 and 3."""
    w, W_mix = mixing.score.detach().numpy(), mixing.mix.detach().numpy()
    scores = np.stack([sigmoid(H @ w[c]) for c, H in enumerate(channels)], axis=1)
    alpha = softmax(scores @ W_mix / T)
    return sum(np.diag(alpha[:, c]) @ H for c, H in enumerate(channels))


def acm(X: np.ndarray, layer: torch.nn.Module, A: np.ndarray, option: int, T: float) -> np.ndarray:
    """The layer of the report: step 1 by option 1 (ACM) or 2 (ACMII), then steps 2 and 3."""
    identity = np.eye(len(A))
    weights = np.split(layer.weight.detach().numpy(), 3, axis=1)
    filters = (A, identity - A, identity)
    if option == 1:
        channels = [relu(P @ X @ W) for P, W in zip(filters, weights, strict=True)]
    else:
        channels = [P @ relu(X @ W) for P, W in zip(filters, weights, strict=True)]
    return mixture(channels, layer.mixing, T)


@pytest.mark.parametrize(("option", "order"), [(1, "filter-first"), (2, "activation-first")])
@pytest.mark.parametrize("low", ["A_hat_rw", "A_hat_sym"])
def test_acm_gnn_spectral(case: Case, option: int, order: str, low: str) -> None:
    """Steps 1 to 3, with temperature T and no factor before the mixture."""
    torch.manual_seed(option)
    layer = ACMConv(F, 5, low=low, order=order, scale=1.0, temperature=0.7).double()
    A = {"A_hat_rw": rw_hat, "A_hat_sym": sym_hat}[low](case.A)
    close(layer(case.features, case.operator), acm(case.X, layer, A, option, 0.7))


@pytest.mark.parametrize(("option", "name"), [(1, "acm-gcn"), (2, "acmii-gcn")])
def test_networks_of_these_layers(case: Case, option: int, name: str) -> None:
    """H^l from H^(l-1) by the three steps, with nothing in between."""
    torch.manual_seed(0)
    model = create(
        name, in_channels=F, out_channels=C, hidden_channels=5, num_layers=3, scale=1.0, temperature=2.0
    )
    model, H = model.double().eval(), case.X
    for layer in model.layers:
        H = acm(H, layer, rw_hat(case.A), option, 2.0)
    close(model(case.features, case.operator), H)


@pytest.mark.parametrize(("option", "order"), [(1, "filter-first"), (2, "activation-first")])
def test_spatial_acm(case: Case, option: int, order: str) -> None:
    """The aggregation and the diversification of a spatial layer in place of the filters, with one weight each."""
    torch.manual_seed(0)
    layer = ACM(GCNConv(F, 5, bias=False), order=order, scale=1.0, temperature=1.0).double()
    W_L, W_H, W_I = (W.detach().numpy() for W in (layer.low.weight, layer.high.weight, layer.weight))
    A = sym_hat(case.A)
    if option == 1:
        channels = [relu(A @ case.X @ W_L), relu(case.X @ W_H - A @ case.X @ W_H), relu(case.X @ W_I)]
    else:
        Y = relu(case.X @ W_H)
        channels = [A @ relu(case.X @ W_L), Y - A @ Y, relu(case.X @ W_I)]
    close(layer(case.features, case.operator), mixture(channels, layer.mixing, 1.0))


def test_complexity(case: Case) -> None:
    """As printed: 3 F_(l-1) (F_l + 1) + 9 parameters, and N F_l (8 + 6 F_(l-1)) + 2 F_l (nnz + nnz) + 18 N flops.

    The layer has 3 F_l (F_(l-1) + 1) + 9 parameters: the report exchanges the widths in the "+ 1".
    """
    size, (i, o) = Size.of(case.operator), (7, 5)
    N, nnz = len(case.A), int((rw_hat(case.A) != 0).sum())
    printed, plain = mixing_as_printed(size, i, o), convolution_as_printed(size, i, o)
    assert printed.parameters == 3 * i * (o + 1) + 9
    assert printed.flops == N * o * (8 + 6 * i) + 2 * o * (nnz + nnz) + 18 * N
    assert (plain.parameters, plain.flops) == (i * o, 2 * N * i * o + 2 * o * nnz)
    real = sum(parameter.numel() for parameter in ACMConv(i, o).parameters())
    assert real == mixing(size, i, o).parameters == 3 * o * (i + 1) + 9
