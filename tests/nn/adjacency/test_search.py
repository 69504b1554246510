"""Search in blocks equals brute force; approximate search finds nearly the same; neighbours are never found."""

from __future__ import annotations

import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from allpass.errors import InputError, MissingExtraError
from allpass.graph import Operator
from allpass.nn.adjacency import search
from allpass.nn.adjacency.search import approximate, exact, joined, largest, most_similar


def brute_force(z: Tensor, given: Operator, k: int) -> Tensor:
    S = z @ z.T
    S[given.to_dense() != 0] = -torch.inf
    S.fill_diagonal_(-torch.inf)
    best, index = S.sort(dim=1, descending=True, stable=True)
    index = torch.where(best > -torch.inf, index, -1)[:, :k]
    return torch.cat([index, index.new_full((len(z), k - index.shape[1]), -1)], dim=1)


def scene(nodes: int, seed: int, density: float = 0.1) -> tuple[Tensor, Operator]:
    generator = torch.Generator().manual_seed(seed)
    A = torch.rand(nodes, nodes, generator=generator) < density
    z = torch.randn(nodes, 6, generator=generator, dtype=torch.float64)
    return z, Operator.from_edge_index(A.nonzero().T, num_nodes=nodes, dtype=torch.float64)


@settings(max_examples=20, deadline=None)
@given(nodes=st.integers(2, 40), k=st.integers(1, 12), seed=st.integers(0, 99), block=st.integers(1, 400))
def test_blocks_equal_brute_force(nodes: int, k: int, seed: int, block: int) -> None:
    z, graph = scene(nodes, seed, density=0.3)
    was, search._BLOCK = search._BLOCK, block
    try:
        assert torch.equal(exact(z, graph, k), brute_force(z, graph, k))
    finally:
        search._BLOCK = was


@pytest.mark.parametrize("width", [3, 700, 1000, 1283])
def test_the_largest_of_long_rows(width: int) -> None:
    scores = torch.randn(7, width, generator=torch.Generator().manual_seed(width))
    values, index = largest(scores, 5)
    wanted = scores.sort(dim=1, descending=True).values[:, :5]
    assert torch.equal(values[:, : wanted.shape[1]], wanted)
    assert torch.equal(scores.gather(1, index[:, : wanted.shape[1]]), wanted)
    assert (values[:, wanted.shape[1] :] == -torch.inf).all()


def test_long_rows_of_a_graph() -> None:
    z, graph = scene(900, 0)
    assert torch.equal(exact(z, graph, 4), brute_force(z, graph, 4))
    some = torch.tensor([899, 3, 17])
    assert torch.equal(exact(z, graph, 4, nodes=some), brute_force(z, graph, 4)[some])


def test_approximate_search_has_a_recall_of_nine_tenths() -> None:
    pytest.importorskip("faiss")
    generator = torch.Generator().manual_seed(0)
    centres = 2 * torch.randn(10, 16, generator=generator)
    z = centres[torch.randint(10, (4000,), generator=generator)] + torch.randn(4000, 16, generator=generator)
    z = torch.nn.functional.normalize(z)
    graph = Operator.from_edge_index(torch.randint(4000, (2, 8000), generator=generator), num_nodes=4000)
    found, wanted = approximate(z, graph, 20), exact(z, graph, 20)
    assert ((found.unsqueeze(2) == wanted.unsqueeze(1)).any(2)).double().mean() >= 0.9
    own = torch.arange(4000).unsqueeze(1)
    assert not (joined(own, found.clamp(min=0), graph) & (found >= 0)).any()
    assert (found != own).all()
    assert torch.equal(found, approximate(z, graph, 20))


def test_joined() -> None:
    _, graph = scene(12, 3)
    rows, columns = torch.arange(12).unsqueeze(1), torch.arange(12)
    assert torch.equal(joined(rows, columns, graph), graph.to_dense() != 0)
    empty = Operator.from_edge_index(torch.zeros(2, 0, dtype=torch.int64), num_nodes=12)
    assert not joined(rows, columns, empty).any()


def test_the_extra_is_named_where_it_is_missing(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    z, graph = scene(5, 0)
    with pytest.raises(MissingExtraError, match=r"pip install 'allpass\[ann\]'"):
        most_similar(z, graph, 1, "approximate")
    with pytest.raises(InputError, match="Got search = 'nearest'"):
        most_similar(z, graph, 1, "nearest")  # type: ignore[arg-type]
