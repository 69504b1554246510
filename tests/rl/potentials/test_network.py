"""The learned potential: its loss against a dense formula, and what it learns."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from tests.rl.potentials.test_propagation import symmetric_graph

from allpass.errors import InputError, UnknownNameError
from allpass.rl.potentials.network import PotentialNetwork, potential_loss


def test_loss_is_cross_entropy_and_the_laplacian_form() -> None:
    W = symmetric_graph(12, 0)
    logits = torch.randn(12, 2, dtype=torch.float64, requires_grad=True)
    known, y = torch.tensor([0, 3, 8]), torch.tensor([1.0, 0.0, 0.5], dtype=torch.float64)
    row, column = (torch.from_numpy(part) for part in W.nonzero())
    share = torch.from_numpy(W[W != 0] / W.sum())
    loss = potential_loss(logits, known, y, row, column, share, weight=3.0)
    phi = torch.exp(logits[:, 1]) / torch.exp(logits).sum(dim=1)
    base = -(y * phi[known].log() + (1 - y) * (1 - phi[known]).log()).mean()
    L = torch.from_numpy(np.diag(W.sum(axis=1)) - W)
    expected = base + 3.0 * 2 * (phi @ L @ phi) / W.sum()  # every edge of a symmetric W is met twice
    torch.testing.assert_close(loss, expected)
    gradient = torch.autograd.grad(loss, logits, retain_graph=True)[0]
    torch.testing.assert_close(gradient, torch.autograd.grad(expected, logits)[0])


@pytest.mark.parametrize("model", ["gcn", "acm-gcn", "krylov"])
def test_the_potential_rises_towards_the_goal(model: str) -> None:
    S = 30
    path = sp.csr_array(np.eye(S, k=1) + np.eye(S, k=-1))
    place = np.linspace(-1, 1, S)[:, None]
    network = PotentialNetwork(model, epochs=200, lr=0.02, propagation=3.0)
    phi = network.fit(place, path, np.array([0, S - 1]), np.array([0.0, 1.0])).potential(place, path)
    assert phi[-5:].mean() > phi[12:18].mean() > phi[:5].mean()
    assert ((phi >= 0) & (phi <= 1)).all()


def test_a_seed_repeats_and_a_second_fit_goes_on() -> None:
    graph, X = sp.csr_array(symmetric_graph(10, 1)), sp.eye_array(10).tocsr()
    known, y = np.array([1, 5]), np.array([1.0, 0.0])

    def run() -> PotentialNetwork:
        return PotentialNetwork(epochs=5, seed=3).fit(X, graph, known, y)

    before = torch.random.get_rng_state()
    first = run()
    assert torch.equal(before, torch.random.get_rng_state())
    np.testing.assert_array_equal(first.potential(X, graph), run().potential(X, graph))
    longer = PotentialNetwork(epochs=10, seed=3).fit(X, graph, known, y)
    np.testing.assert_array_equal(
        first.fit(X, graph, known, y).potential(X, graph), longer.potential(X, graph)
    )


def test_a_state_alone_is_read_without_edges() -> None:
    graph, X = sp.csr_array(symmetric_graph(10, 1)), np.random.default_rng(0).random((10, 4))
    network = PotentialNetwork(epochs=5).fit(X, graph, np.array([1]), np.array([1.0]))
    np.testing.assert_allclose(network.potential(X[3:4]), network.potential(X)[3:4], rtol=1e-6)
    assert abs(network.potential(X) - network.potential(X, graph)).max() > 1e-4
    np.testing.assert_array_equal(PotentialNetwork().potential(X), 0)


def test_bad_input_has_one_sentence() -> None:
    graph, X = sp.csr_array(symmetric_graph(4, 1)), np.ones((4, 2))
    with pytest.raises(InputError, match="from 0 to 1"):
        PotentialNetwork().fit(X, graph, np.array([1]), np.array([2.0]))
    with pytest.raises(InputError, match="at least one"):
        PotentialNetwork().fit(X, graph, np.array([], dtype=int), np.array([]))
    with pytest.raises(UnknownNameError, match="gnc"):
        PotentialNetwork("gnc").fit(X, graph, np.array([1]), np.array([1.0]))
    with pytest.raises(InputError, match="at least one epoch"):
        PotentialNetwork(epochs=0)
