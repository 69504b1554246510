"""Correct and Smooth against PyG's where the two agree, and against the closed form of many steps."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import CorrectAndSmooth as PyGCorrectAndSmooth

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.nn import CorrectAndSmooth
from allpass.testing import examples


def ring(nodes: int = 12, reach: int = 2) -> torch.Tensor:
    """A graph in which every node has as many neighbours: there PyG's clipping to [-1, 1] changes nothing."""
    one = torch.cat(
        [torch.stack([torch.arange(nodes), (torch.arange(nodes) + s) % nodes]) for s in range(1, reach + 1)],
        1,
    )
    return torch.cat([one, one.flip(0)], 1)


def predictions(seed: int, nodes: int = 12) -> torch.Tensor:
    return torch.rand(nodes, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).softmax(1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("layers", "correct", "smooth"), [(1, 0.5, 0.8), (10, 0.8, 0.3), (50, 0.9, 0.8)])
def test_pyg_agrees(seed: int, layers: int, correct: float, smooth: float) -> None:
    edge_index, Z, y = ring(), predictions(seed), torch.arange(12) % 3
    mask = torch.arange(12) % 2 == 0
    theirs = PyGCorrectAndSmooth(layers, correct, layers, smooth, autoscale=True)
    corrected = theirs.correct(Z, y[mask], mask, edge_index)
    wanted = theirs.smooth(corrected.clone(), y[mask], mask, edge_index)
    ours = CorrectAndSmooth(num_layers=layers, correct_alpha=correct, smooth_alpha=smooth)
    found = ours(Z, edge_index, labels=y, mask=mask)
    inside = (corrected >= 0).all() and (corrected <= 1).all()  # PyG clips what is smoothed too
    if inside:
        torch.testing.assert_close(found, wanted)
    else:
        S = matrix(
            examples()[0].operator.from_edge_index(edge_index, num_nodes=12, dtype=torch.float64), "A_sym"
        )
        Y_0 = torch.where(mask.unsqueeze(1), torch.eye(3, dtype=torch.float64)[y], corrected)
        Y = Y_0
        for _ in range(layers):
            Y = smooth * (S.to_dense() @ Y) + (1 - smooth) * Y_0
        torch.testing.assert_close(found, Y)


def test_many_steps_on_numbers_solve_a_linear_system() -> None:
    """Z + the residuals spread by (I - alpha S)^-1, divided by how much of a 1 at each known node arrives."""
    example = examples()[0]
    S = matrix(example.operator, "A_sym").to_dense()
    Z, known = example.x[:, :2], example.mask.double().unsqueeze(1)
    y = Z.flip(0) * 3
    spread = 0.2 * torch.linalg.inv(torch.eye(13, dtype=torch.float64) - 0.8 * S)
    residual = known * (y - Z)
    mean = residual.sum(0) / known.sum()
    wanted = Z + (spread @ residual + 1e-3 * mean) / (spread @ known + 1e-3)
    hidden = torch.where(known.bool(), y, torch.nan)
    layer = CorrectAndSmooth(num_layers=300)
    found = layer(Z, example.operator, labels=hidden, mask=example.mask)
    torch.testing.assert_close(found, wanted)


def test_right_predictions_are_left_alone_without_smoothing() -> None:
    example = examples()[0]
    Z = torch.eye(3, dtype=torch.float64)[example.y]
    layer = CorrectAndSmooth(smooth_alpha=0.0)
    torch.testing.assert_close(layer(Z, example.operator, labels=example.y, mask=example.mask), Z)


def test_no_known_label_leaves_what_is_smoothed() -> None:
    example = examples()[0]
    Z = predictions(0, 13)
    for labels in (example.y, example.x[:, :3]):
        layer = CorrectAndSmooth(smooth_alpha=0.0)
        none = torch.zeros(13, dtype=torch.bool)
        torch.testing.assert_close(layer(Z, example.operator, labels=labels, mask=none), Z)


@pytest.mark.parametrize("settings", [{"correct_alpha": 1.5}, {"smooth_alpha": -0.1}], ids=str)
def test_shares_that_are_none(settings: dict[str, float]) -> None:
    with pytest.raises(InputError, match="Expected a share"):
        CorrectAndSmooth(**settings)
    assert "correct_alpha=0.8" in repr(CorrectAndSmooth())
