"""The layers of GCNII and GCNII* against PyG's and against the authors' code's formula."""

from __future__ import annotations

import math

import pytest
import torch
from torch_geometric.nn import GCN2Conv as PyGGCN2Conv

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.nn import GCN2Conv
from allpass.testing import examples

H_0 = torch.randn(13, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("weights", ["shared", "separate"])
@pytest.mark.parametrize("example", examples()[:2], ids=str)
def test_it_is_pygs(example, weights: str) -> None:
    ours = GCN2Conv(5, layer=3, alpha=0.2, theta=0.7, weights=weights).double()
    theirs = PyGGCN2Conv(5, alpha=0.2, theta=0.7, layer=3, shared_weights=weights == "shared").double()
    with torch.no_grad():
        theirs.weight1.copy_(ours.weight)
        if weights == "separate":
            theirs.weight2.copy_(ours.initial_weight)
    found = ours(example.x, example.edge_index, example.edge_weight, initial=H_0)
    torch.testing.assert_close(found, theirs(example.x, H_0, example.edge_index, example.edge_weight))


def test_the_authors_code_has_no_alpha_beside_the_separate_weights() -> None:
    example = examples()[0]
    conv = GCN2Conv(5, layer=2, alpha=0.3, theta=1.0, weights="separate-unscaled").double()
    beta = math.log(1.5)
    P = matrix(example.operator, "A_hat_sym") @ example.x
    both, W = torch.cat([P, H_0], dim=1), torch.cat([conv.weight, conv.initial_weight])
    wanted = beta * both @ W + (1 - beta) * (0.7 * P + 0.3 * H_0)
    torch.testing.assert_close(conv(example.x, example.operator, initial=H_0), wanted)


def test_without_an_initial_residual_it_takes_its_input_and_sparse_features_too() -> None:
    example = examples()[2]
    conv = GCN2Conv(5).double()
    wanted = conv(example.x, example.operator, initial=example.x)
    torch.testing.assert_close(conv(example.x, example.operator), wanted)
    sparse = example.x.to_sparse_csr()
    torch.testing.assert_close(conv(sparse, example.operator, initial=sparse), wanted)


@pytest.mark.parametrize(("weights", "count"), [("shared", 25), ("separate", 50), ("separate-unscaled", 50)])
def test_parameters(weights: str, count: int) -> None:
    assert sum(p.numel() for p in GCN2Conv(5, weights=weights).parameters()) == count


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InputError, match="layer = 0"):
        GCN2Conv(5, layer=0)
    with pytest.raises(InputError, match="Expected one of shared, separate, separate-unscaled"):
        GCN2Conv(5, weights="both")
    example = examples()[0]
    with pytest.raises(InputError, match=r"shape \[13, 4\] beside \[13, 5\]"):
        GCN2Conv(5).double()(example.x, example.operator, initial=H_0[:, :4])
