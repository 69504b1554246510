from __future__ import annotations

import networkx as nx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import Graph, graphs
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import (
    LinearMap,
    Operator,
    fourier_basis,
    matrix,
    signal_density,
    spectral_density,
    spectral_extremes,
)
from allpass.graph.spectrum import default_probes

LAPLACIANS = ("L", "L_rw", "L_sym", "L_hat_rw", "L_hat_sym")


def network(graph: nx.Graph) -> Operator:
    return Operator.from_networkx(graph, dtype=torch.float64)


def randn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@given(graphs(directed=False), st.sampled_from(LAPLACIANS))
def test_the_fourier_basis_diagonalises_inverts_and_keeps_energy(graph: Graph, name: str) -> None:
    A, x = graph.operator(), graph.x
    basis = fourier_basis(A, name)
    L = matrix(A, name).to_dense()
    torch.testing.assert_close(L @ basis.vectors, basis.vectors * basis.frequencies, rtol=0, atol=1e-10)
    assert bool((basis.frequencies.diff() >= 0).all())
    torch.testing.assert_close(basis.synthesize(basis.transform(x)), x, rtol=0, atol=1e-11)
    torch.testing.assert_close(basis.transform(basis.synthesize(x)), x, rtol=0, atol=1e-11)
    if not name.endswith("rw"):
        torch.testing.assert_close(basis.transform(x).square().sum(), x.square().sum())  # Parseval
        energy = (basis.frequencies.unsqueeze(1) * basis.transform(x).square()).sum()
        torch.testing.assert_close(energy, (x * (L @ x)).sum(), rtol=1e-10, atol=1e-10)


@given(graphs(directed=False, min_nodes=1))
def test_the_random_walk_basis_is_the_symmetric_one_by_root_degrees(graph: Graph) -> None:
    A = graph.operator()
    rw, sym = fourier_basis(A, "L_hat_rw"), fourier_basis(A, "L_hat_sym")
    root = (A.row_sums + 1).sqrt().unsqueeze(1)
    torch.testing.assert_close(rw.frequencies, sym.frequencies)
    torch.testing.assert_close(rw.vectors, sym.vectors / root)


def test_one_dimensional_signals_and_single_precision_graphs() -> None:
    basis = fourier_basis(Operator.from_networkx(nx.path_graph(5)))
    x = randn(5)
    torch.testing.assert_close(basis.synthesize(basis.transform(x)), x)


def test_the_fourier_basis_refuses() -> None:
    with pytest.raises(InputError, match=r"directed graph.*symmetrized"):
        fourier_basis(Operator.from_edge_index(torch.tensor([[0], [1]])))
    with pytest.raises(InputError, match=r"11 nodes.*up to 10.*raise limit"):
        fourier_basis(network(nx.path_graph(11)), limit=10)


EXTREME_CASES = {
    "connected": nx.gnp_random_graph(300, 0.05, seed=0),
    "many components": nx.gnp_random_graph(300, 0.005, seed=1),
    "bipartite": nx.bipartite.random_graph(100, 120, 0.05, seed=2),
    "clustered": nx.random_partition_graph([100, 100, 100], 0.1, 0.002, seed=3),
    "one edge": nx.Graph([(0, 1)]),
    "no edge": nx.Graph(),
}
for _name in ("one edge", "no edge"):
    EXTREME_CASES[_name].add_nodes_from(range(200))


@pytest.mark.parametrize("case", EXTREME_CASES)
@pytest.mark.parametrize("name", ["A_sym", "A_hat_sym", "L_hat_sym"])
def test_extremes_equal_the_dense_ones_with_multiplicity(case: str, name: str) -> None:
    op = matrix(network(EXTREME_CASES[case]), name)
    values = torch.linalg.eigvalsh(op.to_dense())
    low, high = spectral_extremes(op, 4)
    torch.testing.assert_close(low, values[:4], rtol=0, atol=1e-9)
    torch.testing.assert_close(high, values[-4:], rtol=0, atol=1e-9)


def test_extremes_of_a_small_map_are_exact_and_of_its_own_number() -> None:
    op: LinearMap = matrix(network(nx.path_graph(3)), "L_sym")
    low, high = spectral_extremes(op, 2)
    torch.testing.assert_close(low, torch.tensor([0.0, 1.0], dtype=torch.float64), rtol=0, atol=1e-12)
    torch.testing.assert_close(high, torch.tensor([1.0, 2.0], dtype=torch.float64), rtol=0, atol=1e-12)
    assert spectral_extremes(op, 6)[0].shape == (3,)


def test_extremes_repeat_themselves() -> None:
    op = matrix(network(EXTREME_CASES["connected"]), "A_hat_sym")
    assert all(torch.equal(a, b) for a, b in zip(spectral_extremes(op), spectral_extremes(op), strict=True))


def test_extremes_refuse() -> None:
    A = network(nx.path_graph(5))
    with pytest.raises(InputError, match="k = 0"):
        spectral_extremes(A, 0)


def kolmogorov(one: Tensor, two: Tensor) -> float:
    return float((one.cumsum(0) - two.cumsum(0)).abs().max())


# Jackson's kernel of K moments smears an eigenvalue over pi / K in angle, so a cumulative share may move what lies
# within one smear of a bin's edge to its other side, plus the sampling error of the probes.
SMOOTH_CASES = {
    "random": nx.gnp_random_graph(400, 0.03, seed=0),
    "preferential": nx.barabasi_albert_graph(400, 4, seed=0),
    "clusters": nx.random_partition_graph([150, 150], 0.08, 0.01, seed=0),
}


@pytest.mark.parametrize("case", SMOOTH_CASES)
def test_estimated_densities_are_near_the_exact_ones(case: str) -> None:
    A = network(SMOOTH_CASES[case])
    edges, exact = spectral_density(A, 20)
    same, estimate = spectral_density(A, 20, exact_limit=0, moments=200, probes=32)
    assert torch.equal(edges, same)
    assert kolmogorov(exact, estimate) < 0.04
    x = torch.cat([randn(400, 2)[: A.shape[0]], A @ torch.ones(A.shape[0], 1, dtype=torch.float64)], dim=1)
    exact, estimate = signal_density(A, x, 20)[1], signal_density(A, x, 20, exact_limit=0, moments=200)[1]
    # No sampling here, but one eigenvector (the largest, at frequency 0) may hold most of the energy.
    assert kolmogorov(exact[1:], estimate[1:]) < 0.05
    for share in (exact, estimate):
        assert float(share.sum()) == pytest.approx(1, abs=1e-12)
        assert float(share.min()) >= 0


@given(graphs(directed=False, min_nodes=1))
def test_exact_shares_count_eigenvalues_and_energy(graph: Graph) -> None:
    A = graph.operator()
    basis = fourier_basis(A)
    places = (basis.frequencies.round(decimals=9) * 5).floor().long().clamp(0, 9)
    edges, share = spectral_density(A, 10)
    torch.testing.assert_close(edges, torch.linspace(0, 2, 11, dtype=torch.float64))
    torch.testing.assert_close(share, torch.bincount(places, minlength=10).double() / graph.num_nodes)
    energy = basis.transform(graph.x).square().sum(1)
    want = torch.zeros(10, dtype=torch.float64).index_add(0, places, energy)
    want = want / want.sum() if want.sum() > 0 else want
    torch.testing.assert_close(signal_density(A, graph.x, 10)[1], want, rtol=0, atol=1e-9)


@given(graphs(directed=False, min_nodes=1))
def test_estimates_always_sum_to_one(graph: Graph) -> None:
    A = graph.operator()
    assert float(spectral_density(A, 7, exact_limit=0)[1].sum()) == pytest.approx(1, abs=1e-12)
    total = float(signal_density(A, graph.x, 7, exact_limit=0)[1].sum())
    assert total == pytest.approx(float(bool(graph.x.any())), abs=1e-12)


def test_a_pure_frequency_lies_in_its_bin() -> None:
    A = network(nx.cycle_graph(60))
    basis = fourier_basis(A)
    for k in (0, 20, 59):
        for exact_limit in (0, 2000):
            _, share = signal_density(A, basis.vectors[:, k], 10, exact_limit=exact_limit, moments=400)
            bin_of_k = min(int(basis.frequencies[k] * 5 + 1e-9), 9)
            assert float(share[bin_of_k]) > 0.9


@pytest.mark.parametrize("moments", [1, 2, 3, 10])
def test_any_number_of_moments(moments: int) -> None:
    share = spectral_density(network(nx.path_graph(6)), 4, exact_limit=0, moments=moments)[1]
    assert float(share.sum()) == pytest.approx(1)


def test_densities_of_nothing_are_zero() -> None:
    empty = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64))
    assert spectral_density(empty, 3)[1].tolist() == [0, 0, 0]
    assert signal_density(network(nx.path_graph(3)), torch.zeros(3, 2), 3)[1].tolist() == [0, 0, 0]
    assert signal_density(network(nx.path_graph(3)), torch.zeros(3, 2), 3, exact_limit=0)[1].tolist() == [
        0,
        0,
        0,
    ]


def test_densities_refuse_directed_graphs() -> None:
    A = Operator.from_edge_index(torch.tensor([[0], [1]]))
    with pytest.raises(InputError, match="directed"):
        spectral_density(A)
    with pytest.raises(InputError, match="directed"):
        signal_density(A, torch.ones(2))


@pytest.mark.gpu
def test_cuda_equals_cpu() -> None:
    A = network(SMOOTH_CASES["random"])
    far, x = A.to("cuda"), randn(400, 2)
    for limit in (0, 2000):
        here = spectral_density(A, exact_limit=limit)[1]
        torch.testing.assert_close(spectral_density(far, exact_limit=limit)[1], here, rtol=0, atol=1e-6)
        here = signal_density(A, x, exact_limit=limit)[1]
        torch.testing.assert_close(
            signal_density(far, x.cuda(), exact_limit=limit)[1], here, rtol=0, atol=1e-6
        )
    for one, two in zip(
        spectral_extremes(matrix(A, "A_sym")), spectral_extremes(matrix(far, "A_sym")), strict=True
    ):
        torch.testing.assert_close(two.cpu(), one, rtol=0, atol=1e-9)


def test_fewer_signals_are_enough_on_a_larger_graph() -> None:
    """The default number of random signals errs no more on 100,000 nodes than 16 of them do on 25,000."""
    for N in (25_000, 100_000):
        ring = torch.arange(N)
        A = Operator.from_edge_index(torch.stack([ring, ring.roll(1)])).symmetrized()
        _, found = spectral_density(A, 10)
        k = torch.arange(N, dtype=torch.float64)
        exact = torch.histc(2 / 3 - 2 / 3 * torch.cos(2 * torch.pi * k / N), 10, 0, 2) / N
        assert (found - exact).abs().max() < 0.03
        assert N * default_probes(N) >= 400_000
