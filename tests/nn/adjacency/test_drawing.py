"""Nodes drawn from the complement: different, no neighbours, never the node itself, all equally likely."""

from __future__ import annotations

import pytest
import torch

from allpass.graph import Operator
from allpass.nn.adjacency.candidates import Sampled, build_candidates
from allpass.nn.adjacency.drawing import first_different, random_nodes, similarities
from allpass.nn.adjacency.search import joined
from allpass.nn.adjacency.selection import Selection


@pytest.mark.parametrize("nodes", [2, 12, 300])
def test_random_nodes(nodes: int) -> None:
    generator = torch.Generator().manual_seed(nodes)
    given = Operator.from_edge_index(
        torch.randint(nodes, (2, 2 * nodes), generator=generator), num_nodes=nodes
    )
    found = random_nodes(given, 5, generator)
    own = torch.arange(nodes).unsqueeze(1)
    assert (found != own).all()
    assert not (joined(own, found.clamp(min=0), given) & (found >= 0)).any()
    free = nodes - 1 - ((given.to_dense() != 0) & ~torch.eye(nodes, dtype=torch.bool)).sum(1)
    for row, left in zip(found.tolist(), free.tolist(), strict=True):
        real = [j for j in row if j >= 0]
        assert len(set(real)) == len(real) == min(5, left)


def test_every_node_of_the_complement_is_as_likely() -> None:
    given = Operator.from_edge_index(torch.tensor([[1], [0]]), num_nodes=6)
    generator = torch.Generator().manual_seed(0)
    drawn = torch.cat([random_nodes(given, 2, generator)[0] for _ in range(2000)])
    shares = torch.bincount(drawn, minlength=6) / 2000
    assert shares[:2].tolist() == [0.0, 0.0]
    assert (shares[2:] - 0.5).abs().max() < 0.05


def test_rows_without_what_stands_in_them_twice() -> None:
    rows = torch.tensor([[4, 4, 2, -1, 4, 0], [-1, -1, 1, 1, 1, 1]])
    assert first_different(rows, 3).tolist() == [[4, 2, 0], [1, -1, -1]]
    assert first_different(rows, 8).shape == (2, 8)


def test_similarities_of_rows(monkeypatch) -> None:
    monkeypatch.setattr("allpass.nn.adjacency.drawing._BLOCK", 8)
    z = torch.randn(6, 2)
    rows = torch.tensor([[1, -1], [0, 2], [3, 4], [5, 5], [0, 0], [2, -1]])
    wanted = torch.where(rows >= 0, (z @ z.T).gather(1, rows.clamp(min=0)), -torch.inf)
    torch.testing.assert_close(similarities(z, rows), wanted)


def test_sampled_candidates_keep_the_most_similar_half() -> None:
    z = torch.nn.functional.normalize(torch.randn(200, 4, generator=torch.Generator().manual_seed(0)))
    given = Operator.from_edge_index(torch.tensor([[0], [1]]), num_nodes=200)
    choosing = build_candidates("sampled")
    first = choosing.select(Selection(z, given, 6, seed=1))
    second = choosing.select(Selection(z, given, 6, 1, seed=1, before=first))
    for old, new in zip(first, second, strict=True):
        i = int((first == old).all(1).nonzero()[0])
        best = sorted(old.tolist(), key=lambda j, i=i: -float(z[i] @ z[j]))[:3]
        assert set(best) <= set(new.tolist())
    assert not torch.equal(first, second)
    assert torch.equal(first, Sampled().select(Selection(z, given, 6, seed=1)))
    assert not torch.equal(first, Sampled().select(Selection(z, given, 6, seed=2)))
