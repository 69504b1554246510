"""A graph that every network can learn, and the training that has to do it."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from allpass.graph.operator import Operator

BAR = 0.9
"""The accuracy on unseen nodes that a network has to reach."""


def learnable_graph(
    nodes: int = 120, classes: int = 3, features: int = 8
) -> tuple[Tensor, Operator, Tensor, Tensor]:
    """Features that know the class nearly, and a graph whose neighbours mostly share it.

    Returns:
        x, the adjacency, labels, and the training mask of half of the nodes.
    """
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(nodes) % classes
    centres = torch.randn(classes, features, generator=generator)
    x = centres[y] + 0.5 * torch.randn(nodes, features, generator=generator)
    same = y.unsqueeze(0) == y.unsqueeze(1)
    chance = torch.where(same, 0.12, 0.01)
    upper = (torch.rand(nodes, nodes, generator=generator) < chance).triu(1)
    mask = torch.rand(nodes, generator=generator) < 0.5
    return x, Operator.from_edge_index((upper | upper.T).nonzero().T, num_nodes=nodes), y, mask


def accuracy_after_training(
    module: nn.Module, *, epochs: int = 150, lr: float = 0.02, uses_labels: bool = False
) -> float:
    """Accuracy on the other half of :func:`learnable_graph` after training ``module`` (8 features, 3 classes)."""
    x, A, y, mask = learnable_graph()
    more = {"labels": y, "mask": mask} if uses_labels else {}
    parameters = list(module.parameters())
    optimizer = torch.optim.Adam(parameters, lr=lr) if parameters else None
    for _ in range(epochs if optimizer else 0):
        assert optimizer is not None
        module.train()
        optimizer.zero_grad()
        F.cross_entropy(module(x, A, **more)[mask], y[mask]).backward()
        optimizer.step()
    module.eval()
    with torch.no_grad():
        guess = module(x, A, **more).argmax(dim=1)
    return float((guess == y)[~mask].float().mean())
