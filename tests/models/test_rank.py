"""Figure 1 of the report, small and at full size, and its theorems 1 and 2, as numbers."""

from __future__ import annotations

from functools import cache

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from allpass.errors import InputError
from allpass.graph import Operator, components, matrix
from allpass.models import hidden_ranks

LAYERS = (1, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 100)
RANKS = {  # of G(1000, 0.01) with 128 columns, after the layers above; computed independently
    ("gcn", "relu"): (128, 88, 68, 66, 58, 34, 17, 7, 2, 1, 1, 1),
    ("gcn", "identity"): (128, 128, 125, 112, 93, 57, 32, 15, 3, 1, 1, 1),
    ("gcn", "tanh"): (128, 128, 128, 122, 122, 128, 127, 123, 126, 127, 124, 123),
    ("snowball", "relu"): (128, 87, 64, 60, 67, 70, 30, 11, 2, 1, 1, 1),
    ("snowball", "identity"): (128, 128, 128, 128, 128, 95, 40, 15, 5, 1, 1, 1),
    ("snowball", "tanh"): (128, 128, 128, 128, 128, 128, 128, 128, 127, 127, 125, 122),
    ("krylov", "relu"): (128, 114, 83, 65, 58, 55, 66, 59, 25, 10, 3, 1),
    ("krylov", "identity"): (128, 128, 128, 128, 128, 128, 128, 110, 47, 19, 7, 1),
    ("krylov", "tanh"): (128, 128, 128, 128, 128, 128, 125, 128, 128, 128, 128, 127),
}


def connected_graph(nodes: int, p: float, features: int) -> tuple[Tensor, Operator]:
    """The first connected one of the random graphs G(nodes, p), and normal features divided by their row sums."""
    for seed in range(100):
        A = Operator.from_networkx(nx.gnp_random_graph(nodes, p, seed=seed), dtype=torch.float64)
        if components(A).count == 1:
            break
    x = torch.randn(nodes, features, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return x / x.sum(1, keepdim=True), A


@cache
def small_ranks(architecture: str, activation: str) -> list[int]:
    x, A = connected_graph(200, 0.05, 64)
    return hidden_ranks(architecture, activation, x, A, depth=100, width=24)


@pytest.mark.parametrize("architecture", ["gcn", "snowball", "krylov"])
def test_tanh_keeps_rank_and_relu_loses_it(architecture: str) -> None:
    relu, identity, tanh = (small_ranks(architecture, f) for f in ("relu", "identity", "tanh"))
    assert relu[0] == identity[0] == tanh[0] == 24
    assert min(tanh) >= 18  # three quarters
    assert relu[9] <= 18 < identity[9]
    assert sum(relu) < sum(identity) < sum(tanh)
    assert relu[-1] == identity[-1] == 1  # as many as there are components


def test_what_reads_more_scales_loses_rank_later() -> None:
    gcn, snowball, krylov = (sum(small_ranks(name, "identity")) for name in ("gcn", "snowball", "krylov"))
    assert gcn < snowball < krylov


@pytest.mark.slow
@pytest.mark.parametrize(("architecture", "activation"), RANKS)
def test_the_figure_at_full_size(architecture: str, activation: str) -> None:
    x, A = connected_graph(1000, 0.01, 500)
    ranks = hidden_ranks(architecture, activation, x, A)
    found = [ranks[number - 1] for number in LAYERS]
    # One draw of weights against another: where the curves are steep, draws differ by up to about 17.
    assert found == pytest.approx(RANKS[architecture, activation], abs=20)
    if activation != "tanh":
        assert found[-1] == 1


def test_the_same_seed_gives_the_same_ranks_and_sparse_features_too() -> None:
    x, A = connected_graph(60, 0.1, 20)
    first, again, sparse, other = (
        hidden_ranks("snowball", "relu", features, A, depth=20, width=16, seed=seed)
        for features, seed in ((x, 0), (x, 0), (x.to_sparse_csr(), 0), (x, 1))
    )
    assert first == again == sparse != other


def test_it_says_what_it_cannot_compute() -> None:
    x, A = connected_graph(20, 0.3, 8)
    with pytest.raises(InputError, match="architecture 'gat'"):
        hidden_ranks("gat", "relu", x, A)
    with pytest.raises(InputError, match="too large for float64 after"):
        hidden_ranks("gcn", "identity", x, A, depth=400, width=128)


@settings(max_examples=20)
@given(
    sizes=st.lists(st.integers(3, 12), min_size=1, max_size=4),
    seed=st.integers(0, 2**16),
    permute=st.booleans(),
)
def test_theorem_1_as_many_features_as_components_are_left(
    sizes: list[int], seed: int, permute: bool
) -> None:
    generator = torch.Generator().manual_seed(seed)
    graph = nx.Graph()
    for number, size in enumerate(sizes):  # a triangle in every component: none is bipartite
        part = nx.gnp_random_graph(size, 0.6, seed=seed + number)
        part.add_edges_from((v, (v + 1) % size) for v in range(size))
        part.add_edge(0, 2)
        graph = nx.disjoint_union(graph, part)
    A = matrix(Operator.from_networkx(graph, dtype=torch.float64), "A_hat_sym")
    F = len(sizes) + 3
    Y = torch.randn(len(graph), F, generator=generator, dtype=torch.float64)
    for _ in range(300):
        if permute:  # of norm 1, and mixes nothing: the case in which most is left
            W = torch.eye(F, dtype=torch.float64)[torch.randperm(F, generator=generator)]
        else:
            W = torch.rand(F, F, generator=generator, dtype=torch.float64)
            W = W / W.norm()  # no smaller than the spectral norm
        Y = A @ (torch.relu(Y) @ W)
        Y = Y / Y.abs().max().clamp(
            min=1e-300
        )  # ReLU commutes with a factor above 0, so the rank is the same
    assert torch.linalg.matrix_rank(Y) <= len(sizes)


def test_theorem_1_is_sharp() -> None:
    graph = nx.disjoint_union_all([nx.complete_graph(size) for size in (3, 4, 5)])
    A = matrix(Operator.from_networkx(graph, dtype=torch.float64), "A_hat_sym")
    Y = torch.rand(12, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for _ in range(200):
        Y = A @ torch.relu(Y)
    assert torch.linalg.matrix_rank(Y) == 3


PAIRS = st.tuples(st.integers(2, 50), st.integers(0, 2**32 - 1))


def drawn(n: int, seed: int) -> Tensor:
    return torch.randn(n, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@given(pair=PAIRS)
def test_theorem_2_tanh_keeps_two_vectors_independent(pair: tuple[int, int]) -> None:
    xy = drawn(*pair)
    assert torch.linalg.matrix_rank(torch.tanh(xy)) == torch.linalg.matrix_rank(xy) == 2


@given(pair=PAIRS, factor=st.sampled_from([-3.0, 0.5, 2.0]))
def test_tanh_even_parts_two_parallel_vectors(pair: tuple[int, int], factor: float) -> None:
    # tanh(c t) / tanh(t) is strictly monotone in |t| unless c is 0, 1 or -1, so the columns cannot stay parallel.
    x = drawn(*pair)[:, :1]
    parallel = torch.cat([x, factor * x], dim=1)
    assert torch.linalg.matrix_rank(parallel) == 1
    assert torch.linalg.matrix_rank(torch.tanh(parallel)) == 2
    if factor > 0:
        assert torch.linalg.matrix_rank(torch.relu(parallel)) <= 1  # ReLU commutes with the factor
