"""The pattern holds the given edges and the candidates, both ways, and the diagonal: nothing else."""

from __future__ import annotations

import torch

from allpass.graph import Operator
from allpass.nn.adjacency.pattern import CandidateGraph, without_loops


def scene() -> tuple[CandidateGraph, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    A = torch.rand(15, 15, generator=generator) * (torch.rand(15, 15, generator=generator) > 0.8)
    chosen = torch.full((15, 4), -1)
    for i in range(14):  # the last node has none
        others = [j for j in range(15) if j != i and A[i, j] == 0]
        order = torch.randperm(len(others), generator=generator)[: i % 5]
        chosen[i, : len(order)] = torch.tensor(others)[order]
    given = Operator.from_edge_index(A.T.nonzero().T, A.T[A.T != 0], 15)
    return CandidateGraph.of(given, chosen), A, chosen


def test_its_places_weights_and_mirror() -> None:
    graph, A, chosen = scene()
    A = A - torch.diag(A.diagonal())
    wanted = A != 0
    for i, row in enumerate(chosen.tolist()):
        for j in row:
            if j >= 0:
                wanted[i, j] = True
    wanted = wanted | wanted.T | torch.eye(15, dtype=torch.bool)
    assert torch.equal(Operator(graph.pattern, torch.ones(graph.pattern.nnz)).to_dense() != 0, wanted)
    torch.testing.assert_close(Operator(graph.pattern, graph.weights).to_dense(), A)
    rows, cols = graph.pattern.row, graph.pattern.col.long()
    assert torch.equal(rows[graph.mirrored], cols)
    assert torch.equal(cols[graph.mirrored], rows)
    assert torch.equal(rows[graph.loops], torch.arange(15))
    assert torch.equal(cols[graph.loops], torch.arange(15))
    for i, row in enumerate(chosen.tolist()):
        for place, j in zip(graph.places[i].tolist(), row, strict=True):
            assert j < 0 or (int(rows[place]), int(cols[place])) == (i, j)


def test_long_rows_hold_every_entry_of_theirs_once() -> None:
    graph, _, _ = scene()
    lengths = graph.pattern.crow.diff()
    for keep in (1, 2, 3, 5):
        seen = torch.cat([rows for rows, _ in graph.long_rows(keep)] or [torch.empty(0, dtype=torch.int64)])
        assert sorted(seen.tolist()) == (lengths > keep + 1).nonzero().flatten().tolist()
        for rows, entries in graph.long_rows(keep):
            for row, line in zip(rows.tolist(), entries, strict=True):
                inside = line[line < graph.pattern.nnz]
                assert torch.equal(inside, (graph.pattern.row == row).nonzero().flatten())


def test_self_loops_of_the_given_graph_are_left_out() -> None:
    graph, A, _ = scene()
    assert (A.diagonal() != 0).any()
    assert (graph.given.diagonal == 0).all()
    assert without_loops(graph.given) is graph.given
