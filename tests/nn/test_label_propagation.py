"""Label propagation against PyG, against its limit, and against the harmonic solution of Zhu and Ghahramani."""

from __future__ import annotations

import pytest
import torch
from torch_geometric.nn import LabelPropagation as PyGLabelPropagation

from allpass.errors import InputError
from allpass.graph import matrix
from allpass.nn import LabelPropagation
from allpass.nn.label_propagation import one_hot
from allpass.testing import examples


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("num_layers", [0, 1, 7])
def test_pyg_agrees(num_layers: int, alpha: float) -> None:
    example = examples()[0]
    layer = LabelPropagation(3, num_layers=num_layers, alpha=alpha, clip=True)
    theirs = PyGLabelPropagation(num_layers, alpha)
    wanted = theirs(torch.eye(3, dtype=torch.float64)[example.y], example.edge_index, example.mask)
    found = layer(example.x, example.edge_index, labels=example.y, mask=example.mask)
    torch.testing.assert_close(found, wanted)


def test_many_steps_solve_the_linear_system() -> None:
    """Y = (1 - alpha) (I - alpha S)^-1 Y_0, the closed form of Zhou et al."""
    example = examples()[0]
    S = matrix(example.operator, "A_sym").to_dense()
    Y_0 = one_hot(example.y, example.mask, 3, torch.float64)
    wanted = 0.3 * torch.linalg.solve(torch.eye(13, dtype=torch.float64) - 0.7 * S, Y_0)
    layer = LabelPropagation(3, num_layers=200, alpha=0.7)
    torch.testing.assert_close(
        layer(example.x, example.operator, labels=example.y, mask=example.mask), wanted
    )


def test_clamped_means_are_the_harmonic_solution() -> None:
    """Every node without a label is the mean of its neighbours (Zhu and Ghahramani); labelled ones keep theirs."""
    ring = torch.tensor([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    ring = torch.cat([ring, ring.flip(0)], dim=1)
    labels, mask = torch.tensor([0, -1, -1, 1, -1, -1]), torch.tensor([1, 0, 0, 1, 0, 0]).bool()
    layer = LabelPropagation(2, num_layers=200, alpha=1, filter="A_rw", clamp=True)
    found = layer(torch.empty(6, 0), ring, labels=labels, mask=mask)
    torch.testing.assert_close(found[:, 1], torch.tensor([0, 1 / 3, 2 / 3, 1, 2 / 3, 1 / 3]))


@pytest.mark.parametrize("settings", [{"alpha": 1.5}, {"alpha": -0.1}, {"num_layers": -1}], ids=str)
def test_bad_settings_are_named(settings: dict[str, float]) -> None:
    with pytest.raises(InputError, match="Expected"):
        LabelPropagation(3, **settings)
    assert "alpha=0.9" in repr(LabelPropagation(3))


@pytest.mark.parametrize(
    ("labels", "mask"),
    [
        (torch.zeros(3), torch.ones(3).bool()),
        (torch.zeros(3).long(), torch.ones(2).bool()),
        (torch.zeros(3).long(), torch.ones(3)),
        (torch.zeros(3, 2).long(), torch.ones(3, 2).bool()),
    ],
    ids=["fractions", "another length", "no booleans", "two columns"],
)
def test_labels_and_masks_that_do_not_fit_are_named(labels: torch.Tensor, mask: torch.Tensor) -> None:
    with pytest.raises(InputError, match="one whole number and one boolean"):
        one_hot(labels, mask, 2, torch.float32)


def test_labels_outside_the_classes_are_refused():
    with pytest.raises(InputError, match="Got labels from 5 to 9 for 3 classes"):
        one_hot(torch.tensor([5, 7, 9]), torch.ones(3, dtype=torch.bool), 3, torch.float32)
    kept = one_hot(torch.tensor([0, 7, -1]), torch.tensor([True, False, False]), 3, torch.float32)
    assert kept.sum() == 1


@pytest.mark.parametrize("targets", [1, 2])
def test_numbers_are_a_weighted_mean_of_those_in_reach(targets: int) -> None:
    """(W y + epsilon m) / (W 1 + epsilon) with W = (1 - alpha) (I - alpha S)^-1 on the known nodes."""
    example = examples()[0]
    S = matrix(example.operator, "A_sym").to_dense()
    W = 0.3 * torch.linalg.inv(torch.eye(13, dtype=torch.float64) - 0.7 * S)[:, example.mask]
    y = example.x[:, :targets] * 10 + 100
    mean = y[example.mask].mean(0)
    wanted = (W @ y[example.mask] + 1e-3 * mean) / (W.sum(1, keepdim=True) + 1e-3)
    hidden = torch.where(example.mask.unsqueeze(1), y, torch.nan)
    labels = hidden.squeeze(1) if targets == 1 else hidden
    layer = LabelPropagation(targets, num_layers=300, alpha=0.7)
    found = layer(example.x, example.operator, labels=labels, mask=example.mask)
    torch.testing.assert_close(found, wanted)
    alone = found[-1]  # the last node has no neighbour: the mean of all
    torch.testing.assert_close(alone, mean)
