"""Section 2 of the report, over-smoothing: deep GCN and its rank, Krylov form, snowball, Krylov, variances, AdaReLU."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.linalg import expm
from tests.report_formulas.dense import CASES, C, Case, F, close, relu, rw_hat, softmax, sym_hat

from allpass.graph import apply_analytic, block_grade, components, krylov_basis, krylov_coefficients, matrix
from allpass.models import create
from allpass.nn import (
    AdaReLU,
    KrylovConv,
    forward_shares,
    initialise_,
    predict_propagation,
    weight_variance,
)
from allpass.nn.activations import activation

pytestmark = pytest.mark.parametrize("case", CASES)


def arrays(module: torch.nn.Module) -> list[np.ndarray]:
    return [parameter.detach().numpy() for parameter in module.parameters()]


def test_eq1_deep_gcn(case: Case) -> None:
    """Y = softmax(A_hat ReLU(... A_hat ReLU(A_hat X W_0) W_1 ...) W_n)."""
    torch.manual_seed(0)
    model = create("gcn-6", in_channels=F, out_channels=C, hidden_channels=5, bias=False).double().eval()
    *inner, last = arrays(model)
    H = case.X
    for W in inner:
        H = relu(sym_hat(case.A) @ H @ W)
    close(model(case.features, case.operator).softmax(1), softmax(sym_hat(case.A) @ H @ last))


def test_theorem_1_the_rank_falls_to_the_number_of_components(case: Case) -> None:
    """Non-negative weights of norm 1 on two copies of the graph, none of them bipartite with self-loops."""
    twice = Case(np.kron(np.eye(2), case.A), np.concatenate([case.X, -2 * case.X + 1]), np.tile(case.y, 2))
    model = create(
        "gcn-300",
        in_channels=F,
        out_channels=F,
        hidden_channels=F,
        bias=False,
        filter="A_hat_sym",
        dropout=0.0,
    )
    rng = np.random.default_rng(0)
    model = model.double().eval()
    with torch.no_grad():
        for layer in model.layers:
            W = rng.random((F, F))
            layer.weight.copy_(torch.from_numpy(W / np.linalg.norm(W, 2)))
        sizes = torch.linalg.svdvals(model(twice.features, twice.operator))
    assert components(twice.operator).count == 2
    assert int((sizes > 1e-8 * sizes[0]).sum()) <= 2
    assert int((torch.linalg.svdvals(twice.features) > 1e-8).sum()) == F


def test_theorem_2_tanh_keeps_the_rank(case: Case) -> None:
    """rank(tanh([x, y])) = rank([x, y]) for columns drawn from a continuous distribution."""
    tanh = activation("tanh", 2)
    for pair in (case.features[:, :2], case.features[:, 2:]):
        assert torch.linalg.matrix_rank(tanh(pair)) == torch.linalg.matrix_rank(pair) == 2


def test_block_krylov_matrix_and_its_grade(case: Case) -> None:
    """K_m(A, B) = [B, AB, ..., A^(m-1) B]; from some m on A^k B lies in its span."""
    A, op = sym_hat(case.A), matrix(case.operator, "A_hat_sym")
    powers = [np.linalg.matrix_power(A, k) @ case.X for k in range(8)]
    close(krylov_basis(op, case.features, 5), np.concatenate(powers[:5], axis=1))
    m = block_grade(op, case.features)
    K = np.concatenate(powers[:m], axis=1)
    for further in powers[m:]:
        solution = np.linalg.lstsq(K, further, rcond=None)[0]
        close(K @ solution, further, 1e-6)


def test_eq5_an_analytic_filter_is_a_krylov_matrix_times_parameters(case: Case) -> None:
    """g(A_hat) X = K_m(A_hat, X) Gamma, with g the exponential."""
    A, op = sym_hat(case.A), matrix(case.operator, "A_hat_sym")
    close(apply_analytic(op, case.features, torch.exp), expm(A) @ case.X, 1e-8)
    Gamma, m = krylov_coefficients(op, case.features, torch.exp)
    powers = [np.linalg.matrix_power(A, k) @ case.X for k in range(m)]
    close(np.concatenate(powers, axis=1) @ Gamma.numpy(), expm(A) @ case.X, 1e-6)


def test_eq6_a_convolution_with_learned_parameters(case: Case) -> None:
    """K_m(A_hat, X) W with W of m F rows."""
    torch.manual_seed(0)
    layer = KrylovConv(F, 3, blocks=4, filter="A_hat_sym", bias=False).double()
    powers = [np.linalg.matrix_power(sym_hat(case.A), k) @ case.X for k in range(4)]
    assert layer.weight.shape == (4 * F, 3)
    close(layer(case.features, case.operator), np.concatenate(powers, axis=1) @ arrays(layer)[0])


def test_eq6_the_parameters_are_those_of_the_filter_times_w(case: Case) -> None:
    """g(A_hat) X W' = K_m(A_hat, X) Gamma W': a layer with the weight Gamma W' applies the filter."""
    Gamma, m = krylov_coefficients(matrix(case.operator, "A_hat_sym"), case.features, torch.exp)
    W = np.random.default_rng(0).normal(size=(F, 3))
    layer = KrylovConv(F, 3, blocks=m, filter="A_hat_sym", bias=False).double()
    with torch.no_grad():
        layer.weight.copy_(Gamma @ torch.from_numpy(W))
    close(layer(case.features, case.operator), expm(sym_hat(case.A)) @ case.X @ W, 1e-6)


def test_snowball_architecture(case: Case) -> None:
    """H_(l+1) = f(A_hat [X, H_1, ..., H_l] W_l), and the output reads all of them."""
    torch.manual_seed(0)
    model = create(
        "snowball-4", in_channels=F, out_channels=C, hidden_channels=5, bias=False, filter="A_hat_sym"
    )
    model = model.double().eval()
    *inner, last = arrays(model)
    H = case.X
    for W in inner:
        H = np.concatenate([H, np.tanh(sym_hat(case.A) @ H @ W)], axis=1)
    close(model(case.features, case.operator), sym_hat(case.A) @ H @ last)


def test_truncated_krylov_architecture(case: Case) -> None:
    """H_(l+1) = f([H_l, A_hat H_l, ..., A_hat^(m-1) H_l] W_l)."""
    torch.manual_seed(0)
    model = create(
        "krylov", in_channels=F, out_channels=C, hidden_channels=5, num_layers=3, blocks=3, bias=False,
        filter="A_hat_sym",
    )  # fmt: skip
    model = model.double().eval()
    *inner, last = arrays(model)
    H = case.X
    for W in inner:
        powers = [np.linalg.matrix_power(sym_hat(case.A), k) @ H for k in range(3)]
        H = np.tanh(np.concatenate(powers, axis=1) @ W)
    close(model(case.features, case.operator), H @ last)


def test_glorot_and_he(case: Case) -> None:
    """U(-b, b) with b^2 = 6 / (n_j + n_(j+1)), whose variance is b^2 / 3, and N with Var = 2 / n."""
    assert weight_variance("glorot", 30, 20) == pytest.approx(6 / 50 / 3)
    assert weight_variance("he", 30, 20) == pytest.approx(2 / 30)
    torch.manual_seed(len(case.edge_index[0]))
    conv = create("gcn", in_channels=300, out_channels=200, num_layers=1, init="glorot").layers[0]
    assert float(conv.weight.detach().abs().max()) == pytest.approx((6 / 500) ** 0.5, rel=1e-3)


def test_variance_hidden_units(case: Case) -> None:
    """Var((A_hat_rw Y W)_ij) = F_l / (d_i + 1) Var(Y) Var(W) for independent Y and W, node by node."""
    rng = np.random.default_rng(0)
    samples = np.stack(
        [
            rw_hat(case.A) @ rng.normal(size=(len(case.A), F)) @ rng.normal(size=(F, 40)) * 0.7
            for _ in range(1500)
        ]
    )
    measured = (samples**2).mean(axis=(0, 2))
    np.testing.assert_allclose(measured, F / (case.degrees + 1) * 0.49, rtol=0.1)
    close(F * forward_shares(case.operator) * 0.49, F / (case.degrees + 1) * 0.49)


def test_feedforward_weight_initialization(case: Case) -> None:
    """Var(W) = (d_i + 1) / F_l keeps the variance of node i, another one for every degree."""
    close(F * forward_shares(case.operator).numpy() * (case.degrees + 1) / F, np.ones(len(case.A)))


def test_weights_are_drawn_with_that_variance(case: Case) -> None:
    """N(0, sqrt(2 (1 + mean d) / (F_l + F_(l+1))))."""
    torch.manual_seed(0)
    W = initialise_(torch.empty(300, 200, dtype=torch.float64), "combined", case.operator)
    variance = 2 * (case.degrees + 1).sum() / (len(case.A) * 500)
    assert float(W.var()) == pytest.approx(variance, rel=0.04)
    assert float(W.mean()) == pytest.approx(0, abs=5 * (variance / W.numel()) ** 0.5)


def test_schemes_of_the_forward_the_backward_and_both_views(case: Case) -> None:
    """(1 + mean d) / F_l, its weighted form, (1 + mean d) / F_(l+1), and 2 (1 + mean d) / (F_l + F_(l+1))."""
    d = case.degrees
    expected = {
        "forward": (d + 1).sum() / (len(d) * 30),
        "degree-weighted": ((d + 1) / (d + 1).sum() * (d + 1) / 30).sum(),
        "backward": (d + 1).sum() / (len(d) * 20),
        "combined": 2 * (d + 1).sum() / (len(d) * 50),
    }
    for name, variance in expected.items():
        assert weight_variance(name, 30, 20, case.operator) == pytest.approx(variance)


def test_variance_flatten_and_gradient_parameter_matrix(case: Case) -> None:
    """The products over layers, with the report's averages, for equal widths."""
    N, d, width, n, V = len(case.A), case.degrees, 8, 5, 0.3
    flow = predict_propagation(
        case.operator, [width] * (n + 2), [V] * (n + 1), form="report", gradient_variance=0.2
    )
    step = N * width / (d + 1).sum() * V
    for l in range(n + 1):  # H_(l+1)
        assert flow[l].variance == pytest.approx(step ** (l + 1))
        assert flow[l].gradient_variance == pytest.approx(0.2 * step ** (n - l))
        expected = (1 / (d + 1)).sum() * 1.0 * 0.2 * step**n
        assert flow[l].weight_gradient_variance == pytest.approx(expected)


def test_variance_flatten_for_any_widths(case: Case) -> None:
    """Var(Y_l) = Var(Y_0) times N F_l' Var(W_l') / sum(d + 1) for l' < l; gradients by those of l' > l."""
    widths, V = [6, 5, 4, 7], [0.2, 0.3, 0.4]
    keep = len(case.A) / (case.degrees + 1).sum()
    flow = predict_propagation(
        case.operator, widths, V, form="report", input_moment=1.3, gradient_variance=0.7
    )
    for l in (1, 2, 3):
        forward = np.prod([keep * widths[k] * V[k] for k in range(l)])
        backward = np.prod([keep * widths[k] * V[k - 1] for k in range(l + 1, 4)])
        assert flow[l - 1].variance == pytest.approx(1.3 * forward)
        assert flow[l - 1].gradient_variance == pytest.approx(0.7 * backward)


def test_adaptive_relu(case: Case) -> None:
    """beta_i x for x > 0 and alpha_i x otherwise, both 1 at first, channel by channel or shared."""
    for channels in (F, None):
        f = AdaReLU(channels).double()
        close(f(case.features), case.X)
        with torch.no_grad():
            f.alpha.copy_(torch.linspace(0.1, 0.4, F) if channels else torch.tensor(0.3))
            f.beta.copy_(torch.linspace(2, 3, F) if channels else torch.tensor(2.5))
        alpha, beta = f.alpha.detach().numpy(), f.beta.detach().numpy()
        close(f(case.features), np.where(case.X > 0, beta * case.X, alpha * case.X))
