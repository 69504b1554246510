"""Laplacians of chains: dense formulas, eigenvectors, and the identities on a grid with a uniform policy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from allpass.errors import InputError
from allpass.rl import TabularMDP
from allpass.rl.laplacians import laplacian, stationary_distribution, visited_graph


def random_chain(S: int, seed: int, density: float = 0.2) -> np.ndarray:
    generator = np.random.default_rng(seed)
    P = generator.random((S, S)) * (generator.random((S, S)) < density)
    P[np.arange(S), (np.arange(S) + 1) % S] += 0.1  # a cycle: every state reaches every other
    return P / P.sum(axis=1, keepdims=True)


def random_graph(S: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    W = np.triu(generator.random((S, S)) * (generator.random((S, S)) < 0.3), 1)
    return W + W.T


def bumping_grid(height: int, width: int) -> np.ndarray:
    """The chain of a uniform policy over four moves; a move into the border stays."""
    P = np.zeros((height * width, height * width))
    for y in range(height):
        for x in range(width):
            for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                v, u = y + dy, x + dx
                inside = 0 <= v < height and 0 <= u < width
                P[y * width + x, (v * width + u) if inside else y * width + x] += 0.25
    return P


def dense_directed(P: np.ndarray, teleport: float) -> tuple[np.ndarray, np.ndarray]:
    S = len(P)
    jumping = (1 - teleport) * P + teleport / S
    values, vectors = np.linalg.eig(jumping.T)
    psi = np.real(vectors[:, np.argmin(abs(values - 1))])
    psi = psi / psi.sum()
    root, back = np.diag(psi**0.5), np.diag(psi**-0.5)
    return np.eye(S) - (root @ jumping @ back + back @ jumping.T @ root) / 2, psi


@pytest.mark.parametrize("seed", [0, 1])
def test_undirected_laplacians_are_their_formulas(seed: int) -> None:
    W = random_graph(23, seed)
    W[5] = W[:, 5] = 0  # an isolated state
    d = W.sum(axis=1)
    np.testing.assert_allclose(laplacian(W, "combinatorial").to_dense(), np.diag(d) - W, atol=1e-12)
    back = np.diag(np.divide(1, np.sqrt(d), out=np.zeros_like(d), where=d > 0))
    np.testing.assert_allclose(
        laplacian(W, "normalized").to_dense(), np.diag((d > 0) * 1.0) - back @ W @ back, atol=1e-12
    )


def test_random_walk_vectors_are_eigenvectors_of_the_random_walk_laplacian() -> None:
    W = random_graph(40, 3)
    values, vectors = laplacian(W, "random-walk").smallest(6)
    L = np.eye(40) - W / W.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-10)


@pytest.mark.parametrize("teleport", [None, 0.0, 0.15])
def test_directed_laplacian_is_its_formula(teleport: float | None) -> None:
    P = random_chain(30, 2)
    dense, psi = dense_directed(P, teleport or 0.0)
    np.testing.assert_allclose(stationary_distribution(P, teleport=teleport), psi, atol=1e-12)
    np.testing.assert_allclose(laplacian(P, "directed", teleport=teleport).to_dense(), dense, atol=1e-10)
    root = np.diag(psi**0.5)
    np.testing.assert_allclose(
        laplacian(P, "directed-combinatorial", teleport=teleport).to_dense(), root @ dense @ root, atol=1e-12
    )


def test_a_chain_that_ends_gets_a_teleport_by_itself() -> None:
    P = np.eye(6, k=1)
    P[5, 5] = 1
    np.testing.assert_allclose(stationary_distribution(P), dense_directed(P, 0.01)[1], atol=1e-12)
    with pytest.raises(InputError, match=r"teleport=0\.01"):
        stationary_distribution(P, teleport=0.0)


def test_parts_that_share_eigenvalues_all_have_their_vectors() -> None:
    """Lanczos with one start vector misses all but one of them."""
    ring = sp.csr_array(np.roll(np.eye(211), 1, axis=1) + np.roll(np.eye(211), -1, axis=1))
    W = sp.block_diag([ring, ring, ring, sp.csr_array((4, 4))]).tocsr()
    values, vectors = laplacian(W).smallest(16)
    dense = np.linalg.eigvalsh(np.diag(W.sum(axis=1)) - W.toarray())[:16]
    np.testing.assert_allclose(values, dense, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(16), atol=1e-8)
    L = laplacian(W).sparse
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-8)
    assert ((np.abs(vectors[:633].reshape(3, 211, 16)) > 1e-12).any(axis=1).sum(axis=0) <= 1).all()
    assert (laplacian(W).smallest(2)[0] < 1e-12).all()


@pytest.mark.parametrize(
    "name", ["combinatorial", "normalized", "random-walk", "directed", "directed-combinatorial"]
)
def test_lanczos_finds_the_same_space_as_dense(name: str) -> None:
    P = sp.csr_array(random_chain(700, 4, density=0.004))
    L = laplacian(P, name, teleport=0.05 if "directed" in name else None)  # type: ignore[arg-type]
    values, vectors = L.smallest(8)
    exact = np.linalg.eigh(L.to_dense())
    np.testing.assert_allclose(values, exact[0][:8], atol=1e-9)
    Q, R = np.linalg.qr(vectors / L.scale[:, None]), exact[1][:, :8]
    np.testing.assert_allclose(np.linalg.svd(Q[0].T @ R)[1], 1, atol=1e-7)


def test_a_uniform_policy_on_a_grid_makes_all_laplacians_one() -> None:
    P = bumping_grid(5, 7)
    L = laplacian(visited_graph(P), "combinatorial").to_dense()
    np.testing.assert_allclose(L, 4 * (np.eye(35) - P), atol=1e-10)
    np.testing.assert_allclose(laplacian(P, "directed").to_dense(), np.eye(35) - P, atol=1e-10)
    gamma = 0.9
    M = np.linalg.inv(np.eye(35) - gamma * P)
    np.testing.assert_allclose(
        np.sort(np.linalg.eigvalsh(M)), np.sort(1 / (1 - gamma * (1 - np.linalg.eigvalsh(L) / 4))), atol=1e-10
    )


def test_bad_input_has_one_sentence() -> None:
    with pytest.raises(InputError, match=r"sums to 0\.5"):
        laplacian(np.full((2, 2), 0.25), "directed")
    with pytest.raises(InputError, match="Got TabularMDP as the matrix"):
        laplacian(TabularMDP.from_grid("S.G"))
    with pytest.raises(InputError, match="square"):
        laplacian(np.ones((2, 3)))
    with pytest.raises(InputError, match="combinatorial"):
        laplacian(np.ones((2, 2)), "directe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="from 1 to 2"):
        laplacian(np.ones((2, 2))).smallest(3)
