from __future__ import annotations

import pytest
import torch
from torch import Tensor

from allpass.errors import InputError, UnknownNameError
from allpass.graph import Operator
from allpass.nn import GeomConv

# A rectangle, a little higher than wide, and a node far away that is joined to its first corner.
PLACES = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.1], [1.0, 1.1], [9.0, 9.0]])
EDGES = torch.tensor([[0, 4, 0, 1], [4, 0, 1, 0]])


def layer(**options) -> GeomConv:
    return GeomConv(5, 5, embedding=lambda A: PLACES, **options)


def maps(**options) -> Tensor:
    """The map of every relation, read off by features that name the nodes."""
    conv = layer(merge="concat", **options)
    with torch.no_grad():
        conv.weight.copy_(torch.eye(5).repeat(1, conv.num_relations))
        out = conv(torch.eye(5), EDGES)
    return out.reshape(5, conv.num_relations, 5).transpose(0, 1)


def entries(M: Tensor) -> set[tuple[int, int]]:
    return {(v, u) for v, u in M.nonzero().tolist()}


def test_relations_by_hand() -> None:
    # two undirected edges, so the two nearest pairs are latent: 0-1 and 2-3, at distance 1
    wanted = [set() for _ in range(9)]
    wanted[1] = {(0, 4)}  # in the graph: 4 lies to the upper right of 0
    wanted[2] = {(4, 0)}
    wanted[4] = {(1, 0), (3, 2)}  # in the plane, to the left; the same height counts as upper
    wanted[5] = {(0, 1), (2, 3)}
    wanted[8] = {(i, i) for i in range(5)}
    assert [entries(M) for M in maps()] == wanted


def test_degrees_are_those_of_the_joint_graph() -> None:
    joint = maps().sum(0)
    there = (joint > 0).float()
    half = there.sum(1).rsqrt()
    torch.testing.assert_close(joint, half[:, None] * there * half[None, :])


def test_the_paper_counts_common_neighbours_twice_and_nobody_is_its_own() -> None:
    found = maps(self_relation=False, overlap="both", degrees="graph")
    assert len(found) == 8
    assert entries(found[1]) == {(0, 4), (0, 1)}
    assert entries(found[5]) == {(0, 1)}  # 2 and 3 have no neighbour in the graph: degree 0
    torch.testing.assert_close(found[1][0, 1], torch.tensor(2.0).rsqrt())


def test_merges_agree() -> None:
    torch.manual_seed(0)
    x = torch.randn(5, 5)
    wide, total, mean = (layer(merge=merge) for merge in ("concat", "sum", "mean"))
    for other in (total, mean):
        other.load_state_dict(wide.state_dict())
    parts = wide(x, EDGES).reshape(5, 9, 5)
    torch.testing.assert_close(total(x, EDGES), parts.sum(1))
    torch.testing.assert_close(mean(x, EDGES), parts.mean(1))


@pytest.mark.parametrize("merge", ["concat", "sum", "mean"])
def test_one_weight_for_all_is_nine_equal_ones(merge: str) -> None:
    shared, own = layer(merge=merge, shared=True), layer(merge=merge)
    with torch.no_grad():
        own.weight.copy_(shared.weight.repeat(1, 9))
    x = torch.randn(5, 5)
    torch.testing.assert_close(shared(x, EDGES), own(x, EDGES))


def test_parameter_counts() -> None:
    assert GeomConv(7, 4).weight.shape == (7, 36)
    assert GeomConv(7, 4, self_relation=False).weight.shape == (7, 32)
    assert GeomConv(7, 4, shared=True).weight.shape == (7, 4)


@pytest.mark.parametrize("embedding", ["isomap", "mds", "poincare", "struc2vec"])
def test_embeddings_by_name(embedding: str) -> None:
    out = GeomConv(5, 3, embedding=embedding)(torch.ones(5, 5), EDGES)
    assert out.shape == (5, 3)
    assert out.isfinite().all()


def test_positions_are_computed_once_for_a_graph() -> None:
    asked = []

    def embedding(A: Operator) -> Tensor:
        asked.append(A)
        return PLACES

    A = Operator.from_edge_index(EDGES)
    for _ in range(2):
        conv = GeomConv(5, 3, embedding=embedding)
        conv(torch.ones(5, 5), A)
        conv(torch.ones(5, 5), A)
    assert len(asked) == 1


def test_bad_positions_are_named() -> None:
    conv = GeomConv(5, 3, embedding=lambda A: torch.zeros(4, 2))
    with pytest.raises(InputError, match=r"shape \[4, 2\] for 5 nodes"):
        conv(torch.ones(5, 5), EDGES)


@pytest.mark.parametrize(
    "options",
    [{"merge": "max"}, {"overlap": "none"}, {"degrees": "latent"}],
    ids=["merge", "overlap", "degrees"],
)
def test_bad_options_are_named(options: dict[str, str]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        GeomConv(5, 3, **options)
    with pytest.raises(UnknownNameError, match="isomap"):
        GeomConv(5, 3, embedding="isomp")
