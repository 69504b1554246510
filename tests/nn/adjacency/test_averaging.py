"""Positions averaged over the nearest candidates: the formula, its gradient, and what it does to the graph."""

from __future__ import annotations

import torch
from tests.nn.adjacency.test_learner import A, X, learner
from torch import Tensor

from allpass.nn.adjacency import AdjacencyLearner
from allpass.nn.adjacency.search import exact


def averaged(z: Tensor, candidates: Tensor, heads: int, keep: int, times: int) -> Tensor:
    """The same on dense matrices; candidates are a bool matrix."""
    for _ in range(times):
        scores = torch.where(candidates, z @ z.T, -torch.inf).detach()
        near = scores >= scores.topk(keep, dim=1).values[:, -1:]
        moved = z + (near / near.sum(1, keepdim=True)).to(z) @ z
        parts = [part / part.norm(dim=1, keepdim=True) for part in moved.chunk(heads, dim=1)]
        z = torch.cat(parts, dim=1) * heads**-0.5
    return z


def test_averaged_positions_equal_the_dense_formula_with_their_gradient() -> None:
    made = learner(averaging=2, heads=3).double().eval()
    x = X.double()
    graph = made.refresh(x, A, epoch=0)
    assert graph is not None
    rows, cols = graph.pattern.row, graph.pattern.col.long()
    candidates = torch.zeros(120, 120, dtype=torch.bool)
    candidates[rows, cols] = rows != cols
    z = averaged(made.positions(x, A), candidates, 3, made.k2, 2)
    found, wanted = made._scores(x, graph), (z @ z.T)[rows, cols]
    torch.testing.assert_close(found, wanted)
    weight = torch.randn(len(wanted), generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    slopes = [torch.autograd.grad(scores.dot(weight), made.heads.weight)[0] for scores in (found, wanted)]
    torch.testing.assert_close(*slopes)


def test_averaged_positions_choose_the_next_candidates() -> None:
    made = learner(averaging=1, every=1).eval()
    first = made.refresh(X, A, epoch=0)
    second = made.refresh(X, first, epoch=1)
    assert first is not None
    assert second is not None
    with torch.no_grad():
        z = made._moved(made.positions(X, A), first)
    assert torch.equal(second.chosen, exact(z, second.given, made.k1))
    assert not torch.equal(second.chosen, first.chosen)
    pretrained = learner(averaging=1, momentum=1.0).eval()
    first = pretrained.refresh(X, A, epoch=0)
    assert pretrained.refresh(X, first, epoch=10) is not None  # its candidates move on too


def test_averaging_joins_more_nodes_of_one_cluster() -> None:
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(600) % 30
    x = 1.5 * torch.randn(30, 16, generator=generator)[y] + torch.randn(600, 16, generator=generator)
    nothing = torch.zeros(2, 0, dtype=torch.int64)
    shares = []
    for times in (0, 2):
        torch.manual_seed(0)
        made = AdjacencyLearner(16, base="features", k1=20, k2=10, averaging=times).eval()
        found = made.learned(x, nothing)
        shares.append(float((y[found.pattern.row] == y[found.pattern.col.long()]).double().mean()))
    assert shares[1] > shares[0] + 0.05
