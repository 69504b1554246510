"""Smoothing measures of a representation against dense NumPy, and what repeated averaging must do."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import InputError
from allpass.graph import Operator, matrix
from allpass.metrics import (
    dirichlet_energy,
    feature_variance,
    mean_average_distance,
    numerical_rank,
    smoothing_curve,
)


@settings(max_examples=300)
@given(case=cases(), name=st.sampled_from(["L", "L_rw", "L_sym", "L_hat_rw", "L_hat_sym"]))
def test_equals_dense_numpy(case: Case, name: str) -> None:
    A, X = reference.adjacency(case), case.x.numpy()
    energy = float(np.trace(X.T @ reference.dense_matrix(A, name) @ X))
    plain = not case.directed and case.weights is None
    graph = case.edge_index if plain else Operator.from_scipy(reference.dense(A))
    assert dirichlet_energy(graph, case.x, laplacian=name) == pytest.approx(energy, abs=1e-9)
    per_node = dirichlet_energy(graph, case.x, laplacian=name, per_node=True)
    assert per_node == pytest.approx(energy / max(case.num_nodes, 1), abs=1e-9)
    distance = mean_average_distance(graph, case.x)
    assert reference.agree(distance, reference.mean_average_distance(A, X), 1e-9)
    if X.size:
        assert feature_variance(case.x) == pytest.approx(X.var(axis=0).mean(), abs=1e-9)
        assert numerical_rank(case.x) == np.linalg.matrix_rank(X)
    else:
        assert math.isnan(feature_variance(case.x))
        assert numerical_rank(case.x) == 0


def test_rank_tolerance_is_an_option() -> None:
    x = torch.diag(torch.tensor([1.0, 1e-3, 1e-20]))
    assert numerical_rank(x) == 2
    assert numerical_rank(x, rtol=1e-2) == 1


def test_energy_is_the_sum_of_squared_differences() -> None:
    edge_index, x = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[1.0], [3], [0]])
    assert dirichlet_energy(edge_index, x, laplacian="L") == pytest.approx((1 - 3) ** 2 + 3**2)


def test_repeated_averaging_smooths() -> None:
    """On a connected graph everything but the first eigenvector dies out; depth 0 is the signal itself."""
    generator = torch.Generator().manual_seed(1)
    ring = torch.arange(30)
    edge_index = torch.cat(
        [torch.stack([ring, ring.roll(1)]), torch.randint(0, 30, (2, 60), generator=generator)], 1
    )
    A = Operator.from_edge_index(edge_index).symmetrized()
    x = torch.randn(30, 5, generator=generator)
    curve = smoothing_curve(A, x, depths=40)
    assert set(curve) == {"energy", "distance", "variance"}
    assert all(len(values) == 41 for values in curve.values())
    assert all(
        later <= sooner + 1e-12 for sooner, later in zip(curve["energy"], curve["energy"][1:], strict=False)
    )
    assert curve["energy"][-1] < 1e-4 < curve["energy"][0]
    assert curve["distance"][-1] < 1e-3 < curve["distance"][0]
    assert curve["variance"][0] == 1
    assert curve["energy"][0] == pytest.approx(dirichlet_energy(A, x) / float(x.double().square().sum()))
    second = smoothing_curve(A, (A.to(torch.float64) @ x.double()), depths=0, normalization="A")
    assert smoothing_curve(A, x, depths=1, normalization="A")["energy"][1] == pytest.approx(
        second["energy"][0]
    )


def test_a_zero_signal_has_no_energy() -> None:
    curve = smoothing_curve(
        Operator.from_edge_index(torch.tensor([[0, 1], [1, 0]])), torch.zeros(2, 1), depths=1
    )
    assert curve == {"energy": [0, 0], "distance": [1, 1], "variance": [0, 0]}


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match=r"features of shape \[1, 1\] for 2 nodes"):
        dirichlet_energy(Operator.from_edge_index(torch.tensor([[0], [1]])), torch.ones(1, 1))
    with pytest.raises(InputError, match="NaN or infinite"):
        mean_average_distance(torch.tensor([[0], [1]]), torch.full((2, 1), np.nan))


def test_the_curve_equals_its_measures_one_by_one() -> None:
    """The curve shares one product among its measures; on a weighted graph with loops and an isolated node."""
    generator = torch.Generator().manual_seed(3)
    edge_index, weight = (
        torch.randint(0, 39, (2, 90), generator=generator),
        torch.rand(90, generator=generator),
    )
    A = Operator.from_edge_index(edge_index, weight.double(), 40).symmetrized()
    X = torch.randn(40, 5, generator=generator, dtype=torch.float64)
    for name in ("A_hat_sym", "A_hat_rw"):
        curve, signal = smoothing_curve(A, X, 4, normalization=name), X
        filter_ = matrix(A, name)
        for depth in range(5):
            size = float(signal.square().sum())
            assert curve["energy"][depth] == pytest.approx(dirichlet_energy(A, signal) / size)
            assert curve["distance"][depth] == pytest.approx(mean_average_distance(A, signal))
            assert curve["variance"][depth] == pytest.approx(feature_variance(signal) / feature_variance(X))
            signal = filter_ @ signal


def test_a_sample_of_all_nodes_is_no_sample() -> None:
    A = Operator.from_edge_index(torch.randint(0, 50, (2, 150), generator=torch.Generator().manual_seed(0)))
    x = torch.randn(50, 3, generator=torch.Generator().manual_seed(1))
    A = A.symmetrized()
    assert smoothing_curve(A, x, 3, sample=50) == smoothing_curve(A, x, 3)
