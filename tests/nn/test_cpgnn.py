"""Compatibility: how it begins, what labels show of it, and the propagation it steers."""

from __future__ import annotations

import pytest
import torch
from torch.func import vmap

from allpass.errors import InputError
from allpass.graph import Operator
from allpass.nn import CompatibilityConv
from allpass.nn.cpgnn import estimate_compatibility, sinkhorn
from allpass.testing import examples


def test_it_begins_knowing_nearly_nothing() -> None:
    H = CompatibilityConv(4).compatibility
    torch.testing.assert_close(H.sum(0), torch.zeros(4), atol=1e-7, rtol=0)
    torch.testing.assert_close(H, H.T)
    assert H.abs().max() < 0.1


def test_full_homophily_is_the_adjacency_alone() -> None:
    """With H = I each step is B_0 + A B, the paper's way back to the graph convolution."""
    example = examples()[1]
    conv = CompatibilityConv(5, num_layers=3).double()
    with torch.no_grad():
        conv.compatibility.copy_(torch.eye(5))
    A, X = example.dense, example.x
    wanted = X + A @ X + A @ A @ X + A @ A @ A @ X
    torch.testing.assert_close(conv(X, example.operator), wanted)


def test_labels_show_who_links_with_whom() -> None:
    """A bipartite graph: its classes link with each other, and only a third of the labels are known."""
    left, right = torch.meshgrid(torch.arange(3), torch.arange(3, 6), indexing="ij")
    edges = torch.stack([left.flatten(), right.flatten()])
    A = Operator.from_edge_index(torch.cat([edges, edges.flip(0)], dim=1))
    labels = torch.tensor([0, 0, 0, 1, 1, 1])
    mask = torch.tensor([True, False, False, True, False, False])
    found = estimate_compatibility(torch.full((6, 2), 0.5), A, labels, mask)
    assert (found.diagonal() < -0.1).all()
    assert (found.fliplr().diagonal() > 0.1).all()
    torch.testing.assert_close(found.sum(1), torch.zeros(2), atol=1e-5, rtol=0)


def test_it_estimates_for_many_masks_at_once() -> None:
    example = examples()[0]
    beliefs = torch.softmax(example.x[:, :3], dim=1)
    masks = torch.stack([example.mask, ~example.mask])
    found = vmap(lambda mask: estimate_compatibility(beliefs, example.operator, example.y, mask))(masks)
    for row, mask in zip(found, masks, strict=True):
        torch.testing.assert_close(row, estimate_compatibility(beliefs, example.operator, example.y, mask))


@pytest.mark.parametrize("kind", ["random", "zero", "a missing class"])
def test_rows_and_columns_are_scaled_to_one(kind: str) -> None:
    M = torch.rand(4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    if kind != "random":
        M[1 if kind == "a missing class" else slice(None)] = 0
    S = sinkhorn(M)
    torch.testing.assert_close(S.sum(0), torch.ones(4, dtype=torch.float64))
    torch.testing.assert_close(S.sum(1), torch.ones(4, dtype=torch.float64), atol=1e-6, rtol=0)


def test_at_least_one_step() -> None:
    with pytest.raises(InputError, match="num_layers = 0"):
        CompatibilityConv(3, num_layers=0)
