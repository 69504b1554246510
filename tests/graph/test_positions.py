"""Spectral positions against dense eigenvectors, and on graphs whose parts are known."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch

from allpass.errors import InputError
from allpass.graph import Operator, spectral_positions
from allpass.graph import positions as module


def operator(graph: nx.Graph) -> Operator:
    return Operator.from_scipy(nx.to_scipy_sparse_array(graph, dtype=float)).symmetrized()


def regularised(graph: nx.Graph) -> np.ndarray:
    A = nx.to_numpy_array(graph)
    degrees = A.sum(1)
    scale = np.diag((degrees + degrees.mean()) ** -0.5)
    return scale @ A @ scale


def blocks(sizes: list[int], inside: float, between: float, seed: int = 0) -> tuple[nx.Graph, np.ndarray]:
    chances = np.full((len(sizes), len(sizes)), between)
    np.fill_diagonal(chances, inside)
    graph = nx.stochastic_block_model(sizes, chances, seed=seed)
    return graph, np.repeat(np.arange(len(sizes)), sizes)


def check_eigenvectors(S: np.ndarray, found: torch.Tensor, tolerance: float) -> None:
    """Columns are orthogonal eigenvectors of the largest eigenvalues by magnitude, each in its place."""
    X = found.double().numpy() / len(S) ** 0.5
    values = np.diag(X.T @ S @ X)
    exact = np.linalg.eigvalsh(S)
    largest = exact[np.argsort(-np.abs(exact), kind="stable")][: X.shape[1]]
    assert X.T @ X == pytest.approx(np.eye(X.shape[1]), abs=1e-4)
    assert np.abs(values) == pytest.approx(np.abs(largest), abs=tolerance)
    assert np.linalg.norm(S @ X - X * values, axis=0).max() < 10 * tolerance


def test_small_graphs_are_exact() -> None:
    graph = nx.gnm_random_graph(80, 200, seed=3)
    check_eigenvectors(regularised(graph), spectral_positions(operator(graph), 10), 1e-5)


def test_iteration_finds_the_leading_eigenvectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT", 10)
    monkeypatch.setattr(module, "_TOLERANCE", 1e-7)
    graph, _ = blocks([100] * 4, 0.3, 0.02)
    check_eigenvectors(regularised(graph), spectral_positions(operator(graph), 4), 1e-3)


def test_a_few_products_are_enough_to_tell_communities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT", 10)
    graph, truth = blocks([150] * 4, 0.1, 0.01)
    x = spectral_positions(operator(graph), 8).numpy()
    centres = np.stack([x[truth == k].mean(0) for k in range(4)])
    nearest = ((x[:, None] - centres) ** 2).sum(2).argmin(1)
    assert (nearest == truth).mean() > 0.95


def test_groups_that_avoid_themselves_are_found_too() -> None:
    graph, truth = blocks([100, 100], 0.005, 0.1)
    x = spectral_positions(operator(graph), 2).numpy()
    assert max(abs(np.corrcoef(x[:, k], truth)[0, 1]) for k in range(2)) > 0.9


def test_many_small_components_do_not_crowd_out_the_large_one() -> None:
    """Without the shift each of 200 pairs would have the eigenvalue 1 and a column of its own."""
    large, truth = blocks([150, 150], 0.1, 0.01)
    graph = nx.disjoint_union(large, nx.disjoint_union_all([nx.path_graph(2) for _ in range(200)]))
    x = spectral_positions(operator(graph), 4).numpy()
    assert np.abs(x[300:]).max() < 0.05
    assert max(abs(np.corrcoef(x[:300, k], truth)[0, 1]) for k in range(4)) > 0.9


def test_a_ring_gives_its_waves() -> None:
    """The eigenvectors of a ring are the constant and, in pairs, cosines and sines around it."""
    x = spectral_positions(operator(nx.cycle_graph(41)), 3).double()
    angle = 2 * torch.pi * torch.arange(41, dtype=torch.float64) / 41
    waves = torch.stack(
        [torch.ones(41), *(2**0.5 * f(20 * angle) for f in (torch.cos, torch.sin))], 1
    ).double()
    assert x[:, 0] == pytest.approx(torch.ones(41), abs=1e-5)
    overlap = (waves.mT @ x / 41).square()
    assert overlap[1:, 1:].sum(0).tolist() == pytest.approx([1, 1], abs=1e-5)


def test_same_bits_and_fixed_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT", 10)
    A = operator(blocks([60] * 3, 0.3, 0.05)[0])
    x = spectral_positions(A, 5)
    assert torch.equal(x, spectral_positions(A, 5))
    assert bool((x.amax(0) >= -x.amin(0) * (1 - 1e-3)).all())


def test_isolated_nodes_low_rank_and_no_edges() -> None:
    star = nx.star_graph(6)
    star.add_nodes_from(range(7, 10))
    x = spectral_positions(operator(star), 5)
    assert x.shape == (10, 2)  # a star has rank 2
    assert x[7:].abs().max() < 1e-6
    assert spectral_positions(operator(nx.empty_graph(4)), 3).shape == (4, 0)
    with pytest.raises(InputError, match="dimensions=0"):
        spectral_positions(operator(star), 0)
