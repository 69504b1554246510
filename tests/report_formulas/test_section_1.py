"""Section 1 of the report, notation and background: graph matrices, the Fourier transform, GCN and its loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.report_formulas.dense import CASES, C, Case, F, close, diag, relu, rw_hat, softmax, sym_hat

from allpass.graph import fourier_basis, matrix
from allpass.models import create

pytestmark = pytest.mark.parametrize("case", CASES)


def dense(case: Case, name: str) -> np.ndarray:
    return matrix(case.operator, name).to_dense().numpy()


def eigenvalues(M: np.ndarray) -> np.ndarray:
    return np.sort(np.linalg.eigvals(M).real)


def test_combinatorial_laplacian(case: Case) -> None:
    """L = D - A, symmetric and positive semi-definite."""
    L = dense(case, "L")
    close(L, diag(case.degrees) - case.A)
    assert np.linalg.eigvalsh(L).min() > -1e-12


def test_graph_fourier_transform(case: Case) -> None:
    """L = U Lambda U^T with ascending frequencies; x_F = U^T x, and U x_F = x."""
    basis = fourier_basis(case.operator, "L")
    U = basis.vectors.numpy()
    close(U.T @ U, np.eye(len(U)))
    assert (np.diff(basis.frequencies.numpy()) >= -1e-12).all()
    close(U @ diag(basis.frequencies.numpy()) @ U.T, diag(case.degrees) - case.A)
    close(basis.transform(case.features), U.T @ case.X)
    close(basis.synthesize(basis.transform(case.features)), case.X)


def test_symmetric_and_random_walk_laplacian(case: Case) -> None:
    """L_sym = I - D^-1/2 A D^-1/2, L_rw = I - D^-1 A."""
    half = diag(case.degrees**-0.5)
    close(dense(case, "L_sym"), np.eye(len(case.A)) - half @ case.A @ half)
    close(dense(case, "L_rw"), np.eye(len(case.A)) - diag(1 / case.degrees) @ case.A)


def test_they_have_the_same_eigenvalues_from_0_to_2(case: Case) -> None:
    """And u_rw = D^-1/2 u_sym."""
    sym, rw = dense(case, "L_sym"), dense(case, "L_rw")
    close(eigenvalues(sym), eigenvalues(rw), 1e-8)
    values, vectors = np.linalg.eigh(sym)
    assert values.min() > -1e-12
    assert values.max() <= 2 + 1e-12
    close(rw @ diag(case.degrees**-0.5) @ vectors, diag(case.degrees**-0.5) @ vectors @ diag(values))


def test_affinity_matrices(case: Case) -> None:
    """A_rw = I - L_rw, A_sym = I - L_sym; their eigenvalues are 1 - lambda(L), and 1 is one of them.

    The report writes 1 - lambda(A) here, which is a slip.
    """
    for kind in ("rw", "sym"):
        A, L = dense(case, f"A_{kind}"), dense(case, f"L_{kind}")
        close(A, np.eye(len(A)) - L)
        close(eigenvalues(A), np.sort(1 - eigenvalues(L)), 1e-8)
        assert eigenvalues(A).max() == pytest.approx(1)
        assert eigenvalues(A).min() >= -1 - 1e-9


def test_renormalized_matrices(case: Case) -> None:
    """A_hat = D~^-1/2 A~ D~^-1/2 and D~^-1 A~, L_hat = I - A_hat; the two have the same eigenvalues."""
    close(dense(case, "A_hat_sym"), sym_hat(case.A))
    close(dense(case, "A_hat_rw"), rw_hat(case.A))
    close(dense(case, "L_hat_sym"), np.eye(len(case.A)) - sym_hat(case.A))
    close(dense(case, "L_hat_rw"), np.eye(len(case.A)) - rw_hat(case.A))
    close(eigenvalues(sym_hat(case.A)), eigenvalues(dense(case, "A_hat_rw")), 1e-8)


def test_mean_aggregator(case: Case) -> None:
    """(A_hat_rw x)_i = sum of x_j over the neighbours and i, over D_ii + 1."""
    x = case.X[:, 0]
    near = [[i, *np.flatnonzero(case.A[i])] for i in range(len(x))]
    expected = np.array([x[nodes].sum() / (case.degrees[i] + 1) for i, nodes in enumerate(near)])
    close(matrix(case.operator, "A_hat_rw") @ case.features[:, 0], expected)


def test_gcn_original_and_cross_entropy(case: Case) -> None:
    """Y = softmax(A_hat ReLU(A_hat X W_0) W_1) and L = -trace(Z^T log Y), forward and gradient."""
    torch.manual_seed(0)
    model = create("gcn", in_channels=F, out_channels=C, hidden_channels=5, bias=False).double().eval()
    W_0, W_1 = (layer.weight.detach().numpy() for layer in model.layers)
    A = sym_hat(case.A)
    hidden = A @ case.X @ W_0
    Y = softmax(A @ relu(hidden) @ W_1)
    logits = model(case.features, case.operator)
    close(logits.softmax(dim=1), Y)
    loss = torch.nn.functional.cross_entropy(logits, case.labels, reduction="sum")
    close(float(loss.detach()), -np.trace(case.Z.T @ np.log(Y)))
    loss.backward()
    G = A.T @ (Y - case.Z)  # dL / d(ReLU(H) W_1)
    close(model.layers[1].weight.grad, relu(hidden).T @ G)
    close(model.layers[0].weight.grad, (A @ case.X).T @ ((G @ W_1.T) * (hidden > 0)))
