"""Graphs whose truth is known."""

import torch
from torch_geometric.data import Data


def planted(h: float, *, informative: float = 1.5, n: int = 150, classes: int = 3, seed: int = 0) -> Data:
    """Each node draws six neighbours, a share h of them from its own class; features point to the class."""
    generator = torch.Generator().manual_seed(seed)
    y = torch.arange(n) % classes
    own = torch.rand(n, 6, generator=generator) < h
    step = torch.randint(1, classes, (n, 6), generator=generator)
    wanted = torch.where(own, y.unsqueeze(1), (y.unsqueeze(1) + step) % classes)
    pick = torch.randint(0, n // classes, (n, 6), generator=generator)
    target = pick * classes + wanted
    x = torch.randn(n, 8, generator=generator)
    x[:, :classes] += informative * torch.nn.functional.one_hot(y, classes)
    return Data(
        edge_index=torch.stack([torch.arange(n).repeat_interleave(6), target.flatten()]),
        x=x,
        y=y,
        num_nodes=n,
    )
