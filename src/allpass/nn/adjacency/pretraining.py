"""A base that learns the labels by itself, before a graph is made of it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.func import functional_call

from allpass.graph.operator import Operator
from allpass.nn.inputs import Features

Loss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""``loss(output [N, C], target, weight [N])``."""

LR, WEIGHT_DECAY = 0.01, 5e-4


def pretrain(
    base: nn.Module,
    x: Features,
    A: Operator,
    *,
    target: Tensor,
    mask: Tensor,
    loss: Loss,
    out_channels: int,
    epochs: int,
    seed: int,
) -> None:
    """Train a base with a linear head on the training labels, by Adam; the base is changed in place, the head dropped.

    Args:
        base: Called as ``base(x, A)``.
        x: Features.
        A: The given graph.
        target: Labels ``[N]``.
        mask: Training nodes, bool ``[N]``.
        loss: Of the task.
        out_channels: Width of its output.
        epochs: How many.
        seed: Decides the head.
    """
    names, given = [], []
    for name, parameter in base.named_parameters():
        names.append(name)
        given.append(parameter)
    if not names or epochs < 1:
        return
    width = int(base.out_channels)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(seed % 2**63)
    drawn = (2 * torch.rand(width, out_channels, generator=generator) - 1) * width**-0.5
    head = drawn.to(given[0])
    shift = torch.zeros(out_channels, dtype=head.dtype, device=head.device)
    leaves = [part.detach().clone().requires_grad_() for part in (*given, head, shift)]
    optimizer = torch.optim.Adam(leaves, lr=LR, weight_decay=WEIGHT_DECAY)
    weight, was = mask.to(head.dtype), base.training
    base.train()
    with torch.enable_grad():
        for _ in range(epochs):
            optimizer.zero_grad()
            h = functional_call(base, dict(zip(names, leaves, strict=False)), (x, A))
            loss(h @ leaves[-2] + leaves[-1], target, weight).backward()
            optimizer.step()
    base.train(was)
    with torch.no_grad():
        for parameter, leaf in zip(given, leaves, strict=False):
            parameter.copy_(leaf)
