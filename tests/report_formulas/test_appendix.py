"""The appendix of the report: gradients of a deep GCN, variances forward and backward, energy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.report_formulas.dense import CASES, C, Case, F, close, relu, rw_hat, softmax, sym_hat

from allpass.graph import matrix
from allpass.models import create
from allpass.nn import (
    backward_shares,
    forward_shares,
    initialise_,
    measure_propagation,
    predict_propagation,
    weight_variance,
)

pytestmark = pytest.mark.parametrize("case", CASES)


def network(**settings: object) -> torch.nn.Module:
    torch.manual_seed(0)
    model = create(
        "gcn-4", in_channels=F, out_channels=C, hidden_channels=5, bias=False, filter="A_hat_rw", **settings
    )
    return model.double().eval()


def test_deep_gcn_decompose_and_its_gradient(case: Case) -> None:
    """H_(l+1) = A_hat Y_l W_l, Y_l = f(H_l), and back: dL/dH_(n+1) = softmax - Z, and so on down to W_0.

    The report writes A_hat in the gradients, where it is A_hat^T for the random-walk matrix.
    """
    A, model = rw_hat(case.A), network()
    weights = [layer.weight.detach().numpy() for layer in model.layers]
    Y, H = [case.X], []
    for W in weights:
        H.append(A @ Y[-1] @ W)
        Y.append(relu(H[-1]))
    logits = model(case.features, case.operator)
    close(logits, H[-1])
    torch.nn.functional.cross_entropy(logits, case.labels, reduction="sum").backward()
    G = softmax(H[-1]) - case.Z  # dL/dH_(n+1)
    for l in reversed(range(len(weights))):
        close(model.layers[l].weight.grad, Y[l].T @ A.T @ G)  # dL/dW_l
        if l:
            G = (A.T @ G @ weights[l].T) * (H[l - 1] > 0)  # dL/dH_l = dL/dY_l * f'(H_l)


def test_measured_gradients_are_those(case: Case) -> None:
    """Var(dL/dH_l) as measured is that of the gradient by formula."""
    A, model = rw_hat(case.A), network(activation="identity")
    W_0, W_1, W_2, W_3 = (layer.weight.detach().numpy() for layer in model.layers)
    G = softmax(A @ A @ A @ A @ case.X @ W_0 @ W_1 @ W_2 @ W_3) - case.Z
    flow = measure_propagation(model, case.features, case.operator, case.labels)
    for l, W in ((3, None), (2, W_3), (1, W_2), (0, W_1)):
        G = G if W is None else A.T @ G @ W.T
        close(flow[l].gradient_variance, G.var())


def test_forward_variance_of_nodes(case: Case) -> None:
    """Var((H_(l+1))_ij) = F_l (d_i + 1) / (d_i + 1)^2 Var(Y) Var(W): row sums of squares of A_hat."""
    close(forward_shares(case.operator), (rw_hat(case.A) ** 2).sum(1))
    close(forward_shares(case.operator), 1 / (case.degrees + 1))


def test_forward_variance_with_relu(case: Case) -> None:
    """Var(W) = 2 (1 + average degree) / F_l."""
    assert weight_variance("forward-relu", 30, 20, case.operator) == pytest.approx(
        2 * (case.degrees + 1).sum() / (len(case.A) * 30)
    )


def test_forward_variance_of_neighbours_that_are_alike(case: Case) -> None:
    """With E(Y_k Y_j) = E(Y_k^2) averaging changes nothing, and Var(W) = 2 / F_l."""
    assert weight_variance("effective-degree", 30, 20, case.operator, alpha=1.0) == pytest.approx(2 / 30)
    alike = np.repeat(np.random.default_rng(0).normal(size=(1, F)), len(case.A), axis=0)
    close(rw_hat(case.A) @ alike, alike)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.8])
def test_forward_variance_of_correlated_neighbours(case: Case, alpha: float) -> None:
    """A node keeps (alpha d + 1) / (d + 1), and Var(W) is 2 times the average effective degree over F_l."""
    d, N = case.degrees, len(case.A)
    correlation = alpha + (1 - alpha) * np.eye(N)  # E(Y_k Y_j) / E(Y_k^2)
    kept = np.diag(rw_hat(case.A) @ correlation @ rw_hat(case.A).T)
    close(kept, (alpha * d + 1) / (d + 1))
    expected = (2 * (d + 1) / (alpha * d + 1)).sum() / (N * 30)
    assert weight_variance("effective-degree", 30, 20, case.operator, alpha=alpha) == pytest.approx(expected)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_forward_variance_through_relu(case: Case, alpha: float) -> None:
    """Var(H_(l+1)) = F_l (alpha d + 1) / (2 (d + 1)) Var(H_l) Var(W): of symmetric H, E(ReLU(H)^2) = Var(H) / 2."""
    H = np.concatenate([case.X, -case.X])
    assert (relu(H) ** 2).mean() == pytest.approx(H.var() / 2)
    flow = predict_propagation(case.operator, [6, 5, 4], [0.2, 0.3], activation="relu", alpha=alpha)
    d = case.degrees
    expected = 5 * ((alpha * d + 1) / (2 * (d + 1))).mean() * flow[0].variance * 0.3
    assert flow[1].variance == pytest.approx(expected)


def test_elements_of_the_layer_and_of_its_gradients(case: Case) -> None:
    """Sums over t and k: (H_(l+1))_ij, (dL/dH_l)_ij, (dL/dW_(l-1))_ij; gradients go through the transpose."""
    rng, A = np.random.default_rng(0), rw_hat(case.A)
    Y, W, G = (torch.from_numpy(rng.normal(size=size)) for size in ((len(A), F), (F, 5), (len(A), 5)))
    Y.requires_grad_()
    W.requires_grad_()
    H = matrix(case.operator, "A_hat_rw") @ (Y @ W)
    H.backward(G)
    y, w, g = Y.detach().numpy(), W.detach().numpy(), G.numpy()
    nodes = range(len(A))
    for i, j in ((0, 1), (7, 3)):
        close(float(H[i, j].detach()), sum(A[i, k] * y[k, t] * w[t, j] for t in range(F) for k in nodes))
        close(float(Y.grad[i, j]), sum(A[k, i] * g[k, t] * w[j, t] for t in range(5) for k in nodes))
    for i, j in ((0, 1), (3, 4)):
        close(float(W.grad[i, j]), sum(sum(A[k, t] * y[t, i] for t in nodes) * g[k, j] for k in nodes))


def test_backward_variance(case: Case) -> None:
    """Var(dL/dH_l) = r F_(l+1) Var(W_l) Var(dL/dH_(l+1)); r is a sum of squares of a column of A_hat_rw.

    The report has 1 / (d_i + 1), the sum over a row; the mean over nodes is the same.
    """
    columns = (rw_hat(case.A) ** 2).sum(0)
    close(backward_shares(case.operator), columns)
    assert columns.mean() == pytest.approx((1 / (case.degrees + 1)).mean())
    flow = predict_propagation(case.operator, [6, 5, 4], [0.2, 0.3], gradient_variance=0.7)
    assert flow[0].gradient_variance == pytest.approx(columns.mean() * 4 * 0.3 * 0.7)


def test_variance_of_a_weights_gradient(case: Case) -> None:
    """Var(dL/dW_(l-1)) = sum_k 1 / (d_k + 1) Var(Y_(l-1)) Var(dL/dH_l)."""
    flow = predict_propagation(case.operator, [6, 5, 4], [0.2, 0.3], input_moment=1.3, gradient_variance=0.7)
    total = (1 / (case.degrees + 1)).sum()
    assert flow[0].weight_gradient_variance == pytest.approx(total * 1.3 * flow[0].gradient_variance)
    assert flow[1].weight_gradient_variance == pytest.approx(total * flow[0].variance * 0.7)


def test_energy_1_by_frequency(case: Case) -> None:
    """trace(H^T H) = a sum_i lambda_i^2 |u_i^T Y|^2 for H = A_hat_sym Y W with W W^T = a I."""
    torch.manual_seed(0)
    W = initialise_(torch.empty(F, 6, dtype=torch.float64), "energy", case.operator).numpy()
    a = weight_variance("energy", F, 6, case.operator)
    close(W @ W.T, a * np.eye(F))
    values, U = np.linalg.eigh(sym_hat(case.A))
    H = sym_hat(case.A) @ case.X @ W
    close(np.trace(H.T @ H), a * (values**2 * ((U.T @ case.X) ** 2).sum(1)).sum())


def test_energy_2_and_3(case: Case) -> None:
    """a = N / |A_hat|_F^2, with ReLU twice that.

    The report equates it with N / sum lambda_i^2, which is right for A_hat_sym, and with N / sum 1 / (d_i + 1), which
    is right for A_hat_rw.
    """
    N, d = len(case.A), case.degrees
    squares = (np.linalg.eigvalsh(sym_hat(case.A)) ** 2).sum()
    for filter_, A, total in (
        ("A_hat_sym", sym_hat(case.A), squares),
        ("A_hat_rw", rw_hat(case.A), (1 / (d + 1)).sum()),
    ):
        assert np.linalg.norm(A) ** 2 == pytest.approx(total)
        a = weight_variance("energy", 5, 5, case.operator, filter=filter_)
        assert a == pytest.approx(N / total)
        assert weight_variance("energy-relu", 5, 5, case.operator, filter=filter_) == pytest.approx(2 * a)
    assert squares != pytest.approx((1 / (d + 1)).sum())


@pytest.mark.parametrize(("fan_in", "fan_out"), [(3, 7), (5, 5), (40, 4)])
def test_energy_is_kept_on_average_for_any_widths(case: Case, fan_in: int, fan_out: int) -> None:
    """E |A_hat Y W|^2 = |Y|^2 for features without a preferred direction."""
    torch.manual_seed(0)
    rng, ratios = np.random.default_rng(0), []
    for _ in range(400):
        W = initialise_(
            torch.empty(fan_in, fan_out, dtype=torch.float64), "energy-exact", case.operator
        ).numpy()
        Y = rng.normal(size=(len(case.A), fan_in))
        ratios.append(np.linalg.norm(rw_hat(case.A) @ Y @ W) ** 2 / np.linalg.norm(Y) ** 2)
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.std(ratios) / 20)
