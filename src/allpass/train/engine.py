"""The loop: steps until every replica has ended, with a look at the device now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from allpass.train.batch import Batch

LOOK = 25
"""Epochs between two looks at the device; each one waits for it."""


def train(batch: Batch, look: Callable[[Batch], None] | None = None) -> None:
    """Train every replica of a batch to its end.

    Args:
        batch: What to train; it holds the results afterwards.
        look: Called every few epochs, for a progress bar; may raise to stop early.
    """
    step, limit = batch.step, batch.recipe.stopping.max_epochs
    if batch.deterministic:
        batch.first_update()
        step = batch.lagging_step
    step = captured(step, batch) if batch.rows.is_cuda else step
    for epoch in range(limit):
        step()
        if epoch % LOOK == LOOK - 1 or epoch == limit - 1:
            if look is not None:
                look(batch)
            if not bool(batch.alive.any()):
                break


def captured(step: Callable[[], None], batch: Batch) -> Callable[[], None]:
    """The step as a CUDA graph: one launch in place of hundreds, and no number leaves the device."""
    before = [tensor.clone() for tensor in batch.tensors()]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):  # libraries choose their kernels and make room before anything is recorded
            step()
    torch.cuda.current_stream().wait_stream(side)
    _restore(batch.tensors(), before)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    _restore(batch.tensors(), before)
    return graph.replay


def _restore(tensors: Iterator[torch.Tensor], before: list[torch.Tensor]) -> None:
    for tensor, kept in zip(tensors, before, strict=True):
        tensor.copy_(kept)
