"""Spread labels against dense formulas, sampled walks and value iteration."""

from __future__ import annotations

import numpy as np
import pytest

from allpass.errors import InputError
from allpass.rl.potentials.propagation import best_path, harmonic, soft_clamping


def symmetric_graph(S: int, seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    W = np.triu(generator.random((S, S)) * (generator.random((S, S)) < 0.25), 1)
    return W + W.T + np.eye(S, k=1) + np.eye(S, k=-1)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_harmonic_is_the_absorption_probability(seed: int) -> None:
    W = symmetric_graph(20, seed)
    known, y = np.array([2, 7, 11]), np.array([1.0, 0.0, 0.5])
    P = W / W.sum(axis=1, keepdims=True)
    P[known] = 0
    P[known, known] = 1
    expected = np.zeros(20)
    expected[known] = y
    expected = np.linalg.matrix_power(P, 20_000) @ expected
    np.testing.assert_allclose(harmonic(W, known, y), expected, atol=1e-9)


def test_discounted_harmonic_is_the_value_of_a_walk_that_ends_at_the_labels() -> None:
    W = symmetric_graph(20, 5)
    known, y = np.array([2, 7]), np.array([1.0, -0.5])
    P = W / W.sum(axis=1, keepdims=True)
    phi = np.zeros(20)
    for _ in range(2000):
        phi = 0.9 * P @ phi
        phi[known] = y
    np.testing.assert_allclose(harmonic(W, known, y, discount=0.9), phi, atol=1e-12)


def test_harmonic_on_a_one_way_graph_flows_against_the_edges() -> None:
    chain = np.eye(5, k=1)
    np.testing.assert_allclose(harmonic(chain, np.array([2]), np.array([1.0])), [1, 1, 1, 0, 0])
    fork = np.zeros((3, 3))
    fork[0, 1], fork[0, 2] = 0.3, 0.7  # state 2 is a dead end
    np.testing.assert_allclose(harmonic(fork, np.array([1]), np.array([1.0])), [0.3, 1, 0])


@pytest.mark.parametrize("spread", [0.0, 0.5, 0.99])
def test_soft_clamping_is_its_formula(spread: float) -> None:
    W = symmetric_graph(15, 3)
    root = np.diag(W.sum(axis=1) ** -0.5)
    y = np.zeros(15)
    y[[1, 4]] = [1.0, -2.0]
    expected = (1 - spread) * np.linalg.inv(np.eye(15) - spread * root @ W @ root) @ y
    np.testing.assert_allclose(
        soft_clamping(W, np.array([1, 4]), np.array([1.0, -2.0]), spread=spread), expected, atol=1e-10
    )


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_best_path_is_value_iteration_on_the_visited_graph(discount: float) -> None:
    generator = np.random.default_rng(4)
    A = generator.random((30, 30)) < 0.07
    goals, y = np.array([3, 9]), np.array([1.0, 0.6])
    V = np.zeros(30)
    for _ in range(200):
        step = np.where(A, discount * V, 0).max(axis=1)
        V = np.maximum(step, 0)
        V[goals] = np.maximum(step[goals], y)
    np.testing.assert_allclose(best_path(A, goals, y, discount=discount), V, atol=1e-12)


def test_without_a_label_nothing_is_promised() -> None:
    none = np.array([], dtype=int), np.array([])
    for spread in (harmonic, soft_clamping, best_path):
        np.testing.assert_array_equal(spread(symmetric_graph(4, 0), *none), 0)


def test_bad_input_has_one_sentence() -> None:
    W = symmetric_graph(4, 0)
    with pytest.raises(InputError, match="from 0 to 3"):
        harmonic(W, np.array([4]), np.array([1.0]))
    with pytest.raises(InputError, match="one finite label"):
        harmonic(W, np.array([1]), np.array([np.nan]))
    with pytest.raises(InputError, match="labels of 0 or more"):
        best_path(W, np.array([1]), np.array([-1.0]))
    with pytest.raises(InputError, match="discount = 0"):
        harmonic(W, np.array([1]), np.array([1.0]), discount=0)
    with pytest.raises(InputError, match="spread = 1"):
        soft_clamping(W, np.array([1]), np.array([1.0]), spread=1)
