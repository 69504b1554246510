"""Autocorrelation against the definitions written out, every permutation of small graphs, and known graphs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.metrics import reference
from tests.metrics.cases import Case, cases

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.metrics import autocorrelation_test, gearys_c, morans_i, neighbour_correlation


def weights(case: Case, x: np.ndarray, row_normalize: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """W between the nodes whose number is known, without loops, and those numbers; by plain indexing."""
    known = ~np.isnan(x)
    W = np.array(reference.dense(reference.with_loops(reference.adjacency(case), "drop")), dtype=float)
    W = W.reshape(len(x), len(x))[np.ix_(known, known)]
    if row_normalize:
        W = np.array([row / row.sum() if row.sum() else row for row in W]).reshape(W.shape)
    return W, x[known]


@settings(max_examples=300)
@given(
    case=cases(),
    row_normalize=st.booleans(),
    numbers=st.lists(st.one_of(st.integers(-5, 5), st.just(math.nan)), min_size=9, max_size=9),
)
def test_equals_the_written_out_definitions(case: Case, row_normalize: bool, numbers: list[float]) -> None:
    x = np.array(numbers[: case.num_nodes], dtype=float)
    W, known = weights(case, x, row_normalize)
    options = {**case.options, "row_normalize": row_normalize}
    tensor = torch.from_numpy(x)
    found = morans_i(case.edge_index, tensor, **options), gearys_c(case.edge_index, tensor, **options)
    if len(known) < 2 or np.ptp(known) == 0 or W.sum() == 0:
        assert all(math.isnan(value) for value in found)
        assert math.isnan(neighbour_correlation(case.edge_index, tensor, **case.options))
        return
    assert found[0] == pytest.approx(reference.morans_i(W, known), abs=1e-10)
    assert found[1] == pytest.approx(reference.gearys_c(W, known), abs=1e-10)


@settings(max_examples=200)
@given(case=cases(), numbers=st.lists(st.integers(-5, 5), min_size=9, max_size=9))
def test_neighbour_correlation_equals_numpy(case: Case, numbers: list[int]) -> None:
    x = np.array(numbers[: case.num_nodes], dtype=float)
    W, _ = weights(case, x)
    joined = W.sum(axis=1) > 0 if len(x) else np.zeros(0, dtype=bool)
    means = np.array([W[v] @ x / W[v].sum() for v in np.flatnonzero(joined)])
    own = x[joined]
    assume(joined.any() and np.ptp(own) > 0 and np.ptp(means) > 1e-9)
    found = neighbour_correlation(case.edge_index, torch.from_numpy(x), **case.options)
    assert found == pytest.approx(np.corrcoef(own, means)[0, 1], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("row_normalize", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_mean_and_variance_are_those_of_all_permutations(
    seed: int, row_normalize: bool, directed: bool
) -> None:
    """Exact: every one of the 120 orders of five numbers, one of them far out, on a weighted graph."""
    rng = np.random.default_rng(seed)
    edge_index = torch.from_numpy(rng.integers(0, 5, (2, 8)))
    edge_weight = torch.from_numpy(rng.integers(1, 4, 8).astype(float))
    x = rng.standard_normal(5)
    x[0] = 8 if seed % 2 else x[0]
    options = {"edge_weight": edge_weight, "directed": directed, "row_normalize": row_normalize}
    for statistic in ("moran", "geary"):
        dealt = [
            autocorrelation_test(
                edge_index, torch.tensor(order, dtype=torch.float64), statistic, **options
            ).value
            for order in itertools.permutations(x.tolist())
        ]
        found = autocorrelation_test(edge_index, torch.from_numpy(x), statistic, **options)
        assert found.expected == pytest.approx(np.mean(dealt), abs=1e-10)
        assert found.deviation == pytest.approx(np.std(dealt), abs=1e-9)
        assert found.z == pytest.approx((found.value - np.mean(dealt)) / np.std(dealt), abs=1e-6)


def test_checkerboard_and_gradient() -> None:
    """On a grid of even sides a checkerboard is perfectly negative; a slope is nearly perfectly positive."""
    side = 20
    place = torch.arange(side * side).reshape(side, side)
    down = torch.stack([place[:-1].flatten(), place[1:].flatten()])
    across = torch.stack([place[:, :-1].flatten(), place[:, 1:].flatten()])
    edges = torch.cat([down, across], dim=1)
    row, column = place // side, place % side
    board = ((row + column) % 2).double().flatten()
    assert morans_i(edges, board) == pytest.approx(-1.0)
    assert neighbour_correlation(edges, board) == pytest.approx(-1.0)
    slope = (row + column).double().flatten()
    assert morans_i(edges, slope) > 0.94
    assert gearys_c(edges, slope) < 0.05
    noise = torch.randn(side * side, generator=torch.Generator().manual_seed(0))
    found = autocorrelation_test(edges, noise)
    assert abs(found.z) < 3
    assert found.expected == pytest.approx(-1 / (side * side - 1))


def test_scale_and_shift_change_nothing() -> None:
    edges = torch.randint(0, 50, (2, 150), generator=torch.Generator().manual_seed(1))
    x = torch.randn(50, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    for statistic in ("moran", "geary"):
        plain = autocorrelation_test(edges, x, statistic)
        moved = autocorrelation_test(edges, 3e6 * x + 1e9, statistic)
        assert moved.value == pytest.approx(plain.value, abs=1e-8)
        assert moved.deviation == pytest.approx(plain.deviation, abs=1e-8)


def test_an_operator_is_taken_as_it_is_and_a_column_is_a_vector() -> None:
    edges = torch.tensor([[0, 1, 2], [1, 2, 3]])
    A = Operator.from_edge_index(edges).symmetrized()
    x = torch.tensor([1.0, 2.0, 4.0, 3.0])
    assert morans_i(A, x) == morans_i(edges, x) == morans_i(edges, x.unsqueeze(1))


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (torch.ones(3), "numbers of shape"),
        (torch.ones(4, 2), "numbers of shape"),
        (torch.tensor([1.0, math.inf, 0, 0]), "infinite"),
    ],
)
def test_bad_numbers_are_refused(numbers: torch.Tensor, message: str) -> None:
    with pytest.raises(InputError, match=message):
        morans_i(torch.tensor([[0], [1]]), numbers, 4)


def test_too_few_nodes_have_no_deviation() -> None:
    found = autocorrelation_test(torch.tensor([[0, 1], [1, 2]]), torch.tensor([1.0, 2.0, 4.0]))
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert found.value == pytest.approx(reference.morans_i(path, np.array([1, 2, 4])))
    assert math.isnan(found.deviation)
    assert math.isnan(found.z)
    with pytest.raises(InputError, match="statistic='morran'"):
        autocorrelation_test(torch.tensor([[0], [1]]), torch.tensor([1.0, 2.0]), "morran")
