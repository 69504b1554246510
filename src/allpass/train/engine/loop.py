"""The loop: steps until every replica has ended, with a check of the device now and then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import torch

from allpass.train.engine.batch import Batch, Outcome
from allpass.train.engine.memory import kept_memory
from allpass.train.engine.threads import is_small, on_one_thread

LOOK = 25
"""Epochs between two checks of a GPU; each one waits for it. A CPU is checked after every epoch."""

FULL = 0.7
"""Below this share of living replicas a batch is made smaller, which costs a new recording."""


def train(
    batch: Batch, on_progress: Callable[[Batch], None] | None = None, *, weights: bool = True
) -> Iterator[dict[int, Outcome]]:
    """Train every replica of a batch to its end; gives by number those that have ended since the last check.

    On a GPU all of them advance together. On a CPU one is trained to its end and then the next: what it works on
    stays in the cache, out of which several would drive each other.

    Args:
        batch: What to train.
        on_progress: Called at every check of the device, for a progress bar; may raise to stop early.
        weights: Fetch the weights of those that have ended.
    """
    with nullcontext() if batch.rows.is_cuda or is_small(batch.problem) else kept_memory():
        yield from _trained(batch, on_progress, weights)


def _trained(
    batch: Batch, on_progress: Callable[[Batch], None] | None, weights: bool
) -> Iterator[dict[int, Outcome]]:
    if not batch.together and len(batch.rows) > 1:
        for number, part in enumerate(apart(batch)):
            for found in _trained(part, on_progress, weights):
                yield {number: found[0]}
        return
    numbers = torch.arange(len(batch.rows))
    last, share = time.perf_counter(), 0.0  # what a replica that is alive has taken so far
    batch.refresh(0)
    if batch.deterministic:
        with products(batch):
            batch.first_update()
    step = prepared(batch)
    ended = torch.zeros(len(numbers), dtype=torch.bool)
    for epoch in range(batch.recipe.stopping.max_epochs):
        if epoch:
            batch.refresh(epoch)
        step()
        last_one = epoch == batch.recipe.stopping.max_epochs - 1
        if batch.rows.is_cuda and epoch % LOOK != LOOK - 1 and not last_one:
            continue
        if on_progress is not None:
            on_progress(batch)
        alive = batch.alive.cpu()
        now = time.perf_counter()
        share, last = share + (now - last) / int((~ended).sum()), now
        places = (~alive & ~ended).nonzero().flatten().tolist()
        if places:
            outcomes = batch.outcomes(places, seconds=share, weights=weights)
            yield dict(zip(numbers[places].tolist(), outcomes, strict=True))
        if not bool(alive.any()):
            return
        ended = ~alive
        if float(alive.double().mean()) < FULL:
            left = alive.nonzero().flatten()
            batch, numbers, ended = batch.select(left.to(batch.rows.device)), numbers[left], ended[left]
            step = prepared(batch)


def apart(batch: Batch) -> Iterator[Batch]:
    """What is trained one after the other: all together, or each replica by itself."""
    if batch.together:
        yield batch
        return
    for number in range(len(batch.rows)):
        yield batch.select(torch.tensor([number], device=batch.rows.device))


def prepared(batch: Batch) -> Callable[[], None]:
    """The step of a batch: on a GPU recorded as a CUDA graph, one launch in place of hundreds."""
    step = batch.lagging_step if batch.deterministic else batch.step
    if not (batch.rows.is_cuda and batch.together):
        return on_one_thread(step) if is_small(batch.problem) else step
    before = [tensor.clone() for tensor in batch.tensors()]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with products(batch), torch.cuda.stream(side):
        for _ in range(3):  # libraries choose their kernels and make room before anything is recorded
            step()
    torch.cuda.current_stream().wait_stream(side)
    _restore(batch, before)
    graph = torch.cuda.CUDAGraph()
    with products(batch), torch.cuda.graph(graph):
        step()
    _restore(batch, before)
    return graph.replay


@contextmanager
def products(batch: Batch) -> Iterator[None]:
    """How dense products are computed: what is recorded in here stays so."""
    before = torch.get_float32_matmul_precision()
    if batch.rows.is_cuda:
        torch.set_float32_matmul_precision("high" if batch.recipe.tf32 else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _restore(batch: Batch, before: list[torch.Tensor]) -> None:
    for tensor, kept in zip(batch.tensors(), before, strict=True):
        tensor.copy_(kept)
